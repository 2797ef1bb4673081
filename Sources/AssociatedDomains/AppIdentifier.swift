/// The application identifier of an app: `<prefix>.<bundle identifier>`, such as `D3KQX62K1A.com.example.DemoApp`.
///
/// The prefix consists of exactly 10 characters from A–Z and 0–9. The bundle identifier contains only letters, digits,
/// hyphens and dots (Apple, "CFBundleIdentifier"; "Supporting associated domains"). Two additional rules apply:
/// - A label between dots must not be empty. Apple calls a bundle identifier a reverse-DNS string, and no DNS name has
///   an empty label. A device compares the text as written, so an empty label can only be a typo.
/// - A lowercase prefix is rejected. Devices compare the prefix in upper case, but Apple does not document this.
public struct AppIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The number of characters in a prefix.
    public static let prefixLength = 10

    /// The App ID prefix, usually the team identifier.
    public let prefix: String
    /// The bundle identifier. Devices compare it exactly.
    public let bundleIdentifier: String

    public var description: String { "\(prefix).\(bundleIdentifier)" }

    /// Parses an identifier.
    /// - Parameter text: The whole identifier, without surrounding white space.
    public init(_ text: String) throws(Malformed) {
        try AppIdentifier.checkWhole(text)
        let scalars = Array(text.unicodeScalars)
        guard let dot = scalars.firstIndex(of: ".") else { throw .noDot(text) }
        try AppIdentifier.checkPrefix(scalars[..<dot], of: text)
        try AppIdentifier.checkBundleIdentifier(scalars[(dot + 1)...], of: text)
        prefix = String(text.unicodeScalars.prefix(dot))
        bundleIdentifier = String(text.unicodeScalars.dropFirst(dot + 1))
    }

    /// Checks the text as a whole. These checks come first because they produce the clearest messages.
    private static func checkWhole(_ text: String) throws(Malformed) {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { throw .empty }
        if first.properties.isWhitespace || last.properties.isWhitespace { throw .surroundingSpace(text) }
        if scalars.contains("*") { throw .wildcard(text) }
        if isPlaceholder(text) { throw .placeholder(text) }
    }

    /// Returns whether a malformed identifier is a placeholder from a template or tutorial.
    ///
    /// The result is false for every well-formed identifier; see `looksLikePlaceholder`.
    private static func isPlaceholder(_ text: String) -> Bool {
        let brackets: [(Character, Character)] = [("<", ">"), ("(", ")"), ("{", "}"), ("[", "]")]
        if brackets.contains(where: { text.contains($0) && text.contains($1) }) { return true }
        let lowered = text.lowercased()
        let head = lowered.split(separator: ".", omittingEmptySubsequences: false).first ?? ""
        guard head.unicodeScalars.count != prefixLength || head.contains("_") else { return false }
        let letters = head.filter { $0 != "_" && $0 != "-" }
        let names = ["teamid", "teamidentifier", "appid", "appidprefix", "appidentifierprefix", "prefix", "yourteamid"]
        let isCrossedOut = letters.count > 2 && letters.allSatisfy { $0 == "x" }
        return isCrossedOut || lowered.contains("placeholder") || names.contains(letters)
    }

    private static func checkPrefix(_ prefix: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) {
        guard prefix.count == prefixLength else {
            // `com.example.app` is a bundle identifier without a prefix, not an identifier with a short prefix.
            let isLabel = !prefix.isEmpty && prefix.allSatisfy { ("a"..."z").contains($0) }
            throw isLabel ? .noPrefix(text) : .prefixLength(text, length: prefix.count)
        }
        if let index = prefix.firstIndex(where: { !$0.isUpperCaseOrDigit && !$0.isLowerCase }) {
            throw .prefixCharacter(text, prefix[index], position: index + 1)
        }
        guard !prefix.contains(where: \.isLowerCase) else { throw .lowerCasePrefix(text) }
    }

    private static func checkBundleIdentifier(
        _ bundle: ArraySlice<Unicode.Scalar>, of text: String
    ) throws(Malformed) {
        guard !bundle.isEmpty else { throw .noBundleIdentifier(text) }
        var labelIsEmpty = true
        for index in bundle.indices {
            let scalar = bundle[index]
            if scalar == "." {
                if labelIsEmpty { throw .emptyLabel(text, position: index + 1) }
                labelIsEmpty = true
            } else {
                guard scalar.isUpperCaseOrDigit || scalar.isLowerCase || scalar == "-" else {
                    throw .bundleCharacter(text, scalar, position: index + 1)
                }
                labelIsEmpty = false
            }
        }
        if labelIsEmpty { throw .emptyLabel(text, position: bundle.endIndex) }
    }
}

extension Unicode.Scalar {
    fileprivate var isUpperCaseOrDigit: Bool { ("A"..."Z").contains(self) || ("0"..."9").contains(self) }
    fileprivate var isLowerCase: Bool { ("a"..."z").contains(self) }
}
