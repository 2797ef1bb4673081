import AssociatedDomains
import MotivatorPlatform
import SourceJSON

/// Issues with the apps in the file and with the requested apps. `AppIdentifier.Malformed` has the issues with an
/// identifier.
enum AppIssue: CatalogIssue {
    case notAString(Service, JSONValue.Kind)
    /// One or more placeholders, with the first one.
    case placeholder(String, more: Int)
    case twice(String, first: SourceLocation)
    case noApp(Service)
    case notListed(AppIdentifier, Service, listed: [String])
    case listedElsewhere(AppIdentifier, Service, present: Service)
    case notForEveryService(AppIdentifier, Service)
    case otherPrefix(AppIdentifier, Service, listed: String)
    case otherCase(AppIdentifier, Service, listed: String)

    static let title = "Apps"
    static let examples: [AppIssue] = {
        guard let app = try? AppIdentifier(Service.exampleApp) else { return [] }
        return [
            .notAString(.webcredentials, .number), .placeholder("TEAMID.com.example.app", more: 0),
            .twice("A.b", first: .start), .noApp(.webcredentials),
            .notListed(app, .webcredentials, listed: []),
            .listedElsewhere(app, .webcredentials, present: .applinks), .notForEveryService(app, .webcredentials),
            .otherPrefix(app, .webcredentials, listed: ""), .otherCase(app, .webcredentials, listed: ""),
        ]
    }()

    var entry: CatalogEntry {
        switch self {
        case .notAString(let service, let kind):
            .init(
                "app-not-a-string", "Each element of \"apps\" is a string.",
                because: "The device ignores other elements.", .all(.warning), .observed,
                example: #"["D3KQX62K1A.com.example.DemoApp",7]"#, fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#,
                problem: "\(service.rawValue).apps contains \(kind.rawValue)",
                fix: "Write an application identifier as a string, or remove the element")
        case .placeholder(let text, let more):
            AppIdentifier.Malformed.placeholder(text).entry.with(
                problem: "\(text.excerpt) looks like a placeholder"
                    + (more == 0 ? "" : ", and so \(more == 1 ? "does 1 other app" : "do \(more) other apps")"))
        case .twice(let text, let first):
            AppIdentifier.repeated("\(text.excerpt) is listed twice. The first entry is at \(first)")
        case .noApp(let service):
            .init(
                "app-none", "The service lists at least one valid application identifier.",
                because: "Without one, the service associates no app.", .all(.denial), .supporting, example: "[]",
                fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#,
                problem: "\(service.rawValue) lists no valid application identifier",
                fix: "List an app as PREFIX.BUNDLE-ID, such as \(Service.exampleApp)")
        case .notListed(let app, let service, let listed):
            .init(
                "app-not-listed", "The site lists the app.", because: "The app and the site must list each other.",
                .all(.denial), .supporting, example: #"["D3KQX62K1A.com.example.Other"]"#,
                fixed: #"["D3KQX62K1A.com.example.Other","D3KQX62K1A.com.example.DemoApp"]"#,
                problem: "\(service.rawValue) does not list \(app)\(Self.others(listed))",
                fix: "Add \"\(app)\" to the \(service == .applinks ? "appIDs of a detail" : "apps") of "
                    + service.rawValue)
        case .listedElsewhere(let app, let service, let present):
            .init(
                "app-listed-elsewhere", "The app is listed for the requested service.",
                because: "Each service lists its own apps.", .all(.denial), .supporting,
                example: #"{"webcredentials":{"apps":["…Other"]},"appclips":{"apps":["…DemoApp"]}}"#,
                fixed: #"{"webcredentials":{"apps":["…Other","…DemoApp"]},"appclips":{"apps":["…DemoApp"]}}"#,
                problem: "\(app) is listed for \(present.rawValue), not for \(service.rawValue)",
                fix: "Also list the app for \(service.rawValue): \(service.member(app))")
        case .notForEveryService(let app, let service):
            .init(
                "app-not-for-every-service", "An app is listed for each service that it uses.",
                because: "Each service lists its own apps.", .all(.note), .supporting,
                example: #"{"webcredentials":{"apps":["…Other"]},"appclips":{"apps":["…DemoApp"]}}"#,
                fixed: #"{"webcredentials":{"apps":["…Other","…DemoApp"]},"appclips":{"apps":["…DemoApp"]}}"#,
                problem: "\(app) is not listed for \(service.rawValue)",
                fix: "If the app uses \(service.rawValue), also list it there. To check only one service, use --service"
            )
        case .otherPrefix(let app, let service, let listed):
            .init(
                "app-other-prefix", "The listed App ID prefix matches the app's prefix.",
                because: "An app from another team or with an older App ID prefix is a different app.", .all(.denial),
                .supporting, example: #"["A3KQX62K1A.com.example.DemoApp"]"#,
                fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#,
                problem: "\(service.rawValue) lists \(listed.excerpt), but the app is \(app)",
                fix: "Use the App ID prefix of the app: \(app)")
        case .otherCase(let app, let service, let listed):
            .init(
                "app-other-case", "The bundle identifier has the same letter case as in the app.",
                because: "The comparison on devices is case-sensitive, although App Store Connect ignores case.",
                .all(.denial), .observed, example: #"["D3KQX62K1A.com.example.demoapp"]"#,
                fixed: #"["D3KQX62K1A.com.example.DemoApp"]"#,
                problem: "\(service.rawValue) lists \(listed.excerpt), but the app is \(app)",
                fix: "Write the identifier exactly as in the app: \(app)")
        }
    }

    private static func others(_ listed: [String]) -> String {
        let shown = listed.prefix(3).map(\.excerpt).joined(separator: ", ")
        return shown.isEmpty ? "" : ", only \(shown)\(listed.count > 3 ? " and others" : "")"
    }
}
