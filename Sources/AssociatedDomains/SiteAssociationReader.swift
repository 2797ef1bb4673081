import MotivatorPlatform
import SourceJSON

/// Reads the services from the JSON of an association file.
struct SiteAssociationReader {
    /// The apps of each service except applinks.
    private(set) var apps: [Service: [SiteAssociation.App]] = [:]
    private(set) var appLinks: AppLinks?
    private(set) var unknownMembers: [JSONObject.Member] = []

    init(_ root: JSONValue) throws(SiteAssociation.Failure) {
        // Read the members in file order to report the first error in the file.
        for member in try object(root, at: "").members {
            switch Service(rawValue: member.key) {
            case .none: unknownMembers.append(member)
            case .applinks: appLinks = try appLinks(member.value)
            case .some(let service): apps[service] = try apps(of: service, member.value)
            }
        }
    }

    /// Reads a service. The `apps` may be missing: real files contain services such as `"appclips": {}`.
    private func apps(of service: Service, _ value: JSONValue) throws(SiteAssociation.Failure) -> [SiteAssociation.App]
    {
        let object = try self.object(value, at: service.rawValue)
        return try apps(object["apps"], at: "\(service.rawValue).apps") ?? []
    }

    private func appLinks(_ value: JSONValue) throws(SiteAssociation.Failure) -> AppLinks {
        let object = try self.object(value, at: "applinks")
        let legacyApps = try apps(object["apps"], at: "applinks.apps")
        guard let details = object["details"] else {
            return AppLinks(object: object, form: nil, details: [], legacyApps: legacyApps)
        }
        var read: [AppLinks.Detail] = []
        switch details.content {
        case .array(let entries):
            for (index, entry) in entries.enumerated() {
                read.append(try detail(entry, at: "applinks.details[\(index)]"))
            }
            return AppLinks(object: object, form: .array, details: read, legacyApps: legacyApps)
        case .object(let entries):
            for entry in entries.members { read.append(try legacyDetail(entry)) }
            return AppLinks(object: object, form: .dictionary, details: read, legacyApps: legacyApps)
        case .string, .number, .boolean, .null:
            throw .wrongKind(
                details.location, path: "applinks.details", found: details.kind, expected: "an array of objects")
        }
    }

    private func detail(_ entry: JSONValue, at path: String) throws(SiteAssociation.Failure) -> AppLinks.Detail {
        let object = try self.object(entry, at: path)
        // Validate both keys, because older devices read `appID`.
        let several = try apps(object["appIDs"], at: "\(path).appIDs")
        var one: [SiteAssociation.App] = []
        if let value = object["appID"] { one = [try app(value, at: "\(path).appID")] }
        return AppLinks.Detail(apps: several ?? one, object: object, location: entry.location)
    }

    private func legacyDetail(_ entry: JSONObject.Member) throws(SiteAssociation.Failure) -> AppLinks.Detail {
        let path = "applinks.details"
        let app = try app(entry.key, at: entry.keyLocation, path: path)
        let object = try self.object(entry.value, at: "\(path)[\(entry.key.excerpt)]")
        return AppLinks.Detail(apps: [app], object: object, location: entry.keyLocation)
    }

    /// Reads an array of apps.
    ///
    /// A device skips a value that is not an array, and an element that is not a string. This reader rejects both,
    /// because the device would silently ignore the intended app.
    private func apps(_ value: JSONValue?, at path: String) throws(SiteAssociation.Failure) -> [SiteAssociation.App]? {
        guard let value else { return nil }
        guard let elements = value.array else {
            throw .wrongKind(
                value.location, path: path, found: value.kind, expected: "an array of application identifiers")
        }
        var apps: [SiteAssociation.App] = []
        for (index, element) in elements.enumerated() { apps.append(try app(element, at: "\(path)[\(index)]")) }
        return apps
    }

    private func app(_ value: JSONValue, at path: String) throws(SiteAssociation.Failure) -> SiteAssociation.App {
        guard let text = value.string else {
            throw .wrongKind(
                value.location, path: path, found: value.kind, expected: "a string with an application identifier")
        }
        return try app(text, at: value.location, path: path)
    }

    private func app(
        _ text: String, at location: SourceLocation, path: String
    ) throws(SiteAssociation.Failure) -> SiteAssociation.App {
        do {
            return SiteAssociation.App(identifier: try AppIdentifier(text), location: location)
        } catch {
            throw .identifier(location, path: path, error)
        }
    }

    private func object(_ value: JSONValue, at path: String) throws(SiteAssociation.Failure) -> JSONObject {
        guard let object = value.object else {
            throw .wrongKind(value.location, path: path, found: value.kind, expected: "an object")
        }
        return object
    }
}
