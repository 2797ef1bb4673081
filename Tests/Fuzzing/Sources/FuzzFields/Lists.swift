import FuzzSupport
import MotivatorHTTP

func checkRanges(_ value: [UInt8]) {
    withLines(value) { lines in
        for length in [0, 1, 10, 1000, Int.max] {
            let ranges = ByteRanges(lines, of: length)
            let field = ranges.contentRange(of: length).map { String(decoding: $0, as: UTF8.self) }
            switch ranges {
            case .whole: require(field == nil, "a complete response has a Content-Range")
            case .part(let part):
                require(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= length, "an invalid part: \(part)")
                require(field == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)", "wrong Content-Range")
            case .unsatisfiable: require(field == "bytes */\(length)", "wrong Content-Range")
            }
        }
    }
}

func checkCodings(_ value: [UInt8]) {
    func choices(_ value: [UInt8]) -> [ContentCoding] {
        withLines(value) { lines in
            [ContentCoding(lines, isGzipAvailable: true), ContentCoding(lines, isGzipAvailable: false)]
        }
    }
    let several = choices(value)
    if case .gzip = several[1] { fatalError("gzip is chosen although it is not available") }
    // The first byte of this name is in neither coding, so the member changes nothing.
    require(choices(value + Array("\nbr;q=0.5".utf8)).elementsEqual(several, by: isSame), "another coding matters")
    require(choices(reversed(value)).elementsEqual(several, by: isSame), "the order of the lines has an effect")
    if let joined = onOneLine(value) {
        require(choices(joined).elementsEqual(several, by: isSame), "one line and several lines have different results")
    }
}

private func isSame(_ one: ContentCoding, _ other: ContentCoding) -> Bool {
    switch (one, other) {
    case (.gzip, .gzip), (.identity, .identity), (.none, .none): true
    case _: false
    }
}

func checkMediaTypes(_ value: [UInt8]) {
    func isNamed(_ value: [UInt8]) -> Bool { withLines(value) { $0.haveMediaType("text/html") } }
    let inSeveral = isNamed(value)
    require(isNamed(reversed(value)) == inSeveral, "the order of the lines has an effect")
    if let joined = onOneLine(value) {
        require(isNamed(joined) == inSeveral, "one line and several lines have different results")
    }
}

/// Compares the value with a tag, as If-Match and as If-None-Match.
func checkEntityTags(_ value: [UInt8]) {
    let current = Validators(entityTag: "a", lastModified: 784_111_777)
    func verdict(_ name: String) -> Validators.Verdict? {
        head(value.split(separator: 0x0A, omittingEmptySubsequences: false).map { (name, Array($0)) })?
            .withFields { current.evaluate($0, now: 1_700_000_000) }
    }
    guard let strong = verdict("If-Match"), let weak = verdict("If-None-Match") else { return }
    require(strong != .notModified && weak != .failed, "a field has the verdict of another field")
    require(strong == .failed || weak == .notModified, "a tag matches strongly, but not weakly")
    if value.elementsEqual("\"a\"".utf8) { require(strong == .proceed, "a tag does not match itself") }
}

func checkPreconditions(_ value: [UInt8]) {
    let current = Validators(entityTag: "a", lastModified: 784_111_777)
    let names = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"]
    let lines = value.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated().map { index, line in
        (names[index % names.count], Array(line))
    }
    head(lines)?.withFields { fields in
        _ = current.evaluate(fields, now: 1_700_000_000)
        let allows = current.allowRange(fields, now: 1_700_000_000)
        require(allows || !fields.lines(of: .ifRange).isEmpty, "a range is rejected without If-Range")
    }
}

/// Returns the head of a request with these field lines; nil if the parser rejects it.
private func head(_ lines: [(name: String, value: [UInt8])]) -> RequestHead? {
    var parser = RequestParser()
    let fields = lines.flatMap { name, value in [UInt8]("\(name): ".utf8) + value + [0x0D, 0x0A] }
    let request = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + fields + [0x0D, 0x0A]
    request.withFieldBytes { parser.append($0) }
    return parser.next() == .head ? parser.head : nil
}

/// Checks that members are trimmed, not empty, in order, and without an unquoted comma.
func checkMembers(_ value: FieldBytes) {
    let bytes = Array(value)
    var end = 0
    for member in ListMembers(value) {
        guard let first = member.first, let last = member.last else { fatalError("a member is empty") }
        require(![0x20, 0x09].contains(first) && ![0x20, 0x09].contains(last), "a member has surrounding whitespace")
        guard let range = bytes[end...].firstRange(of: Array(member)) else { fatalError("a member is out of order") }
        end = range.upperBound
        if !member.contains(UInt8(ascii: "\"")) {
            require(!member.contains(UInt8(ascii: ",")), "a member contains an unquoted comma")
        }
    }
}
