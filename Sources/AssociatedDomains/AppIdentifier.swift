package import AssociationDiagnostics
public import MotivatorPlatform

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

    private static func checkBundleIdentifier(_ bundle: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) {
        guard !bundle.isEmpty else { throw .noBundleIdentifier(text) }
        for label in bundle.split(separator: ".", omittingEmptySubsequences: false) {
            guard !label.isEmpty else { throw .emptyLabel(text, position: min(label.startIndex + 1, bundle.endIndex)) }
            if let index = label.firstIndex(where: { !$0.isUpperCaseOrDigit && !$0.isLowerCase && $0 != "-" }) {
                throw .bundleCharacter(text, label[index], position: index + 1)
            }
        }
    }

    /// Whether a well-formed identifier looks like a placeholder from a template, such as
    /// `XXXXXXXXXX.com.yourcompany.app`. Real apps are unlikely to have such an identifier.
    public var looksLikePlaceholder: Bool {
        // A prefix looks made up if it is a sequence of letters or digits, one repeated character, or a word.
        let runs = [
            "ABCDE12345", "ABCDEF1234", "ABCD123456", "ABC1234567", "AB12345678", "A123456789", "ABCDEFG123",
            "12345ABCDE", "ABCDEFGHIJ", "1234567890", "0123456789", "9876543210", "QWERTYUIOP",
        ]
        let labels = bundleIdentifier.lowercased().split(separator: ".").map { String($0).replacing("-", with: "") }
        let words: Set = [
            "yourcompany", "yourcompanyname", "yourorganization", "yourorg", "yourdomain", "yourapp", "yourappname",
            "yourname", "yourbundleid", "yourbundleidentifier", "bundleid", "bundleidentifier", "companyname",
            "mycompany", "mydomain", "placeholder",
        ]
        return runs.contains(prefix) || Set(prefix).count == 1
            || ["TEAMID", "YOURTEAM", "YOURID", "APPID", "XXXXX"].contains { prefix.contains($0) }
            || labels.first == "your" || labels.contains { words.contains($0) }
    }
}

extension Unicode.Scalar {
    fileprivate var isUpperCaseOrDigit: Bool { ("A"..."Z").contains(self) || ("0"..."9").contains(self) }
    fileprivate var isLowerCase: Bool { ("a"..."z").contains(self) }
}

// MARK: - Issues

extension AppIdentifier {
    /// The reason a string is not an application identifier.
    ///
    /// Positions are in Unicode scalars, starting at 1.
    public enum Malformed: ExplainedError, Hashable, Sendable {
        case empty
        case surroundingSpace(String)
        case wildcard(String)
        case placeholder(String)
        case noDot(String)
        case noPrefix(String)
        case prefixLength(String, length: Int)
        case lowerCasePrefix(String)
        case prefixCharacter(String, Unicode.Scalar, position: Int)
        case noBundleIdentifier(String)
        /// Consecutive dots in the bundle identifier, or a leading or trailing dot.
        case emptyLabel(String, position: Int)
        case bundleCharacter(String, Unicode.Scalar, position: Int)

        public var problem: String { entry.problem }
        public var fix: String { entry.fix }
        public var exitCode: ExitCode { .badInput }
    }

    package static func repeated(_ problem: String) -> CatalogEntry {
        .init(
            "app-twice", "Each app is listed only once for a service.", because: "The second entry has no effect.",
            .all(.note), .observedFiles,
            example: #"["D3KQX62K1A.com.example.DemoApp","D3KQX62K1A.com.example.DemoApp"]"#,
            fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#, problem: problem, fix: "Remove one of the two entries")
    }
}

extension AppIdentifier.Malformed: CatalogIssue {
    package static let examples: [AppIdentifier.Malformed] = [
        .surroundingSpace(""), .prefixLength("", length: 9), .noPrefix(""), .lowerCasePrefix(""), .wildcard(""), .empty,
    ]
    private static let dot = "The device splits an identifier only at a dot after the tenth character."
    private static let form = "Use the form PREFIX.BUNDLE-ID, as in D3KQX62K1A.com.example.DemoApp"

    package var entry: CatalogEntry {
        switch self {
        case .surroundingSpace(let text):
            warned(
                "app-surrounding-space", "An application identifier has no leading or trailing space.",
                "The device does not remove the space, so no app has this identifier.", .observed,
                #"["D3KQX62K1A.com.example.DemoApp "]"#, text, "begins or ends with a space or line break",
                "Remove the space")
        case .prefixLength(let text, let length):
            warned(
                "app-prefix-length", "The App ID prefix is 10 characters long.", Self.dot, .observed,
                #"["D3KQX62K1.com.example.DemoApp"]"#, text,
                "has \(length) character\(length == 1 ? "" : "s") before its first dot, not "
                    + "\(AppIdentifier.prefixLength)",
                text.utf8.dropFirst(AppIdentifier.prefixLength).first.map { ":/_- ".utf8.contains($0) } == true
                    ? "Write a dot after the tenth character"
                    : "Copy the App ID prefix again from the developer account. It has 10 characters: A-Z and 0-9")
        case .noPrefix(let text):
            warned(
                "app-no-prefix",
                "An application identifier begins with the App ID prefix, not with the bundle identifier.", Self.dot,
                .supporting, #"["com.example.DemoApp"]"#, text, "has no App ID prefix",
                "Add the App ID prefix before it: 10 characters from the developer account, followed by a dot")
        case .lowerCasePrefix(let text):
            .init(
                "app-lower-case-prefix", "The App ID prefix is in upper case.",
                because: "Devices convert the prefix to upper case, but Apple does not document this behavior.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .warning, ios8: .warning)
                    .unproven(in: .documented, .ios9, .ios8), .observed,
                example: #"["d3kqx62k1a.com.example.DemoApp"]"#, fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#,
                problem: "the application identifier \(text.excerpt) has lowercase letters in its App ID prefix",
                fix: "Write the prefix in uppercase letters")
        case .wildcard(let text):
            warned(
                "app-wildcard", "Each app is listed with its full bundle identifier.",
                "Wildcards are not supported. The device treats the asterisk as an ordinary character.", .supporting,
                #"["D3KQX62K1A.*"]"#, text, "has a wildcard, which associated domains do not support",
                "List each app with its full bundle identifier")
        case .placeholder(let text):
            warned(
                "app-placeholder", "The file contains no placeholders from a template.",
                "No app has a placeholder as its identifier.", .observedFiles, #"["TEAMID.com.example.app"]"#, text, "",
                "Write the App ID prefix of the developer account, a dot, and the app's bundle identifier"
            ).with(problem: "\(text.excerpt) is a placeholder, not an application identifier")
        case .empty: malformed("", "", Self.form).with(problem: "the application identifier is empty")
        case .noDot(let text): malformed(text, "has no dot between prefix and bundle identifier", Self.form)
        case .prefixCharacter(let text, let scalar, let position):
            malformed(
                text, "contains \(scalar.shown) at character \(position), in its prefix",
                "Use only A-Z and 0-9 in the prefix")
        case .noBundleIdentifier(let text):
            malformed(
                text, "has no bundle identifier after its dot", "Put the bundle identifier of the app after the dot")
        case .emptyLabel(let text, let position):
            malformed(text, "has an unnecessary dot at character \(position)", "Remove the dot")
        case .bundleCharacter(let text, let scalar, let position):
            malformed(
                text, "contains \(scalar.shown) at character \(position), in its bundle identifier",
                scalar == "," || scalar == ";" || scalar == " "
                    ? "Use the bundle identifier of the app. If these are several identifiers, write one in each string"
                    : "Use the bundle identifier of the app. It contains only letters, digits, hyphens and dots")
        }
    }

    private func malformed(_ text: String, _ problem: String, _ fix: String) -> CatalogEntry {
        warned(
            "app-malformed",
            "An application identifier consists of 10 characters from A-Z and 0-9, a dot and a bundle identifier. "
                + "A bundle identifier contains only letters, digits, hyphens and dots.",
            "No app can have an identifier in another form.", .bundleIdentifier,
            #"["D3KQX62K1A.com.example_app"]"#, text, problem, fix)
    }

    private func warned(
        _ code: String, _ rule: String, _ reason: String, _ source: Source, _ example: String, _ text: String,
        _ problem: String, _ fix: String
    ) -> CatalogEntry {
        .init(
            code, rule, because: reason, .all(.warning), source, example: example,
            fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#,
            problem: "the application identifier \(text.excerpt) \(problem)", fix: fix)
    }
}
