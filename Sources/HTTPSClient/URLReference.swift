import MotivatorPlatform

/// The percent-encoded parts of a URL or a relative reference (RFC 3986, appendix B).
struct URLReference {
    package let scheme: String?
    package let authority: URLAuthority?
    package let path: String
    package let query: String?
    package let fragment: String?

    init(_ text: String) throws(WebURL.Malformed) {
        let scalars = Array(text.unicodeScalars)
        try URLReference.check(scalars, of: text)
        var rest = scalars[...]

        var scheme: String?
        if let end = URLReference.endOfScheme(scalars) {
            scheme = String(scalars: rest[..<end]).lowercased()
            rest = rest[(end + 1)...]
        }
        if let scheme, scheme != "https", scheme != "http" {
            // In `example.com:8080/…`, the text before the colon looks like a scheme, but it is a host.
            throw scheme.contains(".") || scheme == "localhost" ? .noScheme(text) : .otherScheme(text, scheme: scheme)
        }
        self.scheme = scheme

        if rest.starts(with: ["/", "/"]) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
            authority = try URLAuthority(rest[..<end], of: text)
            rest = rest[end...]
        } else {
            authority = nil
        }

        let parts = rest.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        fragment = parts.count > 1 ? URLPart.fragment.encode(parts[1]) : nil
        let target = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = target.count > 1 ? URLPart.query.encode(target[1]) : nil
        path = URLPart.path.encode(target[0])
    }

    private static func check(_ scalars: [Unicode.Scalar], of text: String) throws(WebURL.Malformed) {
        for (index, scalar) in scalars.enumerated() {
            switch scalar {
            case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}": throw .controlCharacter(text, scalar, position: index + 1)
            case "\\": throw .backslash(text, position: index + 1)
            case "%":
                let digits = scalars[(index + 1)...].prefix(2)
                guard digits.count == 2, digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else {
                    throw .loneEscape(text, position: index + 1)
                }
            case _: continue
            }
        }
    }

    /// Returns the index of the colon after a scheme, or nil if there is none.
    private static func endOfScheme(_ scalars: [Unicode.Scalar]) -> Int? {
        guard let first = scalars.first, first.isASCIILetter else { return nil }
        let end = scalars.firstIndex { scalar in
            !(scalar.isASCIILetter || scalar.isASCIIDigit || scalar == "+" || scalar == "-" || scalar == ".")
        }
        guard let end, scalars[end] == ":" else { return nil }
        return end
    }
}

extension Unicode.Scalar {
    package var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }
    package var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
