public import Certificates
public import Logging
import Platform
public import TLS

/// Who the server is: a given certificate for every host, or leaves of the development authority made when they are
/// first asked for.
public final class ServerIdentities: Sendable {
    /// Where the identities come from.
    public enum Source: Sendable {
        case authority(Authority)
        case given(Identity)
    }

    private let source: Source
    private let domains: [String]
    private let addresses: [String]
    private let tickets: TicketKeys
    private let log: Logger
    /// By name; nil for one whose identity could not be made, which is not tried again before the next reload.
    private let contexts = Guarded<[String: TLSContext?]>([:])
    private let inUse = Guarded<[String: Certificate]>([:])

    /// - Parameters:
    ///   - source: where the identities come from.
    ///   - domains: the hosts that are served, lower case; a client cannot make the server sign for others.
    ///   - addresses: names and addresses that the certificate shown without SNI covers besides the first domain.
    ///   - tickets: the keys of session tickets, which outlive a reload.
    ///   - log: is told of identities that cannot be made in a handshake.
    public init(_ source: Source, domains: [String], addresses: [String], tickets: TicketKeys, log: Logger) {
        self.source = source
        self.domains = domains
        self.addresses = addresses
        self.tickets = tickets
        self.log = log
    }

    /// The development authority's root, for people to trust; nil with a given certificate.
    public var root: Certificate? {
        switch source {
        case .authority(let authority): authority.root
        case .given: nil
        }
    }

    /// The identity for a host that is served, read or made now.
    public func identity(for host: String) throws -> Identity {
        let identity = try current(for: host)
        inUse.withLock { $0[host] = identity.certificate }
        return identity
    }

    private func current(for host: String) throws -> Identity {
        switch source {
        case .given(let identity): identity
        case .authority(let authority): try authority.identity(for: host, also: host == domains[0] ? addresses : [])
        }
    }

    /// The context that every handshake begins with.
    ///
    /// - Throws: when the first domain's identity cannot be read or made.
    public func context() throws -> TLSContext {
        try TLSContext(identity: identity(for: domains[0]), tickets: tickets) { [self] name in
            guard let name, case .authority = source else { return nil }
            return context(for: name)
        }
    }

    /// Whether an identity in use has a successor: the authority renews a leaf when a third of its life is left.
    ///
    /// - Throws: when the successor cannot be made.
    public func haveSuccessors() throws -> Bool {
        for (host, certificate) in inUse.withLock({ $0 }) where try current(for: host).certificate != certificate {
            return true
        }
        return false
    }

    private func context(for name: String) -> TLSContext? {
        guard name != domains[0], domains.contains(name) || addresses.contains(name) else { return nil }
        if let known = contexts.withLock({ $0[name] }) { return known }
        // Two handshakes at once may both get here; they find or make the same files, and the later context stays.
        let context: TLSContext?
        do {
            context = try TLSContext(identity: identity(for: name), tickets: tickets)
        } catch {
            log.error("no certificate for \(name), the one of \(domains[0]) is shown until the next reload: \(error)")
            context = nil
        }
        contexts.withLock { $0[name] = .some(context) }
        return context
    }
}
