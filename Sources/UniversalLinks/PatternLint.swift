import HTTPSClient

/// Finds the problems in a single pattern.
struct PatternLint {
    private(set) var kinds: [UniversalLinks.LinkIssue.Kind] = []

    private let text: String
    private let scalars: [Unicode.Scalar]

    /// - Parameters:
    ///   - text: The pattern as written, without a legacy `NOT `.
    ///   - atoms: The atoms of the pattern.
    ///   - isLegacy: Whether the pattern is an element of `paths`.
    init(_ text: String, atoms: [PatternAtom], part: URLPart, percentEncoded: Bool, isLegacy: Bool) {
        self.text = text
        scalars = Array(text.unicodeScalars)
        let literal = atoms.map { atom -> Unicode.Scalar? in
            guard case .scalar(let value) = atom else { return nil }
            return Unicode.Scalar(value)
        }
        var hasCause = false
        if part == .path {
            checkNot(isLegacy: isLegacy)
            if hasHost {
                kinds.append(.hostInPath(text))
            } else if hasQuery {
                kinds.append(.queryInPath(text))
            }
            if literal.contains("#") { kinds.append(.fragmentInPath(text)) }
            hasCause = !kinds.isEmpty
        }
        if percentEncoded {
            let found = literal.first { $0.map { part.encodes($0) || $0 == "\\" } ?? false } ?? nil
            if let found, !hasCause { kinds.append(.neverAsWritten(text, found, isLegacy: isLegacy)) }
        } else if hasEscape(literal) {
            kinds.append(.escapeWhenDecoded(text, isLegacy: isLegacy))
        }
        for name in unknownVariables(atoms) { kinds.append(.unknownVariable(name)) }
    }

    /// Returns whether a pattern certainly has no problem. The check is fast, and most patterns pass it.
    ///
    /// A pattern that consists of the bytes below has a problem only if it begins with `NOT`.
    static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, first | 0x20 != UInt8(ascii: "n") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "("), UInt8(ascii: ")"):
                true
            case _: false
            }
        }
    }

    private mutating func checkNot(isLegacy: Bool) {
        guard scalars.count >= 3, String(text.prefix(3)).lowercased() == "not" else { return }
        let next = scalars.dropFirst(3).first
        let isUpper = text.hasPrefix("NOT")
        if !isLegacy {
            if isUpper, next == " " { kinds.append(.notInComponent(text)) }
        } else if next?.properties.isWhitespace == true || (isUpper && (next == nil || next == "/" || next == "*")) {
            kinds.append(.malformedNot(text))
        }
    }

    /// Whether the pattern has a scheme, a leading `www.`, or a name with a dot before the first slash.
    private var hasHost: Bool {
        if hasSchemeMark { return true }
        let bare = scalars.drop { $0 == "/" }
        if String(String.UnicodeScalarView(bare.prefix(4))).lowercased() == "www." { return true }
        guard scalars.first != "/", let slash = scalars.firstIndex(of: "/") else {
            return scalars.starts(with: ["/", "/"]) && looksLikeHost(bare.prefix { $0 != "/" })
        }
        return looksLikeHost(scalars[..<slash])
    }

    private var hasSchemeMark: Bool {
        scalars.indices.dropLast(2).contains { scalars[$0...($0 + 2)].elementsEqual([":", "/", "/"]) }
    }

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
    private var hasQuery: Bool {
        for mark in scalars.indices where scalars[mark] == "?" {
            let name = scalars[(mark + 1)...].prefix {
                $0.isASCIILetter || $0.isASCIIDigit || $0 == "-" || $0 == "_" || $0 == "." || $0 == "[" || $0 == "]"
            }
            if !name.isEmpty, name.endIndex < scalars.endIndex, scalars[name.endIndex] == "=" { return true }
        }
        return false
    }

    private func hasEscape(_ literal: [Unicode.Scalar?]) -> Bool {
        literal.indices.dropLast(2).contains { index in
            literal[index] == "%"
                && literal[(index + 1)...(index + 2)].allSatisfy { $0?.properties.isASCIIHexDigit ?? false }
        }
    }

    /// Returns the distinct names of undefined variables.
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
