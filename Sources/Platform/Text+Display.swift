extension BinaryInteger {
    /// Returns the number in hexadecimal digits.
    /// - Parameter width: the minimum number of digits; shorter numbers get leading zeros.
    package func hexadecimal(width: Int = 1, uppercase: Bool = false) -> String {
        let digits = String(self, radix: 16, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(width - digits.count, 0)) + digits
    }
}

extension Int {
    /// The number of bytes with its unit. From 1 KiB on, the number has at most one decimal and is not rounded up.
    package var byteCount: String {
        guard self >= 1 << 10 else { return self == 1 ? "1 byte" : "\(self) bytes" }
        let (unit, name) = self < 1 << 20 ? (1 << 10, "KiB") : (1 << 20, "MiB")
        let tenths = self % unit * 10 / unit
        return "\(self / unit)\(tenths == 0 ? "" : ".\(tenths)") \(name)"
    }
}

extension Sequence<UInt8> {
    package var hexadecimal: String { map { $0.hexadecimal(width: 2) }.joined() }
}

extension UInt8 {
    package static let lineFeed = UInt8(ascii: "\n")
    package static let carriageReturn = UInt8(ascii: "\r")

    package var hexadecimal: String { hexadecimal(width: 2, uppercase: true) }
}

extension Unicode.Scalar {
    /// The usual notation of the code point, such as U+00A0.
    package var code: String { "U+\(value.hexadecimal(width: 4, uppercase: true))" }

    /// The JSON escape of a character in the Basic Multilingual Plane, such as \u0009.
    package var escape: String { "\\u\(value.hexadecimal(width: 4, uppercase: true))" }

    /// The character in quotes, or its code point if it is invisible.
    package var shown: String {
        switch properties.generalCategory {
        case _ where self == " ": "a space"
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned, .privateUse,
            .nonspacingMark, .enclosingMark, .spacingMark, .surrogate:
            code
        case _ where self == "\"": "a straight quote"
        case _: "\"\(self)\""
        }
    }
}

extension String {
    /// Creates a string from scalars. ASCII text, such as a URL, is copied as bytes.
    package init(scalars: ArraySlice<Unicode.Scalar>) {
        guard scalars.allSatisfy(\.isASCII) else {
            var view = UnicodeScalarView()
            view.append(contentsOf: scalars)
            self = String(view)
            return
        }
        self.init(decoding: scalars.map { UInt8(truncatingIfNeeded: $0.value) }, as: UTF8.self)
    }

    /// The text on one line, with escapes for invisible characters and for characters that a terminal interprets.
    package var printable: String {
        if utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
        return String(quoted.dropFirst().dropLast()).replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
    }

    /// The text in quotes, truncated to 80 scalars, about one terminal line.
    package var excerpt: String {
        let limit = 80
        guard unicodeScalars.count > limit else { return quoted }
        return (String(unicodeScalars.prefix(limit)) + "…").quoted
    }

    /// The host as written in a URL: an IPv6 address is in brackets.
    package var bracketed: String { utf8.contains(UInt8(ascii: ":")) ? "[\(self)]" : self }
}

extension StringProtocol {
    /// Returns the text without the characters at its start and end that satisfy a condition.
    package func trimming(_ isRemoved: (Character) -> Bool) -> String {
        let rest = drop(while: isRemoved)
        return rest.lastIndex { !isRemoved($0) }.map { String(rest[...$0]) } ?? ""
    }
}

extension Sequence where Element: Hashable {
    /// The elements without repetitions, in order.
    package var distinct: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

extension [UInt8] {
    /// The rows of a table of tab-separated values, without its header.
    package var tableRows: [[String]] {
        String(decoding: self, as: UTF8.self).split(separator: "\n").dropFirst().map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }
}

/// A value with a secret. Its descriptions omit the secret.
public protocol SecretHolder: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SecretHolder {
    public var debugDescription: String { description }
    /// A mirror with only the description, because `dump` and test failures print mirrors.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
