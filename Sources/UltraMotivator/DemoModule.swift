package import Accounts
package import Certificates
package import MotivatorPlatform
package import MotivatorServer
package import MotivatorTLS

/// A module that adds hosts and routes to the demo, such as the hosts that are broken on purpose.
package protocol DemoModule: Sendable {
    /// The module's page, linked from the header and the home page; nil for none.
    var page: ModulePage? { get }
    /// The Mustache templates of the module, by name.
    var templates: [String: [UInt8]] { get }

    /// Loads the hosts and routes at startup and on each reload.
    /// - Throws: an `ExplainedError` if a host or route cannot be created.
    func load(_ context: DemoModuleContext) throws -> DemoAddition
}

/// A page of a module, with its link texts.
package struct ModulePage: Sendable {
    package let path: String
    /// The text in the header.
    package let name: String
    /// The link text on the home page, such as "Test with faults".
    package let task: String
    /// The text after this link, such as "Use hosts that are broken on purpose."
    package let subject: String

    package init(path: String, name: String, task: String, subject: String) {
        (self.path, self.name, self.task, self.subject) = (path, name, task, subject)
    }
}

/// The configuration that a server passes to its modules.
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
