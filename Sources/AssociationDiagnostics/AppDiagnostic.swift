/// Diagnostics about the apps in the file and the requested apps.
package enum AppDiagnostic: String, DiagnosticGroup {
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
    case notForEveryService = "app-not-for-every-service"
    case otherPrefix = "app-other-prefix"
    case otherCase = "app-other-case"

    private static let dot = "The device splits an identifier only at a dot after the tenth character."

    package var row: Diagnostic.Row {
        switch self {
        case .notAString:
            .init(
                "Each element of \"apps\" is a string.", because: "The device ignores other elements.", .all(.warning),
                .observed, message: "{service}.apps contains {type}.",
                fix: "Write an application identifier as a string.", example: #"{"apps":[7]}"#)
        case .surroundingSpace:
            .init(
                "An application identifier has no leading or trailing space.",
                because: "The device does not remove the space, so no app has this identifier.", .all(.warning),
                .observed, example: #""D3KQX62K1A.com.example.DemoApp ""#)
        case .prefixLength:
            .init(
                "The App ID prefix is 10 characters long.", because: Self.dot, .all(.warning), .observed,
                example: #""D3KQX62K1.com.example.DemoApp""#)
        case .noPrefix:
            .init(
                "An application identifier begins with the App ID prefix, not with the bundle identifier.",
                because: Self.dot, .all(.warning), .supporting, example: #""com.example.DemoApp""#)
        case .lowerCasePrefix:
            .init(
                "The App ID prefix is in upper case.",
                because: "Devices convert the prefix to upper case, but Apple does not document this behavior.",
                SeverityByProfile(device: .note, documented: .warning, ios9: .warning, ios8: .warning)
                    .unproven(in: .documented, .ios9, .ios8), .observed,
                example: #""d3kqx62k1a.com.example.DemoApp""#)
        case .wildcard:
            .init(
                "Each app is listed with its full bundle identifier.",
                because: "Wildcards are not supported. The device treats the asterisk as an ordinary character.",
                .all(.warning), .supporting, example: #""D3KQX62K1A.*""#)
        case .placeholder:
            .init(
                "The file contains no placeholders from a template.",
                because: "No app has a placeholder as its identifier.", .all(.warning), .observedFiles,
                message: "{app} looks like a placeholder{more}.",
                fix: "Write the App ID prefix of the developer account, a dot, and the app's bundle identifier.",
                example: #""TEAMID.com.example.app""#)
        case .malformed:
            .init(
                "An application identifier consists of 10 characters from A-Z and 0-9, a dot and a bundle identifier. "
                    + "A bundle identifier contains only letters, digits, hyphens and dots.",
                because: "No app can have an identifier in another form.", .all(.warning), .bundleIdentifier,
                example: #""D3KQX62K1A.com.example_app""#)
        case .twice:
            .init(
                "Each app is listed only once for a service.", because: "The second entry has no effect.", .all(.note),
                .observedFiles, message: "{app} is listed twice. The first entry is at {first}.",
                fix: "Remove one of the two entries.", example: #"["A.b","A.b"]"#)
        case .noApp:
            .init(
                "The service lists at least one valid application identifier.",
                because: "No app can have any of the listed identifiers, so the service associates no app.",
                .all(.denial), .supporting, message: "{service} lists no valid application identifier.",
                fix: "List an app as PREFIX.BUNDLE-ID, such as D3KQX62K1A.com.example.DemoApp.",
                example: #"{"webcredentials":{"apps":["TEAMID.com.example.app"]}}"#)
        case .notListed:
            .init(
                "The site lists the app.", because: "The app and the site must list each other.", .all(.denial),
                .supporting, message: "{service} does not list {app}{others}.",
                fix: "Add \"{app}\" to the apps of {service}.", example: "only another app's identifier")
        case .listedElsewhere:
            .init(
                "The app is listed for the requested service.",
                because: "Each service lists its own apps.", .all(.denial), .supporting,
                message: "{app} is listed for {present}, not for {service}.",
                fix: "Also list the app for {service}: {addition}.", example: "an app that is listed only for applinks")
        case .notForEveryService:
            .init(
                "An app is listed for each service that it uses.",
                because: "Each service lists its own apps.", .all(.note), .supporting,
                message: "{app} is not listed for {service}.",
                fix: "If the app uses {service}, also list it there. To check only one service, use --service.",
                example: "an app in applinks only, in a file with webcredentials")
        case .otherPrefix:
            .init(
                "The listed App ID prefix matches the app's prefix.",
                because: "An app from another team or with an older App ID prefix is a different app.",
                .all(.denial), .supporting, message: "{service} lists {listed}, but the app is {app}.",
                fix: "Use the App ID prefix of the app: {app}.", example: "the identifier of a previous team")
        case .otherCase:
            .init(
                "The bundle identifier has the same letter case as in the app.",
                because: "The comparison on devices is case-sensitive, although App Store Connect ignores case.",
                .all(.denial), .observed, message: "{service} lists {listed}, but the app is {app}.",
                fix: "Write the identifier exactly as in the app: {app}.",
                example: #""D3KQX62K1A.com.example.demoapp""#)
        }
    }
}
