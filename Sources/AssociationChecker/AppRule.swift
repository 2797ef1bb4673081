import AssociatedDomains

/// The apps that the file names, and those that are asked for.
enum AppRule: String, RuleGroup {
    case notAString = "app-not-a-string"
    case surroundingSpace = "app-surrounding-space"
    case prefixLength = "app-prefix-length"
    case noPrefix = "app-no-prefix"
    case lowerCasePrefix = "app-lower-case-prefix"
    case wildcard = "app-wildcard"
    case placeholder = "app-placeholder"
    case malformed = "app-malformed"
    case twice = "app-twice"
    case noApp = "app-none"
    case notListed = "app-not-listed"
    case listedElsewhere = "app-listed-elsewhere"
    case otherPrefix = "app-other-prefix"
    case otherCase = "app-other-case"

    package var entry: Rule.Entry {
        switch self {
        case .notAString:
            .init(
                "Each element of apps is a string.", because: "A device passes over the others.", .all(.warning),
                .observed)
        case .surroundingSpace:
            .init(
                "No space stands before or after an application identifier.",
                because: "A device does not take it away: the tenth character is no longer the prefix's last one, or "
                    + "the bundle identifier is another.", .all(.warning), .observed)
        case .prefixLength:
            .init(
                "The App ID prefix has 10 characters.",
                because: "A device splits only at a dot that stands right after the tenth character.", .all(.warning),
                .observed)
        case .noPrefix:
            .init(
                "An application identifier begins with the App ID prefix, not with the bundle identifier.",
                because: "A device splits only at a dot that stands right after the tenth character.", .all(.warning),
                .supporting)
        case .lowerCasePrefix:
            .init(
                "The App ID prefix is in upper case.",
                because: "Devices compare it in upper case, but no document promises it.",
                Consequences(documented: .warning, device: .note, legacy: .warning), .observed)
        case .wildcard:
            .init(
                "Each app is named with its whole bundle identifier.",
                because: "There are no wildcards: the star is compared as a star.", .all(.warning), .supporting)
        case .placeholder:
            .init(
                "The stand-in of a template is replaced by the app's identifier.",
                because: "No app has the stand-in as its identifier.", .all(.warning), .observedFiles)
        case .malformed:
            .init(
                "An application identifier is 10 of A-Z and 0-9, a dot, and a bundle identifier of letters, digits, "
                    + "hyphens and dots.", because: "No app can have another one.", .all(.warning), .bundleIdentifier)
        case .twice:
            .init(
                "An app is named once for a service.", because: "The second time changes nothing.", .all(.note),
                .observedFiles)
        case .noApp:
            .init(
                "At least one app that can exist is named.",
                because: "Identifiers that no app can have associate nothing, however well-formed the file is.",
                .all(.denial), .supporting)
        case .notListed:
            .init(
                "The site names the app that asks.", because: "Each has to vouch for the other.", .all(.denial),
                .supporting)
        case .listedElsewhere:
            .init(
                "The app is named for the service that it asks for.",
                because: "Services are apart: one for which an app is named says nothing about the others.",
                .all(.denial), .supporting)
        case .otherPrefix:
            .init(
                "The App ID prefix is that of the app.",
                because: "An app of another team, or with the prefix of an older App ID, is another app.",
                .all(.denial), .supporting)
        case .otherCase:
            .init(
                "The bundle identifier is written in the same case as the app's.",
                because: "A device compares it exactly, although App Store Connect treats both as one.",
                .all(.denial), .observed)
        }
    }

    /// The rule that an identifier breaks.
    init(_ malformed: AppIdentifier.Malformed) {
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
