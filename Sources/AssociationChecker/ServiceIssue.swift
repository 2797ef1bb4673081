import AssociatedDomains
import MotivatorPlatform
import SourceJSON

enum ServiceIssue: CatalogIssue {
    case notAnObject(JSONValue.Kind)
    /// A file without a service, with its keys.
    case noService(keys: [String])
    case missing(Service, present: [Service], app: AppIdentifier?)
    case notInVersion(Service, systems: String)
    case misspelt(String, meant: Service)
    case unknown(String)
    /// A service that is not an object, with the apps in its array.
    case wrongType(Service, JSONValue.Kind, apps: [String])
    case keyMisspelt(Service, String)
    case keyUnknown(Service, String)
    case noApps(Service)
    case appsWrongType(Service, JSONValue.Kind, text: String?)
    case appsEmpty(Service)

    static let title = "Services"
    static let examples: [ServiceIssue] = [
        .notAnObject(.array), .noService(keys: []), .missing(.webcredentials, present: [.applinks], app: nil),
        .notInVersion(.applinks, systems: "iOS 8"), .misspelt("appLinks", meant: .applinks), .unknown("owner"),
        .wrongType(.webcredentials, .array, apps: []), .keyMisspelt(.webcredentials, "Apps"),
        .keyUnknown(.webcredentials, "owner"), .noApps(.appclips), .appsWrongType(.webcredentials, .string, text: nil),
        .appsEmpty(.webcredentials),
    ]

    var entry: CatalogEntry {
        switch self {
        case .notAnObject(let kind):
            .init(
                "file-not-an-object", "The file contains a JSON object.",
                because: "The services are the members of this object.", .all(.denial), .supporting,
                example: #"["D3KQX62K1A.com.example.DemoApp"]"#, fixed: Self.good,
                problem: "The file contains \(kind.rawValue), not an object",
                fix: "Put the services in an object, such as {\(Service.webcredentials.member())}")
        case .noService(let keys):
            .init(
                "service-none",
                """
                The file has at least one service: webcredentials, applinks, appclips, activitycontinuation, \
                messagefilter, classificationreport or authsrv.
                """, because: "A file without a service associates no app.", .all(.denial), .supporting,
                example: "{}", fixed: Self.good,
                problem: "The file has no service" + (keys.isEmpty ? "" : ", only \(Self.list(keys.map(\.excerpt)))"),
                fix: "Add a service, such as \(Service.webcredentials.member())")
        case .missing(let service, let present, let app):
            .init(
                "service-missing", "The file has the requested service.", because: "Each service lists its own apps.",
                .all(.denial), .supporting,
                example: #"{"applinks":{"details":[…]}} for an app that shares passwords"#,
                fixed: #"{"applinks":{"details":[…]},"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#,
                problem: "The file does not have the service \(service.rawValue)"
                    + (present.isEmpty ? "" : ", only \(Self.list(present.map(\.rawValue)))"),
                fix: "Add \(service.member(app))")
        case .notInVersion(let service, let systems):
            .init(
                "service-not-in-version", "The systems of the profile support the requested service.",
                because: "Universal links require iOS 9, and App Clips require iOS 14. Earlier systems ignore them.",
                SeverityByProfile(ios9: .note, ios8: .note), .appSearch, example: "applinks in iOS 8",
                fixed: "webcredentials in iOS 8",
                problem: "The service \(service.rawValue) does not exist in \(systems)",
                fix: "")
        case .misspelt(let name, let meant):
            .init(
                "service-misspelt",
                "The names of services are spelled as in Apple's documentation, in lower case.",
                because: "The device silently ignores unknown keys.", .all(.warning), .observedFiles,
                example: #"{"webCredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#, fixed: Self.good,
                problem: "Unknown service \(name.excerpt). Did you mean \"\(meant.rawValue)\"?",
                fix: "Rename the key to \"\(meant.rawValue)\"")
        case .unknown(let name):
            .init(
                "service-unknown", "Each member of the file is a service that this tool knows.",
                because: "Devices ignore members that are not services. A later system may introduce a service.",
                .all(.warning), .observed,
                example: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]},"owner":"me"}"#,
                fixed: Self.good, problem: "This tool does not know the service \(name.excerpt)",
                fix: "Remove this member, unless a device or another program reads it")
        case .wrongType(let service, let kind, let apps):
            .init(
                "service-not-an-object", "A service is an object.",
                because: "The device ignores a service with another type.", .all(.denial), .observed,
                example: #"{"webcredentials":["D3KQX62K1A.com.example.DemoApp"]}"#, fixed: Self.good,
                problem: "\(service.rawValue) is \(kind.rawValue), not an object",
                fix: service == .applinks
                    ? "Write {\"applinks\":{\"details\":[…]}}"
                    : "Write {\"\(service.rawValue)\":{\"apps\":[\(Self.list(apps.map(JSONText.quote)))]}}")
        case .keyMisspelt(let service, let key):
            .init(
                "service-key-misspelt", "A service lists its apps under the key \"apps\".",
                because: "The device ignores other keys and the apps listed under them.", .all(.warning), .supporting,
                example: #"{"webcredentials":{"Apps":["D3KQX62K1A.com.example.DemoApp"]}}"#, fixed: Self.good,
                problem: "Unknown key \(key.excerpt) in \(service.rawValue). Did you mean \"apps\"?",
                fix: "Rename the key to \"apps\", and put its apps into an array")
        case .keyUnknown(let service, let key):
            .init(
                "service-key-unknown", "A service other than applinks has only the key \"apps\".",
                because: "The device ignores other keys. They only make the file larger.", .all(.note), .observed,
                example: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"],"owner":"me"}}"#,
                fixed: Self.good,
                problem: "Unknown key \(key.excerpt) in \(service.rawValue). The device ignores the key",
                fix: "Remove the key, unless another program reads it")
        case .noApps(let service):
            .init(
                "apps-missing", "A service has the key \"apps\".",
                because: "Without this key, the service lists no app.", .all(.warning), .supporting,
                example: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]},"appclips":{}}"#,
                fixed: Self.good, problem: "\(service.rawValue) has no key \"apps\"",
                fix: "Add \"apps\" with an array of application identifiers, or remove the service")
        case .appsWrongType(let service, let kind, let text):
            .init(
                "apps-not-an-array", "The value of \"apps\" is an array of strings.",
                because: "The device ignores any other value.", .all(.denial), .supporting,
                example: #"{"webcredentials":{"apps":"D3KQX62K1A.com.example.DemoApp"}}"#, fixed: Self.good,
                problem: "\(service.rawValue).apps is \(kind.rawValue), not an array",
                fix: "Write an array: [\(JSONText.quote(text ?? Service.anyApp))]")
        case .appsEmpty(let service):
            .init(
                "apps-empty", "A service lists at least one app.", because: "An empty array associates no app.",
                .all(.warning), .supporting,
                example: #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]},"appclips":{"apps":[]}}"#,
                fixed: Self.good, problem: "\(service.rawValue).apps is empty",
                fix: "List an app, or remove the service")
        }
    }

    /// Returns the first names of a list that a file can make long.
    private static func list(_ names: [String]) -> String { names.prefix(8).joined(separator: ", ") }
}

extension Service {
    static let exampleApp = "D3KQX62K1A.com.example.DemoApp"
    fileprivate static let anyApp = "PREFIX.BUNDLE-ID"

    func member(_ app: AppIdentifier? = nil) -> String {
        let app = app?.description ?? Service.anyApp
        return self == .applinks
            ? "\"applinks\":{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":[{\"/\":\"*\"}]}]}"
            : "\"\(rawValue)\":{\"apps\":[\"\(app)\"]}"
    }
}
