package import AssociationDiagnostics
public import MotivatorPlatform

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
}

extension AppIdentifier {
    package static func repeated(_ problem: String) -> CatalogEntry {
        .init(
            "app-twice", "Each app is listed only once for a service.", because: "The second entry has no effect.",
            .all(.note), .observedFiles,
            example: #"["D3KQX62K1A.com.example.DemoApp","D3KQX62K1A.com.example.DemoApp"]"#,
            fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#, problem: problem, fix: "Remove one of the two entries")
    }
}

extension AppIdentifier.Malformed: CatalogIssue {
    package static let title = "Apps"
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
                "Copy the App ID prefix again from the developer account: it consists of 10 characters from A-Z "
                    + "and 0-9")
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
                "Use the bundle identifier of the app. It contains only letters, digits, hyphens and dots")
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
