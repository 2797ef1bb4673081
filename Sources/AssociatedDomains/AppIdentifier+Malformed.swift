public import MotivatorPlatform

extension AppIdentifier {
    /// The reason a string is not an application identifier.
    ///
    /// Positions are in Unicode scalars, starting at 1.
    public enum Malformed: ExplainedError, Hashable, Sendable {
        case empty
        /// Leading or trailing white space, which a device does not remove.
        case surroundingSpace(String)
        /// A `*`. Associated domains do not support wildcard bundle identifiers.
        case wildcard(String)
        /// A placeholder from a template, such as `TEAMID.com.example.app`.
        case placeholder(String)
        /// An identifier without a dot.
        case noDot(String)
        /// A bundle identifier without a prefix.
        case noPrefix(String)
        /// A prefix that is not 10 characters long.
        case prefixLength(String, length: Int)
        case lowerCasePrefix(String)
        case prefixCharacter(String, Unicode.Scalar, position: Int)
        /// No bundle identifier after the dot.
        case noBundleIdentifier(String)
        /// Consecutive dots in the bundle identifier, or a leading or trailing dot.
        case emptyLabel(String, position: Int)
        case bundleCharacter(String, Unicode.Scalar, position: Int)

        public var problem: String {
            switch self {
            case .empty: "the application identifier is empty"
            case .surroundingSpace(let text):
                "the application identifier \(text.excerpt) begins or ends with a space or line break"
            case .wildcard(let text):
                "the application identifier \(text.excerpt) has a wildcard, which associated domains do not support"
            case .placeholder(let text): "\(text.excerpt) is a placeholder, not an application identifier"
            case .noDot(let text):
                "the application identifier \(text.excerpt) has no dot between prefix and bundle identifier"
            case .noPrefix(let text): "the application identifier \(text.excerpt) has no App ID prefix"
            case .prefixLength(let text, let length):
                "the application identifier \(text.excerpt) has \(length) character\(length == 1 ? "" : "s") "
                    + "before its first dot, not \(AppIdentifier.prefixLength)"
            case .lowerCasePrefix(let text):
                "the application identifier \(text.excerpt) has lowercase letters in its App ID prefix"
            case .prefixCharacter(let text, let scalar, let position):
                "the application identifier \(text.excerpt) contains \(scalar.shown) at character \(position), "
                    + "in its prefix"
            case .noBundleIdentifier(let text):
                "the application identifier \(text.excerpt) has no bundle identifier after its dot"
            case .emptyLabel(let text, let position):
                "the application identifier \(text.excerpt) has an unnecessary dot at character \(position)"
            case .bundleCharacter(let text, let scalar, let position):
                "the application identifier \(text.excerpt) contains \(scalar.shown) at character \(position), "
                    + "in its bundle identifier"
            }
        }

        public var fix: String {
            switch self {
            case .empty, .noDot: "Use the form PREFIX.BUNDLE-ID, as in D3KQX62K1A.com.example.DemoApp"
            case .surroundingSpace: "Remove the space"
            case .wildcard: "List each app with its full bundle identifier"
            case .placeholder:
                "Write the app's identifier: the App ID prefix, a dot and the bundle identifier"
            case .noPrefix:
                "Add the App ID prefix before it: 10 characters from the developer account, followed by a dot"
            case .prefixLength:
                "Copy the App ID prefix again from the developer account: it consists of 10 characters from A-Z and 0-9"
            case .lowerCasePrefix: "Write the prefix in uppercase letters"
            case .prefixCharacter: "Use only A-Z and 0-9 in the prefix"
            case .noBundleIdentifier: "Put the bundle identifier of the app after the dot"
            case .emptyLabel: "Remove the dot"
            case .bundleCharacter: "Use only letters, digits, hyphens and dots in the bundle identifier"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}

extension AppDiagnostic {
    /// Creates the diagnostic for a malformed identifier.
    package init(_ malformed: AppIdentifier.Malformed) {
        self =
            switch malformed {
            case .surroundingSpace: .surroundingSpace
            case .wildcard: .wildcard
            case .placeholder: .placeholder
            case .noPrefix: .noPrefix
            case .prefixLength: .prefixLength
            case .lowerCasePrefix: .lowerCasePrefix
            case .empty, .noDot, .prefixCharacter, .noBundleIdentifier, .emptyLabel, .bundleCharacter: .malformed
            }
    }
}
