import AssociatedDomains
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// A reader that extracts the services from JSON as a device does, and collects the issues in the file.
struct ServiceReader {
    /// The apps of each service in file order.
    private(set) var apps: [Service: [AssociationFile.App]] = [:]
    /// The universal links, if the file has them.
    private(set) var links: UniversalLinks?
    /// The services whose value is not an object.
    private(set) var unreadable: Set<Service> = []
    /// The issue for each misspelled service.
    private(set) var misspelt: [Service: Issue] = [:]
    private(set) var issues: [Issue] = []
    private let subject: String
    private var placeholders: [(app: String, location: SourceLocation)] = []

    /// - Parameter subject: The name of the file in issues.
    init(subject: String) {
        self.subject = subject
    }

    /// Reads the JSON of a file.
    mutating func read(_ root: JSONValue) {
        guard let object = root.object else {
            guard !AssetLinks.isContent(root) else { return report(ContainerDiagnostic.assetLinks, [:], root.location) }
            return report(ServiceDiagnostic.notAnObject, ["type": root.kind.rawValue], root.location)
        }
        let hasService = object.members.contains { Service(rawValue: $0.key) != nil }
        for member in object.members { read(member, hasService: hasService) }
        reportPlaceholders()
        guard apps.isEmpty, unreadable.isEmpty, misspelt.isEmpty else { return }
        let names = object.members.prefix(4).map(\.key.excerpt).joined(separator: ", ")
        report(ServiceDiagnostic.noService, ["found": names.isEmpty ? "" : ", only \(names)"], root.location)
    }

    private mutating func read(_ member: JSONObject.Member, hasService: Bool) {
        guard let service = Service(rawValue: member.key) else { return reportUnknown(member, hasService: hasService) }
        // Use the first of two duplicate keys. A separate issue reports that a device may use either value.
        guard apps[service] == nil else { return }
        guard let object = member.value.object else {
            unreadable.insert(service)
            let listed = member.value.array?.compactMap(\.string).prefix(1).map(JSONText.quote).joined() ?? "…"
            return report(
                ServiceDiagnostic.wrongType,
                [
                    "service": service.rawValue, "type": member.value.kind.rawValue,
                    "form": service == .applinks
                        ? "{\"applinks\":{\"details\":[…]}}" : "{\"\(service.rawValue)\":{\"apps\":[\(listed)]}}",
                ], member.value.location)
        }
        apps[service] =
            service == .applinks
            ? readLinks(object, member.value.location) : readApps(of: service, object, member.keyLocation)
    }

    private mutating func readApps(
        of service: Service, _ object: JSONObject, _ location: SourceLocation
    ) -> [AssociationFile.App] {
        let name = ["service": service.rawValue]
        let isMisspelt = reportKeys(of: service, object)
        guard let value = object["apps"] else {
            // Do not report a misspelled key twice.
            if !isMisspelt { report(ServiceDiagnostic.noApps, name, location) }
            return []
        }
        guard let elements = value.array else {
            report(
                ServiceDiagnostic.appsWrongType, ["service": service.rawValue, "type": value.kind.rawValue],
                value.location)
            return []
        }
        if elements.isEmpty { report(ServiceDiagnostic.appsEmpty, name, value.location) }
        var apps: [AssociationFile.App] = []
        for element in elements {
            if let text = element.string {
                apps.append(.init(text: text, location: element.location))
            } else {
                report(
                    AppDiagnostic.notAString, ["service": service.rawValue, "type": element.kind.rawValue],
                    element.location)
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
            report(
                isNear ? ServiceDiagnostic.keyMisspelt : ServiceDiagnostic.keyUnknown,
                ["key": member.key.excerpt, "service": service.rawValue], member.keyLocation)
        }
        return isMisspelt
    }

    /// The keys that authors write instead of `apps`, including the keys of universal links.
    private static let wordsForApps = [
        "apps", "appid", "appids", "bundleid", "bundleids", "applications", "identifiers", "appidentifiers",
    ]

    private mutating func readLinks(_ object: JSONObject, _ location: SourceLocation) -> [AssociationFile.App] {
        let links = UniversalLinks(object, location: location)
        self.links = links
        issues += links.issues.map { Issue($0.kind, in: subject, at: $0.location) }
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
                report(AppDiagnostic.twice, ["app": app.text.excerpt, "first": "\(first)"], app.location)
                continue
            }
            seen[app.text] = app.location
            do {
                let identifier = try AppIdentifier(app.text)
                if identifier.looksLikePlaceholder { placeholders.append((app.text, app.location)) }
            } catch .placeholder {
                placeholders.append((app.text, app.location))
            } catch {
                issues.append(Issue(AppDiagnostic(error), error, in: subject, at: app.location))
            }
        }
    }

    /// Reports all placeholders as one issue with a count.
    private mutating func reportPlaceholders() {
        guard let first = placeholders.min(by: { $0.location < $1.location }) else { return }
        let more = Set(placeholders.map(\.app)).count - 1
        let others = more == 0 ? "" : ", and so \(more == 1 ? "does 1 other app" : "do \(more) other apps")"
        var issue = Issue(
            AppDiagnostic.placeholder, ["app": first.app.excerpt, "more": others], in: subject, at: first.location)
        issue.more = more
        issues.append(issue)
    }

    private mutating func reportUnknown(_ member: JSONObject.Member, hasService: Bool) {
        guard let meant = member.key.nearest(of: Service.allCases.map(\.rawValue), within: 2) else {
            return report(ServiceDiagnostic.unknown, ["name": member.key.excerpt], member.keyLocation)
        }
        var issue = Issue(
            ServiceDiagnostic.misspelt, ["name": member.key.excerpt, "meant": meant], in: subject,
            at: member.keyLocation)
        // Without another service, this error explains why the file associates no app.
        if !hasService { issue.effects = .all(.denial) }
        issues.append(issue)
        if let service = Service(rawValue: meant) { misspelt[service] = issue }
    }

    private mutating func report(
        _ diagnostic: some DiagnosticGroup, _ values: [String: String], _ location: SourceLocation
    ) {
        issues.append(Issue(diagnostic, values, in: subject, at: location))
    }
}
