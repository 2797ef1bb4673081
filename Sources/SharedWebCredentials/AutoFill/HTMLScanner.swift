import SourceJSON

struct HTMLTag: Hashable {
    let name: String
    let isEnd: Bool
    let location: SourceLocation
    /// The decoded values by lower-case name. As in a browser, the first value of a repeated attribute counts.
    let attributes: [String: String]
}

/// A scanner that finds tags in an HTML page without building a document.
///
/// The scanner follows the tokenizer of the HTML standard (§13.2.5) as far as forms require: quotes, comments, and text
/// elements such as `script`. It never fails, and it takes linear time because it never backtracks.
struct HTMLScanner {
    /// The maximum size of an attribute value in bytes. Longer values are ignored, because no token or rule is this
    /// long.
    static let maximumValue = 4_096

    /// The text elements, whose content is text up to their own end tag.
    private static let textElements: Set<String> = [
        "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes",
    ]

    private let bytes: [UInt8]
    private var position = 0
    private var location = SourceLocation.start

    /// Returns the tags with the given names in lower case, in order.
    static func tags(in html: [UInt8], named names: Set<String>) -> [HTMLTag] {
        var scanner = HTMLScanner(bytes: html)
        var tags: [HTMLTag] = []
        while let tag = scanner.nextTag(keeping: names) {
            if names.contains(tag.name) { tags.append(tag) }
            if !tag.isEnd, textElements.contains(tag.name) { scanner.skipText(of: tag.name) }
        }
        return tags
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func nextTag(keeping names: Set<String>) -> HTMLTag? {
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start + 1
            let isEnd = byte == UInt8(ascii: "/")
            if isEnd { position += 1 }
            guard let first = byte else { return nil }
            if first.isLetter {
                let name = name(upTo: "/>")
                let isKept = names.contains(name)
                if isKept { location = location.advanced(to: start, in: bytes) }
                guard let attributes = attributes(isKept: isKept) else { return nil }
                return HTMLTag(name: name, isEnd: isEnd, location: location, attributes: attributes)
            }
            if !isEnd, bytes[position...].starts(with: "!--".utf8) {
                skipComment()
            } else if isEnd || first == UInt8(ascii: "!") || first == UInt8(ascii: "?") {
                skip(past: ">")
            }
        }
        return nil
    }

    /// Reads the attributes up to and including `>`. Returns nil if the page ends before the tag does.
    private mutating func attributes(isKept: Bool) -> [String: String]? {
        var attributes: [String: String] = [:]
        while let next = byte {
            if next == UInt8(ascii: ">") {
                position += 1
                return attributes
            }
            guard !next.isSpace, next != UInt8(ascii: "/") else {
                position += 1
                continue
            }
            let name = name(upTo: "/>=")
            skipSpaces()
            guard byte == UInt8(ascii: "=") else {
                if isKept, attributes[name] == nil { attributes[name] = "" }
                continue
            }
            position += 1
            skipSpaces()
            let value = attributeValue()
            if isKept, attributes[name] == nil, value.count <= Self.maximumValue {
                attributes[name] = Self.decoded(value)
            }
        }
        return nil
    }

    private mutating func attributeValue() -> ArraySlice<UInt8> {
        let quote = byte
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let start = position
            while let next = byte, !next.isSpace, next != UInt8(ascii: ">") { position += 1 }
            return bytes[start..<position]
        }
        position += 1
        let start = position
        while let next = byte, next != quote { position += 1 }
        defer { position = min(position + 1, bytes.count) }
        return bytes[start..<position]
    }

    /// Reads a name up to white space or one of `ends`, and returns it in lower case. Its first character may be one of
    /// `ends`: `=a` is a name.
    private mutating func name(upTo ends: String) -> String {
        let start = position
        repeat { position += 1 } while byte.map { !$0.isSpace && !ends.utf8.contains($0) } ?? false
        return String(decoding: bytes[start..<position], as: UTF8.self).loweredASCII
    }

    private mutating func skipSpaces() {
        while let next = byte, next.isSpace { position += 1 }
    }

    /// Skips a comment, which "-->" or "--!>" ends. The first dashes may overlap: <!--> is a comment.
    private mutating func skipComment() {
        let start = position + 3
        position += 1
        while position < bytes.count {
            skip(past: "--")
            let rest = bytes[position...]
            if rest.isEmpty { return }
            if rest.starts(with: ">".utf8) || position > start + 1 && rest.starts(with: "!>".utf8) {
                return skip(past: ">")
            }
            position -= 1
        }
    }

    private mutating func skip(past end: String) {
        position = bytes[position...].firstRange(of: Array(end.utf8))?.upperBound ?? bytes.count
    }

    private mutating func skipText(of name: String) {
        let end = Array("</\(name)".utf8)
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = start
            let candidate = bytes[start...].prefix(end.count).map { $0.isLetter ? $0 | 0x20 : $0 }
            let next = start + end.count < bytes.count ? bytes[start + end.count] : UInt8(ascii: ">")
            if candidate == end, next.isSpace || next == UInt8(ascii: "/") || next == UInt8(ascii: ">") { return }
            position += 1
        }
        position = bytes.count
    }

    /// Decodes UTF-8 and the character references that HTML generators use in attributes.
    private static func decoded(_ value: ArraySlice<UInt8>) -> String {
        let named = ["amp": "&", "quot": "\"", "apos": "'", "lt": "<", "gt": ">"]
        let parts = String(decoding: value, as: UTF8.self).split(separator: "&", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts.first ?? "")) { text, part in
            guard let end = part.firstIndex(of: ";") else { return text += "&\(part)" }
            let reference = part[..<end]
            let digits = reference.dropFirst()
            let number =
                digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            let scalar = reference.first == "#" ? number.flatMap(Unicode.Scalar.init) : nil
            guard let character = named[String(reference)] ?? scalar.map({ String(Character($0)) }) else {
                return text += "&\(part)"
            }
            text += character + part[part.index(after: end)...]
        }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
    /// Whether the byte is white space in HTML: space, tab, line feed, form feed or carriage return.
    fileprivate var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D }
}
