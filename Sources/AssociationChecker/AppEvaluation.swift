package import AssociatedDomains
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// An evaluation of whether a file associates the requested apps for the requested services.
struct AppEvaluation {
    private let file: AssociationFile
    private let start: SourceLocation
    /// The requested services. If empty, one service that lists the app is enough.
    private let services: [Service]
    private let apps: [AppIdentifier]

    /// Creates an evaluation. Returns nil if the file's JSON was not read, or not to its end. Its issues deny the file.
    init?(file: AssociationFile, services: [Service], apps: [AppIdentifier]) {
        guard let root = file.root, !file.causes.isPartial else { return nil }
        (self.file, self.services, self.apps) = (file, services, apps)
        start = root.location
    }

    /// The issues with their effects in all profiles. An unsupported service results only in a note.
    ///
    /// Merges after each profile, because a malicious file can cause tens of thousands of issues in each.
    var issues: [Issue] {
        Profile.allCases.reduce(into: []) { issues, profile in
            issues = Report.merged(issues + evaluate(profile).map { $0.only(in: [profile]) })
        }
    }

    private func evaluate(_ profile: Profile) -> [Issue] {
        let unknown = services.filter { !profile.knows($0) }
        let known = services.filter(profile.knows)
        let notes = unknown.map { issue(ServiceIssue.notInVersion($0, systems: profile.systems)) }
        guard unknown.isEmpty || !known.isEmpty else { return notes }
        return notes + evaluate(known, profile)
    }

    private func issue(_ issue: some CatalogIssue, at location: SourceLocation? = nil) -> Issue {
        Issue(issue, in: file.textSubject, at: location ?? start)
    }

    private func evaluate(_ services: [Service], _ profile: Profile) -> [Issue] {
        let present = file.services.filter(profile.knows)
        guard !services.isEmpty || apps.isEmpty else {
            // Without a requested service, any service that lists the app is enough.
            guard present.isEmpty else { return apps.flatMap { listedAnywhere($0, present) } + closedLinks(present) }
            return file.services.isEmpty ? unreadable : []
        }
        return requested(services, present)
            + (services.isEmpty ? closedLinks(present) : closedLinks(services, isRequested: true))
    }

    private func requested(_ services: [Service], _ present: [Service]) -> [Issue] {
        var issues = services.filter { file.apps[$0] == nil }.flatMap(missing)
        if services.isEmpty, file.services.isEmpty { issues += unreadable }
        let found = services.filter { file.apps[$0] != nil }
        let evaluated = services.isEmpty ? present : found
        if apps.isEmpty, !evaluated.flatMap({ file.apps[$0] ?? [] }).contains(where: \.isValid) {
            issues += evaluated.flatMap(reasons)
        }
        for app in apps {
            for service in found where !file.lists(app, for: service) { issues += notListed(app, service) }
        }
        return issues
    }

    /// Returns the reason why no URL opens a requested app, if applinks is requested or is the only service.
    private func closedLinks(_ services: [Service], isRequested: Bool = false) -> [Issue] {
        guard let links = file.links, isRequested ? services.contains(.applinks) : services == [.applinks] else {
            return []
        }
        let obstacles = apps.isEmpty ? [links.obstacle()] : apps.map { links.obstacle(for: $0.description) }
        return obstacles.compactMap(\.self).map { obstacle in
            issue(obstacle.kind, at: obstacle.kind == .onlyExclusions ? start : obstacle.location).asDenial
        }
    }

    private func listedAnywhere(_ app: AppIdentifier, _ present: [Service]) -> [Issue] {
        let missing = present.filter { !file.lists(app, for: $0) }
        guard missing.count < present.count else { return missing.flatMap { notListed(app, $0) } }
        return missing.map { issue(AppIssue.notForEveryService(app, $0), at: file.causes.lists[$0]) }
    }

    private var unreadable: [Issue] { file.causes.services.values.joined().map(\.asDenial) }

    /// Returns the reasons why a service lists no app that can exist.
    private func reasons(_ service: Service) -> [Issue] {
        let ofApps = (file.apps[service] ?? []).compactMap { file.causes.apps[$0.location] }
        let causes = (file.causes.services[service] ?? []) + ofApps
        // The value of an unfinished service has no reliable causes.
        guard causes.isEmpty, file.causes.services[service] == nil else { return causes.map(\.asDenial) }
        return [issue(AppIssue.noApp(service), at: file.causes.lists[service])]
    }

    /// - Returns: The issues. Empty if another issue already explains why the file does not have the service.
    private func missing(_ service: Service) -> [Issue] {
        if let causes = file.causes.services[service] { return causes.map(\.asDenial) }
        // Another issue already reports a file without services.
        guard !file.services.isEmpty || !file.causes.services.isEmpty else { return [] }
        return [issue(ServiceIssue.missing(service, present: file.services, app: apps.first))]
    }

    private func notListed(_ app: AppIdentifier, _ service: Service) -> [Issue] {
        let listed = file.apps[service] ?? []
        let bundle = app.bundleIdentifier
        let valid = listed.filter { file.causes.apps[$0.location] == nil }
        if let near = valid.first(where: { $0.bundle == bundle }) {
            return [issue(AppIssue.otherPrefix(app, service, listed: near.text), at: near.location)]
        }
        if let near = valid.first(where: { $0.bundle?.lowercased() == bundle.lowercased() }) {
            return [issue(AppIssue.otherCase(app, service, listed: near.text), at: near.location)]
        }
        // An issue with an identifier explains why the app is not listed, but not if it names another app.
        let flawed = listed.filter { $0.mayName(bundle) }.compactMap { file.causes.apps[$0.location] }
        guard flawed.isEmpty else { return flawed.map(\.asDenial) }
        let codes = listed.compactMap { file.causes.apps[$0.location]?.code }
        let isTemplate = codes.contains("app-placeholder") || codes.contains("app-wildcard")
        if valid.isEmpty, isTemplate || file.causes.services[service] != nil { return reasons(service) }
        for present in file.services where present != service {
            guard let other = file.apps[present]?.first(where: { app.isNamed(by: $0.text) }) else { continue }
            return [issue(AppIssue.listedElsewhere(app, service, present: present), at: other.location)]
        }
        let texts = listed.prefix(4).map(\.text)
        return [issue(AppIssue.notListed(app, service, listed: texts), at: file.causes.lists[service])]
    }
}

extension Issue {
    var asDenial: Issue { changing { $0.effects = .all(.denial) } }
}

extension AssociationFile.App {
    /// Whether an app can have this identifier. Devices compare the prefix in upper case.
    fileprivate var isValid: Bool {
        let prefix = text.prefix(AppIdentifier.prefixLength).uppercased()
        return (try? AppIdentifier(prefix + text.dropFirst(AppIdentifier.prefixLength))) != nil
    }

    /// Whether a malformed identifier contains the bundle identifier as a word or at the end of a word.
    fileprivate func mayName(_ bundle: String) -> Bool {
        let words = text.lowercased().split { !($0.isLetter || $0.isNumber || "-._".contains($0)) }
        return words.contains { word in word.trimming { $0 == "." }.hasSuffix(bundle.lowercased()) }
    }

    fileprivate var bundle: String? {
        text.utf8.firstIndex(of: UInt8(ascii: ".")).map { String(text[text.utf8.index(after: $0)...]) }
    }
}

extension Profile {
    /// Returns whether the profile's systems support a service. Universal links require iOS 9, message filters iOS 11,
    /// reports iOS 12, single sign-on iOS 13, and App Clips iOS 14.
    package func knows(_ service: Service) -> Bool {
        switch self {
        case .device, .documented: true
        case .ios9: service != .appclips
        case .ios8: service == .webcredentials || service == .activitycontinuation
        }
    }

    fileprivate var systems: String {
        switch self {
        case .device, .documented: "current systems"
        case .ios9: "iOS 9 to 13"
        case .ios8: "iOS 8"
        }
    }
}

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

    static let examples: [AppIssue] = {
        guard let app = try? AppIdentifier(Service.exampleApp) else { return [] }
        return [
            .notAString(.webcredentials, .number), .placeholder("TEAMID.com.example.app", more: 0),
            .twice("A.b", first: .start), .noApp(.webcredentials), .notListed(app, .webcredentials, listed: []),
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
                fix: Self.addition(of: app, to: service))
        case .listedElsewhere(let app, let service, let present):
            .init(
                "app-listed-elsewhere", "The app is listed for the requested service.",
                because: "Each service lists its own apps.", .all(.denial), .supporting,
                example: #"{"webcredentials":{"apps":["…Other"]},"appclips":{"apps":["…DemoApp"]}}"#,
                fixed: #"{"webcredentials":{"apps":["…Other","…DemoApp"]},"appclips":{"apps":["…DemoApp"]}}"#,
                problem: "\(app) is listed for \(present.rawValue), not for \(service.rawValue)",
                fix: Self.addition(of: app, to: service))
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

    private static func addition(of app: AppIdentifier, to service: Service) -> String {
        "Add \"\(app)\" to the \(service == .applinks ? "appIDs of a detail" : "apps") of \(service.rawValue)"
    }

    static func others(_ listed: [String]) -> String {
        let shown = listed.prefix(3).map(\.excerpt).joined(separator: ", ")
        return shown.isEmpty ? "" : ", only \(shown)\(listed.count > 3 ? " and others" : "")"
    }
}
