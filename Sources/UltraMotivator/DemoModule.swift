package import Accounts
package import Certificates
package import MotivatorPlatform
package import MotivatorServer
package import MotivatorTLS

/// A part of the program that adds hosts and routes to the demo, such as the hosts that are broken on purpose.
package protocol DemoModule: Sendable {
    /// The page of the module, to which the header and the home page link; nil for none.
    var page: ModulePage? { get }

    /// Loads the hosts and routes, on start and on each reload.
    ///
    /// - Parameter context: the configuration of the server.
    /// - Throws: an `ExplainedError` if something cannot be read or created.
    func load(_ context: DemoModuleContext) throws -> DemoAddition
}

/// A page of a module, with the texts of the links to it.
package struct ModulePage: Sendable {
    package let path: String
    /// The text in the header.
    package let name: String
    /// The text on the home page: what a reader does there, and with what.
    package let task: String
    package let subject: String

    package init(path: String, name: String, task: String, subject: String) {
        self.path = path
        self.name = name
        self.task = task
        self.subject = subject
    }
}

/// The configuration of a server, for its modules.
package struct DemoModuleContext: Sendable {
    /// The hosts of the demo in lower case, at least one, without `localhost`.
    package let domains: [String]
    /// The HTTPS port.
    package let port: UInt16
    /// The development CA; nil with a given certificate.
    package let authority: Authority?
    /// The keys of session tickets, which all contexts share.
    package let tickets: TicketKeys
    package let now: UnixTime
    package let pages: Pages
    /// The accounts, whose store may share limits with other servers.
    package let accounts: Accounts
}

/// The hosts and routes of a module.
package struct DemoAddition: Sendable {
    /// The additional hosts.
    package var sites: [(host: String, site: Site)] = []
    /// Adds routes to a host of the demo, whose name is the second argument.
    package var addRoutes: @Sendable (inout Site, String) -> Void = { _, _ in }
    /// The descriptions of these routes in the OpenAPI document, by path.
    package var paths: [String: JSONNode] = [:]
    /// Selects the TLS settings of the additional hosts.
    package var choose: TLSContext.Choice = { _ in nil }
    /// Decides how handshakes continue.
    package var greet: TLSContext.Greeting?

    /// Creates an addition of nothing.
    package init() {}
}
