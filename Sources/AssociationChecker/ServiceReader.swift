import AssociatedDomains
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// A reader that extracts the services from JSON as a device does, and collects the issues in the file.
struct ServiceReader {
    private(set) var apps: [Service: [AssociationFile.App]] = [:]
    private(set) var links: UniversalLinks?
    private(set) var causes = Causes()
    private(set) var issues: [Issue] = []
    private let subject: String
    private let host: String?
    private var placeholders: [(app: String, location: SourceLocation)] = []

    /// The issues that explain why the file lists no app for a service. They are only warnings, because another
    /// service may be the requested one.
    struct Causes: Sendable {
        var services: [Service: [Issue]] = [:]
        var apps: [SourceLocation: Issue] = [:]
        var lists: [Service: SourceLocation] = [:]
        /// Whether the rest of the text, which was not read, can contain other services and apps.
        var isPartial = false
    }

    init(subject: String, host: String?) { (self.subject, self.host) = (subject, host) }

    mutating func read(_ root: JSONValue) {
        guard let object = root.object else {
            guard !AssetLinks.isContent(root) else { return report(FileIssue.assetLinks, root.location) }
            let isQuoted = root.string?.hasPrefix("{") == true
            return report(ServiceIssue.notAnObject(root.kind, isQuoted: isQuoted), root.location)
        }
        let hasService = object.members.contains { Service(rawValue: $0.key) != nil }
        for member in object.members { read(member, hasService: hasService) }
        reportPlaceholders()
        guard apps.isEmpty, causes.services.isEmpty else { return }
        report(ServiceIssue.noService(keys: object.members.prefix(4).map(\.key)), root.location)
    }

    private mutating func read(_ member: JSONObject.Member, hasService: Bool) {
        guard let service = Service(rawValue: member.key) else { return reportUnknown(member, hasService: hasService) }
        // Use the first of two duplicate keys. A separate issue reports that a device may use either value.
        guard apps[service] == nil else { return }
        guard let object = member.value.object else {
            let listed = member.value.string.map { [$0] } ?? member.value.array?.compactMap(\.string) ?? []
            return cause(
                service, ServiceIssue.wrongType(service, member.value.kind, apps: listed), member.value.location)
        }
        apps[service] =
            service == .applinks
            ? readLinks(object, member.value.location) : readApps(of: service, object, member.keyLocation)
    }

    private mutating func readApps(
        of service: Service, _ object: JSONObject, _ location: SourceLocation
    ) -> [AssociationFile.App] {
        let isMisspelt = reportKeys(of: service, object)
        guard let value = object["apps"] else {
            // Do not report a misspelled key twice.
            if !isMisspelt { cause(service, ServiceIssue.noApps(service), location) }
            return []
        }
        causes.lists[service] = value.location
        guard let elements = value.array else {
            cause(service, ServiceIssue.appsWrongType(service, value.kind, text: value.string), value.location)
            return []
        }
        if elements.isEmpty { report(ServiceIssue.appsEmpty(service), value.location) }
        var apps: [AssociationFile.App] = []
        for element in elements {
            if let text = element.string {
                apps.append(.init(text: text, location: element.location))
            } else {
                report(AppIssue.notAString(service, element.kind), element.location)
                if causes.services[service] == nil { causes.services[service] = Array(issues.suffix(1)) }
            }
        }
        reportApps(apps, of: service)
        return apps
    }

    /// - Returns: Whether a key looks like a misspelled `apps`, or contains the apps of another service.
    private mutating func reportKeys(of service: Service, _ object: JSONObject) -> Bool {
        var isMisspelt = false
        for member in object.members where !member.key.utf8.elementsEqual("apps".utf8) {
            if reportNested(member.key, in: service.rawValue, member.keyLocation) {
                isMisspelt = true
            } else if member.key.nearest(of: ServiceReader.wordsForApps, within: 1) != nil {
                isMisspelt = true
                cause(service, ServiceIssue.keyMisspelt(service, member.key), member.keyLocation)
            } else {
                report(ServiceIssue.keyUnknown(service, member.key), member.keyLocation)
            }
        }
        return isMisspelt
    }

    /// The keys that authors write instead of `apps`, including the keys of universal links.
    private static let wordsForApps = [
        "apps", "appid", "appids", "bundleid", "bundleids", "applications", "identifiers", "appidentifiers",
    ]

    private mutating func readLinks(_ object: JSONObject, _ location: SourceLocation) -> [AssociationFile.App] {
        let links = UniversalLinks(object, location: location, host: host)
        self.links = links
        for issue in links.issues {
            if case .unknownKey(let key) = issue.kind, reportNested(key, in: "applinks", issue.location) { continue }
            report(issue.kind, issue.location)
        }
        for app in links.repeatedApps { report(AppIssue.twice(app.identifier, first: app.first), app.location) }
        if links.apps.isEmpty, let obstacle = links.obstacle() {
            causes.services[.applinks, default: []].append(Issue(obstacle.kind, in: subject, at: obstacle.location))
        }
        causes.lists[.applinks] = object["details"]?.location
        let apps = links.apps.map { AssociationFile.App(text: $0.identifier, location: $0.location) }
        reportApps(apps, of: .applinks)
        return apps
    }

    /// Reports issues with the apps. An app may appear in several details of applinks, but only once in any other
    /// service.
    private mutating func reportApps(_ apps: [AssociationFile.App], of service: Service) {
        var seen: [String: SourceLocation] = [:]
        for app in apps {
            if let first = seen[app.text] {
                guard service != .applinks else { continue }
                report(AppIssue.twice(app.text, first: first), app.location)
                continue
            }
            seen[app.text] = app.location
            do {
                let identifier = try AppIdentifier(app.text)
                if identifier.looksLikePlaceholder { placeholders.append((app.text, app.location)) }
            } catch .placeholder {
                placeholders.append((app.text, app.location))
            } catch {
                report(error, app.location)
                if case .lowerCasePrefix = error { continue }
                causes.apps[app.location] = issues.last
            }
        }
    }

    private mutating func reportPlaceholders() {
        guard let first = placeholders.min(by: { $0.location < $1.location }) else { return }
        let more = Set(placeholders.map(\.app)).count - 1
        var issue = Issue(AppIssue.placeholder(first.app, more: more), in: subject, at: first.location)
        issue.more = more
        issues.append(issue)
        for app in placeholders { causes.apps[app.location] = issue }
    }

    private mutating func reportUnknown(_ member: JSONObject.Member, hasService: Bool) {
        let nested = member.value.object?.members.filter { reportNested($0.key, in: member.key, $0.keyLocation) } ?? []
        guard nested.isEmpty else { return }
        let near = member.key.nearest(of: Service.allCases.map(\.rawValue), within: 2)
        guard let meant = near.flatMap(Service.init(rawValue:)) else {
            return report(ServiceIssue.unknown(member.key), member.keyLocation)
        }
        cause(meant, ServiceIssue.misspelt(member.key, meant: meant), member.keyLocation)
        // Without another service, this error explains why the file associates no app.
        if !hasService { issues[issues.count - 1].effects = .all(.denial) }
    }

    /// Reports a service inside another member. Returns false for a key that is not a service.
    private mutating func reportNested(_ key: String, in outer: String, _ location: SourceLocation) -> Bool {
        guard let service = Service(rawValue: key) else { return false }
        cause(service, ServiceIssue.nested(service, in: outer), location)
        if let outer = Service(rawValue: outer) { causes.services[outer, default: []] += issues.suffix(1) }
        return true
    }

    private mutating func report(_ issue: some CatalogIssue, _ location: SourceLocation) {
        issues.append(Issue(issue, in: subject, at: location))
    }

    private mutating func cause(_ service: Service, _ issue: some CatalogIssue, _ location: SourceLocation) {
        report(issue, location)
        issues[issues.count - 1] = issues[issues.count - 1].atMost(.warning)
        causes.services[service, default: []] += issues.suffix(1)
    }
}

enum ServiceIssue: CatalogIssue {
    case notAnObject(JSONValue.Kind, isQuoted: Bool = false)
    /// A file without a service, with its keys.
    case noService(keys: [String])
    case missing(Service, present: [Service], app: AppIdentifier?)
    case notInVersion(Service, systems: String)
    case misspelt(String, meant: Service)
    case unknown(String)
    /// A service inside another member of the file.
    case nested(Service, in: String)
    /// A service that is not an object, with the apps in its array.
    case wrongType(Service, JSONValue.Kind, apps: [String])
    case keyMisspelt(Service, String)
    case keyUnknown(Service, String)
    case noApps(Service)
    case appsWrongType(Service, JSONValue.Kind, text: String?)
    case appsEmpty(Service)

    static let examples: [ServiceIssue] = [
        .notAnObject(.array), .noService(keys: []), .missing(.webcredentials, present: [.applinks], app: nil),
        .notInVersion(.applinks, systems: "iOS 8"), .misspelt("appLinks", meant: .applinks), .unknown("owner"),
        .nested(.webcredentials, in: "applinks"), .wrongType(.webcredentials, .array, apps: []),
        .keyMisspelt(.webcredentials, "Apps"), .keyUnknown(.webcredentials, "owner"), .noApps(.appclips),
        .appsWrongType(.webcredentials, .string, text: nil), .appsEmpty(.webcredentials),
    ]

    var entry: CatalogEntry {
        switch self {
        case .notAnObject(let kind, let isQuoted):
            .init(
                "file-not-an-object", "The file contains a JSON object.",
                because: "The services are the members of this object.", .all(.denial), .supporting,
                example: #"["D3KQX62K1A.com.example.DemoApp"]"#, fixed: Self.good,
                problem: "The file contains \(kind.rawValue), not an object",
                fix: isQuoted
                    ? "Remove the quotes around the object, and the backslashes in it"
                    : "Put the services in an object, such as {\(Service.webcredentials.member())}")
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
                .all(.denial), .supporting, example: #"{"applinks":{"details":[…]}} for an app that shares passwords"#,
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
                problem: "The service \(service.rawValue) does not exist in \(systems)", fix: "")
        case .misspelt(let name, let meant):
            .init(
                "service-misspelt", "The names of services are spelled as in Apple's documentation, in lower case.",
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
        case .nested(let service, let outer):
            .init(
                "service-nested", "A service is a member of the outermost object.",
                because: "The device ignores a service inside another member.", .all(.warning), .supporting,
                example: #"{"applinks":{"details":[…],"webcredentials":{"apps":[…]}}}"#,
                fixed: #"{"applinks":{"details":[…]},"webcredentials":{"apps":[…]}}"#,
                problem: "The service \(service.rawValue) is inside \(outer.excerpt)",
                fix: "Move \"\(service.rawValue)\" to the top level of the file")
        case .wrongType(let service, let kind, let apps):
            .init(
                "service-not-an-object", "A service is an object.",
                because: "The device ignores a service with another type.", .all(.denial), .observed,
                example: #"{"webcredentials":["D3KQX62K1A.com.example.DemoApp"]}"#, fixed: Self.good,
                problem: "\(service.rawValue) is \(kind.rawValue), not an object",
                fix: service == .applinks || apps.isEmpty
                    ? "Write {\(service.member())}"
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
