package import Accounts
package import Certificates
package import MotivatorPlatform
package import MotivatorServer
package import MotivatorTLS

/// The module with the hosts and paths that are broken on purpose. It imports this module.
package protocol DemoModule: Sendable {
    /// The Mustache templates of the module, by name.
    var templates: [String: [UInt8]] { get }

    /// Takes over the counters of the module that this module replaces.
    mutating func keepCounters(of old: any DemoModule)

    /// Loads the hosts and routes at startup and on each reload.
    /// - Throws: an `ExplainedError` if a host or route cannot be created.
    func load(_ context: DemoModuleContext) throws -> DemoAddition
}

/// The configuration that a server passes to the module.
package struct DemoModuleContext: Sendable {
    /// The hosts of the demo in lower case, at least one, without `localhost`.
    package let domains: [String]
    package let port: UInt16
    /// The development CA; nil with a user-supplied certificate.
    package let authority: Authority?
    /// The session ticket keys that all TLS contexts share.
    package let tickets: TicketKeys
    package let now: UnixTime
    package let pages: Pages
    package let version: String
    /// The accounts, whose store may share limits with other servers.
    package let accounts: Accounts
}

package struct DemoAddition: Sendable {
    package var sites: [(host: String, site: Site)] = []
    /// Adds routes to a host of the demo. The second argument is the host's name.
    package var addRoutes: @Sendable (inout Site, String) -> Void = { _, _ in }
    /// The descriptions of these routes in the OpenAPI document, by path.
    package var paths: [String: JSONNode] = [:]
    /// Selects the TLS context of an additional host.
    package var choose: TLSContext.Choice = { _ in nil }
    /// Decides how a handshake continues after the client hello.
    package var greet: TLSContext.Greeting?

    package init() {}
}
