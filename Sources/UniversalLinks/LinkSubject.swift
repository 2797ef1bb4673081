import HTTPSClient
import MotivatorPlatform

/// The options for comparing a part of a URL.
struct ComparisonForm: Hashable, Sendable {
    let caseSensitive: Bool
    let percentEncoded: Bool

    static let all = [true, false].flatMap { caseSensitive in
        [true, false].map { ComparisonForm(caseSensitive: caseSensitive, percentEncoded: $0) }
    }

    /// The index in `all`.
    var index: Int { (caseSensitive ? 0 : 2) + (percentEncoded ? 0 : 1) }

    func folded(_ scalar: UInt32) -> UInt32 {
        caseSensitive ? scalar : (Unicode.Scalar(scalar)?.folded.value ?? scalar)
    }

    func step(_ scalar: UInt32) -> PatternStep {
        let folded = folded(scalar)
        return folded < 0x80 ? .row(Int(folded)) : .scalar(folded)
    }

    /// Returns the characters of a part of a URL in their original case.
    ///
    /// A part that does not decode to UTF-8 stays percent-encoded.
    func scalars(of text: String) -> [UInt32] {
        let decoded = percentEncoded ? text : (Self.decode(text) ?? text)
        return decoded.unicodeScalars.map(\.value)
    }

    private static func decode(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = digit(rest.first), let low = digit(rest.dropFirst().first) {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        byte.flatMap { Character(Unicode.Scalar($0)).hexDigitValue }.map(UInt8.init)
    }
}

/// A URL in the forms that rules compare. Each form is computed on first use.
struct LinkSubject {
    private let url: WebURL
    private let ignoresCase: Bool
    private var texts = [MatchText?](repeating: nil, count: 3 * ComparisonForm.all.count)
    private var items = [[[UInt32]: [MatchText]]?](repeating: nil, count: ComparisonForm.all.count)

    init(_ url: WebURL, ignoresCase: Bool) {
        (self.url, self.ignoresCase) = (url, ignoresCase)
    }

    mutating func text(of part: URLPart, _ form: ComparisonForm) -> MatchText {
        let index = Int(part.rawValue) * ComparisonForm.all.count + form.index
        if let text = texts[index] { return text }
        let text =
            switch part {
            case .path: self.text(normalizedPath(form.scalars(of: WebURL.removingDots(url.path))), form)
            case .query: self.text(form.scalars(of: url.query ?? ""), form)
            case .fragment: self.text(form.scalars(of: url.fragment ?? ""), form)
            }
        texts[index] = text
        return text
    }

    /// Returns the values of all query items with a given name. An item without `=` has an empty value.
    ///
    /// Names are compared exactly, because they are not patterns.
    mutating func values(of name: [UInt32], _ form: ComparisonForm) -> [MatchText] {
        if items[form.index] == nil {
            var found: [[UInt32]: [MatchText]] = [:]
            for item in url.query?.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) ?? [] {
                let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
                let value = form.scalars(of: String(item[equals...].dropFirst()) ?? "")
                found[form.scalars(of: String(item[..<equals]) ?? ""), default: []].append(text(value, form))
            }
            items[form.index] = found
        }
        return items[form.index]?[name] ?? []
    }

    private func text(_ scalars: [UInt32], _ form: ComparisonForm) -> MatchText {
        let letters = scalars.map { Unicode.Scalar($0) ?? "\u{FFFD}" }
        return MatchText(
            form.caseSensitive ? scalars : scalars.map(form.folded), shown: String(scalars: letters[...]),
            variants: ignoresCase ? letters.map(\.folded.value) + letters.map(\.upper.value) : [])
    }
}

extension Unicode.Scalar {
    /// The character that replaces this character in case-insensitive comparisons.
    ///
    /// The result is the lower case of the upper case if both are single characters, so positions do not change. Except
    /// for a few letters, the result equals Unicode's simple case folding. Dotless ı differs from i.
    var folded: Unicode.Scalar {
        switch value {
        case 0x41...0x5A: return Unicode.Scalar(UInt8(truncatingIfNeeded: value) | 0x20)
        case 0...0x7F, 0x131: return self
        case _: return Unicode.Scalar.only(of: upper.properties.lowercaseMapping) ?? upper
        }
    }

    fileprivate var upper: Unicode.Scalar { Unicode.Scalar.only(of: properties.uppercaseMapping) ?? self }

    private static func only(of text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, scalars.count == 1 else { return nil }
        return first
    }
}
