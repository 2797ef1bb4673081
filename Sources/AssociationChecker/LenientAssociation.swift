public import AssociatedDomains
import MotivatorPlatform
public import SourceJSON
public import UniversalLinks

/// The content that a device reads from the JSON of an association file. The JSON may have errors.
///
/// Unlike `SiteAssociation`, this type accepts invalid content. It keeps malformed parts as text or, like a device,
/// ignores them.
public struct LenientAssociation: Sendable {
    /// An app as listed in the file.
    public struct App: Sendable, Hashable {
        /// The identifier as written in the file.
        public let text: String
        /// The location in the file.
        public let location: SourceLocation
    }

    /// The apps of each service in file order.
    public internal(set) var apps: [Service: [App]] = [:]
    /// The universal links, if the file has them.
    public internal(set) var links: UniversalLinks?
    /// The whole JSON.
    public internal(set) var root: JSONValue
    /// The services whose value is not an object.
    var unreadable: Set<Service> = []
    /// The issue for each misspelled service.
    var misspelt: [Service: Issue] = [:]

    /// The services in the file, in Apple's order.
    public var services: [Service] { Service.allCases.filter { apps[$0] != nil } }

    /// Returns the reason why an app is not associated for a service, or nil if the file lists the app.
    public func refusal(of app: AppIdentifier, for service: Service) -> Issue? {
        AppEvaluation(association: self, subject: "", services: [service], apps: [app]).issues(.device).first
    }
}

extension AppIdentifier {
    /// Returns whether a device recognizes a text in an association file as this app.
    ///
    /// Devices ignore the case of the prefix and compare the rest exactly.
    public func isNamed(by text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + 1 + bundleIdentifier.utf8.count else { return false }
        let split = bytes.index(bytes.startIndex, offsetBy: AppIdentifier.prefixLength)
        guard bytes[split] == UInt8(ascii: ".") else { return false }
        return String(text[..<split]).uppercased() == prefix
            && bytes[bytes.index(after: split)...].elementsEqual(bundleIdentifier.utf8)
    }
}

// MARK: - Reading

/// A reader that extracts the services from JSON as a device does, and collects the issues in the file.
struct LenientReader {
    private(set) var association: LenientAssociation
    private(set) var issues: [Issue] = []
    private let subject: String
    private var placeholders: [(app: String, location: SourceLocation)] = []

    /// - Parameters:
    ///   - root: The JSON of a file.
    ///   - subject: The name of the file in issues.
    static func read(_ root: JSONValue, subject: String) -> (LenientAssociation, [Issue]) {
        var reader = LenientReader(association: LenientAssociation(root: root), subject: subject)
        reader.read(root)
        return (reader.association, reader.issues)
    }

    private init(association: LenientAssociation, subject: String) {
        self.association = association
        self.subject = subject
    }

    private mutating func read(_ root: JSONValue) {
        guard let object = root.object else {
            guard !AssetLinks.isContent(root) else { return note(ContainerDiagnostic.assetLinks, [:], root.location) }
            return note(ServiceDiagnostic.notAnObject, ["type": root.kind.rawValue], root.location)
        }
        for member in object.members { read(member) }
        notePlaceholders()
        guard association.apps.isEmpty, association.unreadable.isEmpty, association.misspelt.isEmpty else { return }
        let names = object.members.prefix(4).map(\.key.excerpt).joined(separator: ", ")
        note(ServiceDiagnostic.noService, ["found": names.isEmpty ? "" : ", only \(names)"], root.location)
    }

    private mutating func read(_ member: JSONObject.Member) {
        guard let service = Service(rawValue: member.key) else { return noteUnknown(member) }
        // Use the first of two duplicate keys. A separate issue reports that a device may use either value.
        guard association.apps[service] == nil else { return }
        guard let object = member.value.object else {
            association.unreadable.insert(service)
            let listed = member.value.array?.compactMap(\.string).prefix(1).map(JSONText.quote).joined() ?? "…"
            return note(
                ServiceDiagnostic.wrongType,
                [
                    "service": service.rawValue, "type": member.value.kind.rawValue,
                    "form": service == .applinks
                        ? "{\"applinks\":{\"details\":[…]}}" : "{\"\(service.rawValue)\":{\"apps\":[\(listed)]}}",
                ], member.value.location)
        }
        association.apps[service] =
            service == .applinks ? links(object, member.value.location) : apps(of: service, object, member.keyLocation)
    }

    private mutating func apps(
        of service: Service, _ object: JSONObject, _ location: SourceLocation
    ) -> [LenientAssociation.App] {
        let name = ["service": service.rawValue]
        let isMisspelt = noteKeys(of: service, object)
        guard let value = object["apps"] else {
            // Do not report a misspelled key twice.
            if !isMisspelt { note(ServiceDiagnostic.noApps, name, location) }
            return []
        }
        guard let elements = value.array else {
            note(
                ServiceDiagnostic.appsWrongType, ["service": service.rawValue, "type": value.kind.rawValue],
                value.location)
            return []
        }
        if elements.isEmpty { note(ServiceDiagnostic.appsEmpty, name, value.location) }
        var apps: [LenientAssociation.App] = []
        for element in elements {
            if let text = element.string {
                apps.append(.init(text: text, location: element.location))
            } else {
                note(
                    AppDiagnostic.notAString, ["service": service.rawValue, "type": element.kind.rawValue],
                    element.location)
            }
        }
        noteApps(apps, of: service)
        return apps
    }

    /// - Returns: Whether a key looks like a misspelled `apps`.
    private mutating func noteKeys(of service: Service, _ object: JSONObject) -> Bool {
        var isMisspelt = false
        for member in object.members where !member.key.utf8.elementsEqual("apps".utf8) {
            let isNear = member.key.nearest(of: LenientReader.wordsForApps, within: 1) != nil
            isMisspelt = isMisspelt || isNear
            note(
                isNear ? ServiceDiagnostic.keyMisspelt : ServiceDiagnostic.keyUnknown,
                ["key": member.key.excerpt, "service": service.rawValue], member.keyLocation)
        }
        return isMisspelt
    }

    /// The keys that authors write instead of `apps`, including the keys of universal links.
    private static let wordsForApps = [
        "apps", "appid", "appids", "bundleid", "bundleids", "applications", "identifiers", "appidentifiers",
    ]

    private mutating func links(_ object: JSONObject, _ location: SourceLocation) -> [LenientAssociation.App] {
        let links = UniversalLinks(object, location: location)
        association.links = links
        for issue in links.issues { issues.append(Issue(issue, in: subject)) }
        let apps = links.apps.map { LenientAssociation.App(text: $0.identifier, location: $0.location) }
        noteApps(apps, of: .applinks)
        return apps
    }

    /// Reports issues with the apps. An app may appear in several details of applinks, but only once in any other
    /// service.
    private mutating func noteApps(_ apps: [LenientAssociation.App], of service: Service) {
        var seen: [String: SourceLocation] = [:]
        for app in apps {
            if let first = seen[app.text] {
                guard service != .applinks else { continue }
                note(AppDiagnostic.twice, ["app": app.text.excerpt, "first": "\(first)"], app.location)
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
    private mutating func notePlaceholders() {
        guard let first = placeholders.min(by: { $0.location < $1.location }) else { return }
        let more = Set(placeholders.map(\.app)).count - 1
        let others = more == 0 ? "" : ", and so \(more == 1 ? "does 1 other app" : "do \(more) other apps")"
        var issue = Issue(
            AppDiagnostic.placeholder, ["app": first.app.excerpt, "more": others], in: subject, at: first.location)
        issue.more = more
        issues.append(issue)
    }

    private mutating func noteUnknown(_ member: JSONObject.Member) {
        guard let meant = member.key.nearest(of: Service.allCases.map(\.rawValue), within: 2) else {
            return note(ServiceDiagnostic.unknown, ["name": member.key.excerpt], member.keyLocation)
        }
        var issue = Issue(
            ServiceDiagnostic.misspelt, ["name": member.key.excerpt, "meant": meant], in: subject,
            at: member.keyLocation)
        // Without another service, this error explains why the file associates no app.
        let hasService = association.root.object?.members.contains { Service(rawValue: $0.key) != nil } ?? false
        if !hasService { issue.effects = .all(.denial) }
        issues.append(issue)
        if let service = Service(rawValue: meant) { association.misspelt[service] = issue }
    }

    private mutating func note(
        _ diagnostic: some DiagnosticGroup, _ values: [String: String], _ location: SourceLocation
    ) {
        issues.append(Issue(diagnostic, values, in: subject, at: location))
    }
}
