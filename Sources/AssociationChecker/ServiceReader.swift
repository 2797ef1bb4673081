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
    }

    init(subject: String, host: String?) {
        (self.subject, self.host) = (subject, host)
    }

    mutating func read(_ root: JSONValue) {
        guard let object = root.object else {
            guard !AssetLinks.isContent(root) else { return report(FileIssue.assetLinks, root.location) }
            return report(ServiceIssue.notAnObject(root.kind), root.location)
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
            let listed = member.value.array?.compactMap(\.string) ?? []
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
                let issue = AppIssue.notAString(service, element.kind)
                if causes.services[service] == nil {
                    cause(service, issue, element.location)
                } else {
                    report(issue, element.location)
                }
            }
        }
        reportApps(apps, of: service)
        return apps
    }

    /// - Returns: Whether a key looks like a misspelled `apps`.
    private mutating func reportKeys(of service: Service, _ object: JSONObject) -> Bool {
        var isMisspelt = false
        for member in object.members where !member.key.utf8.elementsEqual("apps".utf8) {
            let isNear = member.key.nearest(of: ServiceReader.wordsForApps, within: 1) != nil
            isMisspelt = isMisspelt || isNear
            if isNear {
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
        issues += links.issues.map { Issue($0.kind, in: subject, at: $0.location) }
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
        let near = member.key.nearest(of: Service.allCases.map(\.rawValue), within: 2)
        guard let meant = near.flatMap(Service.init(rawValue:)) else {
            return report(ServiceIssue.unknown(member.key), member.keyLocation)
        }
        var issue = Issue(ServiceIssue.misspelt(member.key, meant: meant), in: subject, at: member.keyLocation)
        // Without another service, this error explains why the file associates no app.
        if !hasService { issue.effects = .all(.denial) }
        issues.append(issue)
        causes.services[meant, default: []].append(issue)
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
