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
    func choices(_ value: [UInt8]) -> [AcceptedCodings.Choice] {
        withLines(value) { lines in
            let codings = AcceptedCodings(lines)
            return [codings.choice(isGzipAvailable: true), codings.choice(isGzipAvailable: false)]
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

private func isSame(_ one: AcceptedCodings.Choice, _ other: AcceptedCodings.Choice) -> Bool {
    switch (one, other) {
    case (.gzip, .gzip), (.identity, .identity), (.none, .none): true
    case _: false
    }
}

func checkMediaTypes(_ value: [UInt8]) {
    func weights(_ value: [UInt8]) -> [Int] {
        withLines(value) { lines in
            let types = AcceptedMediaTypes(lines)
            return [types.weight(of: "text", "html"), types.weight(of: "application", "json")]
        }
    }
    let several = weights(value)
    require(several.allSatisfy { (0...1000).contains($0) }, "a weight is not within 0 to 1000: \(several)")
    require(weights(reversed(value)) == several, "the order of the lines has an effect")
    if let joined = onOneLine(value) {
        require(weights(joined) == several, "one line and several lines have different results")
    }
}

func checkEntityTags(_ value: [UInt8]) {
    let tag = value.withFieldBytes { EntityTag($0) }
    if let tag {
        require(tag.bytes == value, "writing a tag changes it")
        require(tag.matches(tag, by: .weak) && tag.matches(tag, by: .strong) != tag.isWeak, "a tag differs from itself")
    }
    let current = Validators(entityTag: tag ?? EntityTag(opaque: Array("a".utf8)))
    withLines(value) { lines in
        let weak = EntityTagList(lines, current: current, by: .weak)
        let strong = EntityTagList(lines, current: current, by: .strong)
        let none = EntityTagList(lines, current: nil, by: .weak)
        switch (strong, weak, none) {
        case (.matched, .matched, _), (.unmatched, .matched, .unmatched), (.unmatched, .unmatched, .unmatched),
            (.malformed, .malformed, .malformed):
            break
        case _: fatalError("the comparisons contradict each other: \(strong), \(weak), \(none)")
        }
        if let tag, tag.isWeak, case .matched = strong { fatalError("a weak tag matches strongly") }
        // A single tag is a list with one member.
        if tag != nil, case .matched = weak { return }
        require(tag == nil, "a list with a tag does not contain the tag")
    }
}

func checkPreconditions(_ value: [UInt8]) {
    withLines(value) { lines in
        let now: Int64 = 1_700_000_000
        let current = Validators(entityTag: EntityTag(opaque: Array("a".utf8)), lastModified: 784_111_777)
        var conditions = Preconditions()
        var number = 0
        for line in lines {
            switch number % 5 {
            case 0: conditions.ifMatch.append(line)
            case 1: conditions.ifNoneMatch.append(line)
            case 2: conditions.ifModifiedSince.append(line)
            case 3: conditions.ifUnmodifiedSince.append(line)
            case _: conditions.ifRange.append(line)
            }
            number += 1
        }
        for current in [current, nil] {
            let change = conditions.evaluate(isRetrieval: false, current: current, now: now)
            require(change != .notModified, "an unsafe method results in 304")
            _ = conditions.evaluate(isRetrieval: true, current: current, now: now)
            let allows = conditions.allowRange(current: current, now: now)
            require(allows || !conditions.ifRange.isEmpty, "a range is rejected without If-Range")
        }
    }
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
