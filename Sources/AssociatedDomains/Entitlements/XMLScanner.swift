import Platform
import SourceJSON

/// Takes tags and texts from the XML of a property list, each byte once.
///
/// Of XML it knows what property lists are written in: elements, texts, CDATA sections, references, comments, processing
/// instructions and a DOCTYPE without declarations. There is no entity that could be defined, and so none that grows.
struct XMLScanner {
    typealias Fault = Entitlements.Fault
    typealias Mistake = Entitlements.XMLMistake

    package enum Token {
        case start(name: String, isEmpty: Bool)
        case end(name: String)
        /// With references resolved and line ends as LF (XML 1.0, 2.11).
        case text(String)
        case finished
    }

    private let bytes: [UInt8]
    private(set) var offset = 0
    private var finder: PlaceFinder
    /// Where the last token begins.
    private(set) var tokenStart = 0

    /// - Throws: the fault of a byte that is no UTF-8.
    init(_ bytes: [UInt8]) throws(Fault) {
        self.bytes = bytes
        finder = PlaceFinder(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
        try checkEncoding()
    }

    package mutating func place(at offset: Int) -> SourceLocation { finder.place(at: offset) }

    package mutating func fault(_ mistake: Mistake, at offset: Int? = nil) -> Fault {
        .xml(finder.place(at: offset ?? tokenStart), mistake)
    }

    private mutating func checkEncoding() throws(Fault) {
        var decoder = UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): position += scalar.count
            case .emptyInput: return
            case .error:
                throw fault(.invalidUTF8(byte: position < bytes.count ? bytes[position] : 0), at: position)
            }
        }
    }

    /// The next tag or text; texts next to each other, a CDATA section among them, come one by one.
    package mutating func next() throws(Fault) -> Token {
        while offset < bytes.count {
            tokenStart = offset
            guard bytes[offset] == UInt8(ascii: "<") else { return .text(try takeText()) }
            if begins("<!--") {
                try skip(past: "-->", from: offset + 4, "the comment")
            } else if begins("<?") {
                try takeInstruction()
            } else if begins("<![CDATA[") {
                return .text(try takeSection())
            } else if begins("<!DOCTYPE") {
                try takeDocumentType()
            } else {
                return try takeTag()
            }
        }
        tokenStart = offset
        return .finished
    }

    private func begins(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe bytes[offset...].starts(with: $0) }
    }

    private mutating func skip(past end: String, from start: Int, _ construct: String) throws(Fault) {
        guard let found = find(end, from: start) else { throw fault(.cutOff(inside: construct)) }
        offset = found + end.utf8.count
    }

    private func find(_ text: String, from start: Int) -> Int? {
        guard let first = text.utf8.first else { return nil }
        var index = start
        while index < bytes.count {
            if bytes[index] == first, bytes[index...].starts(with: text.utf8) { return index }
            index += 1
        }
        return nil
    }

    /// The XML declaration may name the encoding; what else an instruction says does not matter.
    private mutating func takeInstruction() throws(Fault) {
        let start = offset
        try skip(past: "?>", from: offset + 2, "the processing instruction")
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard text.hasPrefix("<?xml "), text.utf8.count < 512, let range = text.firstRange(of: "encoding") else {
            return
        }
        let name = text[range.upperBound...].drop { !$0.isQuoteOfTag }.dropFirst().prefix { !$0.isQuoteOfTag }
        guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(HostText.lowered(String(name))) else {
            throw fault(.encoding(String(name)))
        }
    }

    private mutating func takeSection() throws(Fault) -> String {
        let start = offset + 9
        try skip(past: "]]>", from: start, "the CDATA section")
        let content = bytes[start..<(offset - 3)]
        if let index = content.firstIndex(where: { $0.isForbiddenInXML }) {
            throw fault(.forbiddenCharacter(UInt32(bytes[index])), at: index)
        }
        return XMLScanner.withLineFeeds(content)
    }

    private mutating func takeDocumentType() throws(Fault) {
        var quote: UInt8?
        for index in offset..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                throw fault(.declarations, at: index)
            } else if byte == UInt8(ascii: ">") {
                offset = index + 1
                return
            } else if byte == UInt8(ascii: "<"), index > offset {
                throw fault(.malformedTag)
            }
        }
        throw fault(.cutOff(inside: "the DOCTYPE"))
    }

    private mutating func takeTag() throws(Fault) -> Token {
        let isEnd = offset + 1 < bytes.count && bytes[offset + 1] == UInt8(ascii: "/")
        let nameStart = offset + (isEnd ? 2 : 1)
        let nameEnd = bytes[nameStart...].firstIndex { !$0.isNameInXML } ?? bytes.count
        let close = try endOfTag(from: nameEnd)
        guard nameEnd > nameStart else { throw fault(.malformedTag) }
        let name = String(decoding: bytes[nameStart..<nameEnd], as: UTF8.self)
        let rest = bytes[nameEnd..<close]
        offset = close + 1
        if isEnd {
            guard rest.allSatisfy(\.isSpaceInXML) else { throw fault(.malformedTag) }
            return .end(name: name)
        }
        let isEmpty = rest.last == UInt8(ascii: "/")
        guard let first = rest.first, !(isEmpty && rest.count == 1) else { return .start(name: name, isEmpty: isEmpty) }
        guard first.isSpaceInXML else { throw fault(.malformedTag) }
        return .start(name: name, isEmpty: isEmpty)
    }

    /// Where the `>` of a tag is; one inside of a quoted attribute does not count.
    private mutating func endOfTag(from start: Int) throws(Fault) -> Int {
        var quote: UInt8?
        for index in start..<bytes.count {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            } else if byte == UInt8(ascii: "<") {
                throw fault(.malformedTag)
            } else if byte == 0xE2, bytes[index...].starts(with: [0xE2, 0x80]), index + 2 < bytes.count,
                (0x98...0x9F).contains(bytes[index + 2])
            {
                throw fault(.typographicQuote, at: index)
            }
        }
        throw fault(.cutOff(inside: "a tag"))
    }

    private mutating func takeText() throws(Fault) -> String {
        var text: [UInt8] = []
        var plainStart = offset
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "<") {
            let byte = bytes[offset]
            if byte.isForbiddenInXML { throw fault(.forbiddenCharacter(UInt32(byte)), at: offset) }
            guard byte == UInt8(ascii: "&") else {
                offset += 1
                continue
            }
            text += XMLScanner.withLineFeeds(bytes[plainStart..<offset]).utf8
            text += String(try takeReference()).utf8
            plainStart = offset
        }
        text += XMLScanner.withLineFeeds(bytes[plainStart..<offset]).utf8
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func takeReference() throws(Fault) -> Unicode.Scalar {
        let start = offset
        // The longest reference that means something is &#x0010FFFF; or about as long.
        let window = bytes[(start + 1)..<min(start + 33, bytes.count)]
        guard let end = window.firstIndex(of: UInt8(ascii: ";")), end > start + 1,
            window[..<end].allSatisfy({ $0.isNameInXML || $0 == UInt8(ascii: "#") })
        else { throw fault(.ampersand, at: start) }
        offset = end + 1
        let name = String(decoding: bytes[(start + 1)..<end], as: UTF8.self)
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        case _: break
        }
        guard name.hasPrefix("#") else { throw fault(.unknownEntity(name), at: start) }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let value = UInt32(digits, radix: isHexadecimal ? 16 : 10)
        else { throw fault(.unknownEntity(name), at: start) }
        guard let scalar = Unicode.Scalar(value), value >= 0x20 || [9, 10, 13].contains(value),
            value != 0xFFFE, value != 0xFFFF
        else { throw fault(.forbiddenCharacter(value), at: start) }
        return scalar
    }

    /// CR LF and CR alone are line feeds to whoever reads XML.
    private static func withLineFeeds(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(.carriageReturn) else { return String(decoding: bytes, as: UTF8.self) }
        var normal: [UInt8] = []
        var wasReturn = false
        for byte in bytes {
            if !(byte == .lineFeed && wasReturn) { normal.append(byte == .carriageReturn ? .lineFeed : byte) }
            wasReturn = byte == .carriageReturn
        }
        return String(decoding: normal, as: UTF8.self)
    }
}

extension UInt8 {
    var isSpaceInXML: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    /// The characters of the names that property lists have, and what is close to them.
    fileprivate var isNameInXML: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        case _: false
        }
    }

    /// XML 1.0, 2.2: of the control characters only tab, LF and CR.
    fileprivate var isForbiddenInXML: Bool { self < 0x20 && !isSpaceInXML }
}

extension Character {
    fileprivate var isQuoteOfTag: Bool { self == "\"" || self == "'" }
}
