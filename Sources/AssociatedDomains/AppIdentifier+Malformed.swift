import Platform

extension AppIdentifier {
    /// Why a text is no application identifier.
    ///
    /// Positions count Unicode scalars of the text from 1.
    public enum Malformed: ExplainedError, Hashable, Sendable {
        case empty
        /// White space in front or behind, which a device does not take away.
        case surroundingSpace(String)
        /// A `*`: associated domains know no wildcard bundle identifiers.
        case wildcard(String)
        /// A stand-in of a template, such as `TEAMID.com.example.app`.
        case placeholder(String)
        /// No dot at all.
        case noDot(String)
        /// A bundle identifier alone.
        case noPrefix(String)
        /// Something other than 10 characters before the first dot.
        case prefixLength(String, length: Int)
        case lowerCasePrefix(String)
        case prefixCharacter(String, Unicode.Scalar, position: Int)
        /// Nothing after the dot.
        case noBundleIdentifier(String)
        /// Two dots in a row, or one at the beginning or the end of the bundle identifier.
        case emptyLabel(String, position: Int)
        case bundleCharacter(String, Unicode.Scalar, position: Int)

        public var problem: String {
            switch self {
            case .empty: "the application identifier is empty"
            case .surroundingSpace(let text):
                "the application identifier \(text.excerpt) has a space or line break at its beginning or end"
            case .wildcard(let text):
                "the application identifier \(text.excerpt) has a wildcard, which associated domains do not know"
            case .placeholder(let text): "\(text.excerpt) is a placeholder, not an application identifier"
            case .noDot(let text):
                "the application identifier \(text.excerpt) has no dot between prefix and bundle identifier"
            case .noPrefix(let text): "the application identifier \(text.excerpt) has no App ID prefix"
            case .prefixLength(let text, let length):
                "the application identifier \(text.excerpt) has \(length) character\(length == 1 ? "" : "s") "
                    + "before its first dot, not \(AppIdentifier.prefixLength)"
            case .lowerCasePrefix(let text):
                "the application identifier \(text.excerpt) has lower-case letters in its App ID prefix"
            case .prefixCharacter(let text, let scalar, let position):
                "the application identifier \(text.excerpt) has \(scalar.shown) at character \(position), in its prefix"
            case .noBundleIdentifier(let text):
                "the application identifier \(text.excerpt) has no bundle identifier after its dot"
            case .emptyLabel(let text, let position):
                "the application identifier \(text.excerpt) has a needless dot at character \(position)"
            case .bundleCharacter(let text, let scalar, let position):
                "the application identifier \(text.excerpt) has \(scalar.shown) at character \(position), "
                    + "in its bundle identifier"
            }
        }

        public var fix: String {
            switch self {
            case .empty, .noDot: "Write it as PREFIX.BUNDLE-ID, such as D3KQX62K1A.com.example.DemoApp"
            case .surroundingSpace: "Remove the space"
            case .wildcard: "Name each app with its whole bundle identifier"
            case .placeholder:
                "Put in the identifier of the app: the App ID prefix of the developer account, a dot, the bundle identifier"
            case .noPrefix:
                "Put the App ID prefix, 10 characters shown beside the App ID in the developer account, and a dot in front"
            case .prefixLength:
                "Copy the App ID prefix anew from the developer account: it is 10 of the characters A-Z and 0-9"
            case .lowerCasePrefix: "Write the prefix in upper-case letters"
            case .prefixCharacter: "Use only A-Z and 0-9 in the prefix"
            case .noBundleIdentifier: "Put the bundle identifier of the app after the dot"
            case .emptyLabel: "Remove the dot"
            case .bundleCharacter: "Use only letters, digits, hyphens and dots in the bundle identifier"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
