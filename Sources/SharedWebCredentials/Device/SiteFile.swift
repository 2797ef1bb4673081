public import AssociatedDomains
import AssociationChecker

/// An association file that a site delivered, with what a device takes from it.
public struct SiteFile: Sendable, Hashable {
    /// The JSON, without an envelope.
    public let json: [UInt8]
    /// The apps of each service that the file has, as it writes them.
    public let apps: [Service: [String]]

    /// - Parameter json: the JSON of a file.
    /// - Returns: nil when a device cannot read it.
    public init?(json: [UInt8]) {
        guard json.count <= SiteAssociation.maximumSize,
            let association = Checker(CheckRequest(), at: 0).check(file: json, name: "").association
        else { return nil }
        self.json = json
        apps = association.apps.mapValues { $0.map(\.text) }
    }

    /// Whether the file names an app for a service.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - service: the service.
    public func names(_ app: AppIdentifier, for service: Service) -> Bool {
        apps[service]?.contains(where: app.isNamed) ?? false
    }
}
