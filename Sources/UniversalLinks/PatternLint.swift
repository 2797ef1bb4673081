import HTTPSClient
import MotivatorPlatform
import SourceJSON

/// Finds the problems in a single pattern.
struct PatternLint {
    private(set) var kinds: [UniversalLinks.LinkIssue.Kind] = []
    /// Whether the first problem keeps the pattern from matching any URL.
    private(set) var neverMatches = false

    private let text: String
    private let scalars: [Unicode.Scalar]
    private let host: String?

    /// - Parameters:
    ///   - text: The pattern as written, without a legacy `NOT `.
    ///   - legacyPrefix: `NOT ` or nothing before an element of `paths`, or nil for another pattern.
    ///   - foreign: The construct of another pattern language in the pattern.
    init(
        _ text: String, atoms: [PatternAtom], part: URLPart, percentEncoded: Bool, legacyPrefix: String?,
        host: String?, foreign: ForeignSyntax?, variables: JSONObject?
    ) {
        (self.text, self.host) = (text, host)
        scalars = Array(text.unicodeScalars)
        let isLegacy = legacyPrefix != nil
        let literal = atoms.map { atom -> Unicode.Scalar? in
            guard case .scalar(let value) = atom else { return nil }
            return Unicode.Scalar(value)
        }
        let encoded = percentEncoded ? literal.first { $0.map { part.encodes($0) || $0 == "\\" } ?? false } ?? nil : nil
        if part == .path {
            checkNot(isLegacy: isLegacy)
            if hasHost {
                let folder = hasKnownHost ? nil : String(String.UnicodeScalarView(firstSegment))
                kinds.append(.hostInPath(text, path: pathAfterHost, folder: folder))
            } else if hasQuery {
                kinds.append(.queryInPath(text, isLegacy: isLegacy))
            }
            if literal.contains("#") { kinds.append(.fragmentInPath(text, isLegacy: isLegacy)) }
        }
        let trimmed = text.trimming(\.isWhitespace)
        var isForeign = false
        if kinds.isEmpty, !trimmed.isEmpty, trimmed != text {
            kinds.append(.surroundingSpace((legacyPrefix ?? "") + text, trimmed: (legacyPrefix ?? "") + trimmed))
        } else if kinds.isEmpty, let foreign {
            isForeign = true
            let patterns = foreign.patterns.map { (legacyPrefix ?? "") + $0 }
            kinds.append(.foreignSyntax(text, construct: foreign.construct, patterns: patterns))
        } else if let encoded, kinds.isEmpty {
            kinds.append(.neverAsWritten(text, encoded, isLegacy: isLegacy))
        } else if !percentEncoded, hasEscape(literal) {
            kinds.append(.escapeWhenDecoded(text, isLegacy: isLegacy))
        }
        let names = isForeign ? [] : unknownVariables(atoms)
        kinds += names.map { .unknownVariable($0, inDetail: variables?.member($0)?.keyLocation) }
        neverMatches = encoded != nil || !names.isEmpty || (part == .path && hasKnownHost)
    }

    /// Returns whether a pattern certainly has no problem. The check is fast, and most patterns pass it.
    ///
    /// A path pattern that begins with a slash or a star and consists of the bytes below has no problem.
    static func isPlain(_ text: String, _ part: URLPart) -> Bool {
        guard part != .path || text.utf8.first == UInt8(ascii: "/") || text.utf8.first == UInt8(ascii: "*") else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "/-_*?()".utf8.contains(byte)
        }
    }

    /// Returns the pattern without a leading `?` or `#` that does not belong to it, or nil if it has none.
    ///
    /// A `?` can also be one character of the query, such as in `?*`. Before the name of an item, it is a mistake.
    static func withoutDelimiter(_ text: String, _ part: URLPart) -> String? {
        let isQuery = part == .query && text.prefixMatch(of: #/\?[A-Za-z0-9\-_.%\[\]]+=/#) != nil
        guard isQuery || part == .fragment && text.utf8.first == UInt8(ascii: "#") else { return nil }
        return text == "#*" ? "?*" : String(text.unicodeScalars.dropFirst())
    }

    private mutating func checkNot(isLegacy: Bool) {
        // Other pattern languages use "!".
        if text.hasPrefix("!/") || text.hasPrefix("!*") {
            kinds.append(isLegacy ? .malformedNot(text) : .notInComponent(text))
        }
        guard scalars.count >= 3, String(text.prefix(3)).lowercased() == "not" else { return }
        let next = scalars.dropFirst(3).first
        let isUpper = text.hasPrefix("NOT")
        if !isLegacy {
            if isUpper, next == " " { kinds.append(.notInComponent(text)) }
        } else if next?.properties.isWhitespace == true || (isUpper && (next == nil || next == "/" || next == "*")) {
            kinds.append(.malformedNot(text))
        }
    }

    private var pathAfterHost: String {
        let scheme = hasScheme ? text.firstRange(of: "://") : nil
        let rest = scheme.map { text[$0.upperBound...] } ?? text.drop { $0 == "/" }
        return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
    }

    private var hasScheme: Bool {
        scalars.contains(":") && text.prefixMatch(of: #/\/*[A-Za-z*?][A-Za-z0-9+.\-*?]*:\/\//#) != nil
    }

    private var firstSegment: ArraySlice<Unicode.Scalar> { scalars.drop { $0 == "/" }.prefix { $0 != "/" } }

    private var firstName: String { String(String.UnicodeScalarView(firstSegment)).lowercased() }

    /// Whether the first segment is a folder or file, because one slash is before it.
    private var isAfterSlash: Bool { scalars.first == "/" && !scalars.starts(with: ["/", "/"]) }

    /// Whether the pattern has a host, or a name that looks like a host. After a slash, such a name can be a folder, and
    /// is not the host of the file.
    private var hasHost: Bool {
        let isFolder = firstSegment.endIndex < scalars.endIndex
        let mayHaveHost = isAfterSlash ? host == nil && isFolder && hasCommonDomain : isFolder || scalars.first == "/"
        return hasKnownHost || (mayHaveHost && looksLikeHost(firstSegment))
    }

    /// Whether the pattern certainly has a host: a scheme, a leading `www.`, the host of the file, or a common top-level
    /// domain without a slash before it.
    private var hasKnownHost: Bool {
        hasScheme || firstName.hasPrefix("www.") || firstName == host
            || (!isAfterSlash && firstSegment.endIndex < scalars.endIndex && hasCommonDomain
                && looksLikeHost(firstSegment))
    }

    private var hasCommonDomain: Bool { Self.topLevelDomains.contains(where: firstName.hasSuffix) }

    /// The ends of names that are hosts rather than files or folders.
    private static let topLevelDomains = [".com", ".org", ".net", ".edu", ".gov", ".io", ".app", ".dev", ".test"]

    private func looksLikeHost(_ name: ArraySlice<Unicode.Scalar>) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let last = labels.last, last.count >= 2, last.allSatisfy(\.isASCIILetter) else {
            return false
        }
        return labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == "-" || $0 == "*" }
        }
    }

    /// Whether the pattern contains `?name=`. Other uses of `?` are common, such as `?*` for one or more characters.
    private var hasQuery: Bool { scalars.contains("?") && text.contains(#/\?[A-Za-z0-9\-_.\[\]]+=/#) }

    private func hasEscape(_ literal: [Unicode.Scalar?]) -> Bool {
        literal.indices.dropLast(2).contains { index in
            literal[index] == "%"
                && literal[(index + 1)...(index + 2)].allSatisfy { $0?.properties.isASCIIHexDigit ?? false }
        }
    }

    private func unknownVariables(_ atoms: [PatternAtom]) -> [String] {
        let (dollar, open, close) = (UInt32(0x24), UInt32(0x28), UInt32(0x29))
        var names: [String] = []
        var seen: Set<String> = []
        var name: [PatternAtom]?
        for (index, atom) in atoms.enumerated() {
            if atom == .scalar(dollar), index + 1 < atoms.count, atoms[index + 1] == .scalar(open) {
                name = []
            } else if atom == .scalar(close), let found = name {
                let text = PatternAtom.text(found.dropFirst())
                if seen.insert(text).inserted { names.append(text) }
                name = nil
            } else if case .variable = atom {
                name = nil
            } else {
                name?.append(atom)
            }
        }
        return names
    }
}
