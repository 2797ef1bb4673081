extension UInt8 {
    package static let lineFeed = UInt8(ascii: "\n")
    package static let carriageReturn = UInt8(ascii: "\r")

    /// Two upper-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }
}

extension Unicode.Scalar {
    /// The code point as it is usually written, such as U+00A0.
    package var code: String { "U+\(fourDigits)" }

    /// The escape of a JSON string for a character of the basic plane, such as \u0009.
    package var escape: String { "\\u\(fourDigits)" }

    /// The character in quotes, or its code point when it cannot be seen.
    package var shown: String {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .unassigned, .privateUse,
            .nonspacingMark, .enclosingMark, .spacingMark, .surrogate:
            code
        case _ where self == "\"": "a straight quote"
        case _: "\"\(self)\""
        }
    }

    private var fourDigits: String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: Swift.max(0, 4 - digits.count)) + digits
    }
}

extension String {
    /// The text on one line, with characters that a terminal interprets, or that are invisible, shown as escapes.
    package var printable: String {
        String(quoted.dropFirst().dropLast()).replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
    }

    /// The text in quotes, cut after 80 scalars: a line of a terminal, whatever a file holds.
    package var excerpt: String {
        let limit = 80
        guard unicodeScalars.count > limit else { return quoted }
        return (String(unicodeScalars.prefix(limit)) + "…").quoted
    }
}
