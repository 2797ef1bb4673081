import MotivatorPlatform
package import SourceJSON

/// The valid statements of an assetlinks.json file (Digital Asset Links, "Statement list syntax").
package struct AssetLinks: Sendable {
    package static let path = "/.well-known/assetlinks.json"
    /// The maximum size of a file that the checker reads, in bytes. The documentation specifies no limit.
    package static let maximumSize = 1 << 20

    /// A relation that the checker evaluates. Discarding all other relations limits the cost of a malicious file.
    package enum Relation: String, CaseIterable, Sendable {
        /// The site shares its passwords with the app.
        case credentials = "delegate_permission/common.get_login_creds"
        /// The app may open the links of the site.
        case links = "delegate_permission/common.handle_all_urls"
        /// The app may show the site as its own content.
        case origin = "delegate_permission/common.use_as_origin"

        package static let shared = [Relation.credentials, .links]

        /// The word after the last dot, such as `handle_all_urls`.
        package var name: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }

        /// What the relation is for, as the beginning of a sentence.
        package var meaning: String {
            switch self {
            case .credentials: "Passwords and passkeys"
            case .links: "Links"
            case .origin: "Content of the site in the app"
            }
        }
    }

    package enum Target: Sendable, Hashable {
        case app(package: String, fingerprints: [CertificateFingerprint])
        case site(String)

        /// The target as text: the site, or `PACKAGE=FINGERPRINT` for each fingerprint of the app.
        package var names: [String] {
            switch self {
            case .app(let package, let fingerprints): fingerprints.map { "\(package)=\($0)" }
            case .site(let site): [site]
            }
        }
    }

    package struct Statement: Sendable {
        package let relations: Set<Relation>
        package let target: Target
        package let location: SourceLocation

        package init(relations: Set<Relation>, target: Target, location: SourceLocation) {
            (self.relations, self.target, self.location) = (relations, target, location)
        }

        package var package: String? { if case .app(let package, _) = target { package } else { nil } }

        /// Returns whether the statement lists an app. If the app has no fingerprint, only the package name must match.
        package func lists(_ app: AndroidApp) -> Bool {
            guard case .app(app.package, let fingerprints) = target else { return false }
            return app.fingerprint.map(fingerprints.contains) ?? true
        }
    }

    /// Whether the file is an array. Any other file has no readable statements.
    package var isList = false
    package var statements: [Statement] = []
    /// The statement lists that the file includes. The checker does not read them.
    package var includes: [String] = []

    package init() {}

    package var relations: [Relation] {
        Relation.allCases.filter { relation in statements.contains { $0.relations.contains(relation) } }
    }

    package func targets(of relation: Relation) -> [String] {
        statements.filter { $0.relations.contains(relation) }.flatMap(\.target.names).distinct
    }

    package var packages: [String] { statements.compactMap(\.package).distinct }

    /// The distinct packages of the apps that may open the links of the site, in file order.
    package var openers: [String] {
        statements.filter { $0.relations.contains(.links) }.compactMap(\.package).distinct
    }

    /// Returns the first app that may open the site's links, with the location of its statement.
    /// - Parameter apps: The apps to consider, or an empty array for all apps in the file.
    /// - Returns: The app, or nil if no app may open the links.
    package func opener(of apps: [AndroidApp]) -> (package: String, location: SourceLocation)? {
        let statement = statements.first { statement in
            statement.relations.contains(.links) && statement.package != nil
                && (apps.isEmpty || apps.contains(where: statement.lists))
        }
        return statement.flatMap { statement in statement.package.map { ($0, statement.location) } }
    }

    /// Returns whether JSON looks like a statement list rather than Apple's file. The list may contain errors.
    package static func isContent(_ root: JSONValue) -> Bool {
        let keys = ["relation", "target", "include"]
        if let statements = root.array?.compactMap(\.object) {
            return statements.contains { statement in keys.contains { statement[$0] != nil } }
        }
        return root.object?["relation"] != nil && root.object?["target"] != nil
    }
}
