public import TLS

/// What a server answers with and as whom; a reload replaces it as a whole, and each loop holds its own copy.
public struct ServerSnapshot: Sendable {
    /// Hosts and routes of the TLS ports.
    public var router: Router
    /// Hosts and routes of the plain port.
    public var plainRouter: Router
    /// The identity for TLS; nil when no TLS port is open.
    public var context: TLSContext?

    /// - Parameters:
    ///   - router: hosts and routes of the TLS ports.
    ///   - plainRouter: hosts and routes of the plain port.
    ///   - context: the identity for TLS.
    public init(router: Router, plainRouter: Router, context: TLSContext?) {
        self.router = router
        self.plainRouter = plainRouter
        self.context = context
    }
}
