import AssociatedDomains
import Platform
import SourceJSON
import UniversalLinks

/// Reads the services out of JSON as a device does, and notes what a careful reader would say of them.
struct OutlineReader {
    private(set) var outline: AssociationOutline
    private(set) var findings: [Finding] = []
    private let subject: String

    /// - Parameters:
    ///   - root: the JSON of a file.
    ///   - subject: what findings call the file.
    init(_ root: JSONValue, subject: String) {
        outline = AssociationOutline(root: root)
        self.subject = subject
        guard let object = root.object else {
            note(
                .notAnObject, "the file holds \(root.kind.rawValue), not an object", root.location,
                remedy: "Put the services into an object: {\"webcredentials\":{\"apps\":[]}}")
            return
        }
        for member in object.members { read(member) }
        noteServices(object, root.location)
    }

    private mutating func read(_ member: JSONObject.Member) {
        guard let service = Service(rawValue: member.key) else { return noteUnknown(member) }
        // Of a key that stands twice the first one counts here; the finding about it says that nobody knows.
        guard outline.apps[service] == nil else { return }
        guard let object = member.value.object else {
            note(
                .wrongKind, "\(service.rawValue) is \(member.value.kind.rawValue), not an object",
                member.value.location,
                remedy: "Write {\"\(service.rawValue)\":{…}}")
            return
        }
        outline.apps[service] =
            service == .applinks ? links(object, member.value.location) : apps(of: service, object, member.keyLocation)
    }

    private mutating func apps(
        of service: Service, _ object: JSONObject, _ place: SourceLocation
    ) -> [AssociationOutline.App] {
        let isMisspelt = noteKeys(of: service, object)
        guard let value = object["apps"] else {
            // One slip is one finding.
            guard !isMisspelt else { return [] }
            note(
                .noApps, "\(service.rawValue) has no \"apps\"", place,
                remedy: "Add \"apps\" with an array of application identifiers, or remove the service")
            return []
        }
        guard let elements = value.array else {
            note(
                .appsWrongKind, "\(service.rawValue).apps is \(value.kind.rawValue), not an array", value.location,
                remedy: "Put the identifiers into brackets: [\"PREFIX.BUNDLE-ID\"]")
            return []
        }
        if elements.isEmpty {
            note(
                .appsEmpty, "\(service.rawValue).apps is empty", value.location,
                remedy: "Name an app, or remove the service")
        }
        var apps: [AssociationOutline.App] = []
        for element in elements {
            guard let text = element.string else {
                note(
                    AppRule.notAString, "\(element.kind.rawValue) stands among the apps of \(service.rawValue)",
                    element.location, remedy: "Put a string with an application identifier there")
                continue
            }
            apps.append(.init(text: text, place: element.location))
        }
        noteApps(apps, of: service)
        return apps
    }

    /// - Returns: whether a key looks like the one of the apps.
    private mutating func noteKeys(of service: Service, _ object: JSONObject) -> Bool {
        var isMisspelt = false
        for member in object.members where !member.key.utf8.elementsEqual("apps".utf8) {
            let problem = "the key \(member.key.excerpt) of \(service.rawValue) means nothing to a device"
            if member.key.nearest(of: OutlineReader.wordsForApps, within: 1) != nil {
                isMisspelt = true
                note(
                    .keyMisspelt, "\(problem); it looks like \"apps\"", member.keyLocation,
                    remedy: "Write it as \"apps\"")
            } else {
                note(
                    .keyUnknown, problem, member.keyLocation, remedy: "Remove the key, unless another program reads it")
            }
        }
        return isMisspelt
    }

    /// What is written where `apps` is meant: the keys of universal links, and plain words.
    private static let wordsForApps = [
        "apps", "appid", "appids", "bundleid", "bundleids", "applications", "identifiers", "appidentifiers",
    ]

    private mutating func links(_ object: JSONObject, _ place: SourceLocation) -> [AssociationOutline.App] {
        let links = UniversalLinks(object, location: place)
        outline.links = links
        for remark in links.remarks { findings.append(Finding(remark, in: subject)) }
        let apps = links.apps.map { AssociationOutline.App(text: $0.identifier, place: $0.location) }
        noteApps(apps, of: .applinks)
        return apps
    }

    /// An app may stand in several details of the links, but is listed once for the other services.
    private mutating func noteApps(_ apps: [AssociationOutline.App], of service: Service) {
        var seen: [String: SourceLocation] = [:]
        for app in apps {
            if let first = seen[app.text] {
                if service != .applinks {
                    note(
                        AppRule.twice, "\(app.text.excerpt) stands here again, after \(first)", app.place,
                        remedy: "Remove one of the two")
                }
                continue
            }
            seen[app.text] = app.place
            do {
                let identifier = try AppIdentifier(app.text)
                if identifier.looksLikePlaceholder {
                    note(
                        AppRule.placeholder,
                        "\(app.text.excerpt) looks like a placeholder, not like an app's identifier",
                        app.place, remedy: AppIdentifier.Malformed.placeholder(app.text).remedy)
                }
            } catch {
                note(AppRule(error), error.problem, app.place, remedy: error.remedy)
            }
        }
    }

    private mutating func noteUnknown(_ member: JSONObject.Member) {
        if let meant = member.key.nearest(of: Service.allCases.map(\.rawValue), within: 2) {
            note(
                .misspelt, "\(member.key.excerpt) is no service; \"\(meant)\" is meant, it seems", member.keyLocation,
                remedy: "Write \"\(meant)\"")
        } else {
            note(
                .unknown, "\(member.key.excerpt) is no service", member.keyLocation,
                remedy: "Remove it, unless another program reads it")
        }
    }

    private mutating func noteServices(_ object: JSONObject, _ place: SourceLocation) {
        guard outline.apps.isEmpty else { return }
        let names = object.members.prefix(4).map(\.key.excerpt).joined(separator: ", ")
        note(
            .noService, names.isEmpty ? "the file is an empty object" : "the file has no service: only \(names)", place,
            remedy: "Add a service, such as \"webcredentials\":{\"apps\":[\"PREFIX.BUNDLE-ID\"]}")
    }

    private mutating func note(_ rule: ServiceRule, _ message: String, _ place: SourceLocation, remedy: String) {
        findings.append(Finding(rule, message, remedy: remedy, in: subject, at: place))
    }

    private mutating func note(_ rule: AppRule, _ message: String, _ place: SourceLocation, remedy: String) {
        findings.append(Finding(rule, message, remedy: remedy, in: subject, at: place))
    }
}
