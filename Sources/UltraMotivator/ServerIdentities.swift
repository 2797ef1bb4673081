package import Certificates
package import Logging
import MotivatorPlatform
package import MotivatorTLS

/// The server's certificates: a user-supplied certificate for every host, or leaves that the development CA issues on
/// demand.
package final class ServerIdentities: Sendable {
    package enum Source: Sendable {
        case authority(Authority)
        case given(Identity)
    }

    private let source: Source
    private let domains: [String]
    private let addresses: [String]
    private let tickets: TicketKeys
    private let log: Logger
    /// The contexts by name; nil if the certificate could not be issued. The next reload tries again.
    private let contexts = Guarded<[String: TLSContext?]>([:])
    private let inUse = Guarded<[String: Certificate]>([:])

    /// - Parameters:
    ///   - domains: the served hosts in lower case. The server does not issue certificates for other hosts.
    ///   - addresses: the additional names and addresses in the certificate for clients without SNI.
    package init(_ source: Source, domains: [String], addresses: [String], tickets: TicketKeys, log: Logger) {
        (self.source, self.domains, self.addresses, self.tickets) = (source, domains, addresses, tickets)
        self.log = log
    }

    /// The root of the development CA; nil with a user-supplied certificate.
    package var root: Certificate? { authority?.root }

    /// The development CA; nil with a user-supplied certificate.
    var authority: Authority? {
        switch source {
        case .authority(let authority): authority
        case .given: nil
        }
    }

    /// Returns whether the certificates cover a name or an address of this server.
    func covers(_ host: String) -> Bool {
        switch source {
        case .given(let identity): identity.certificate.matches(host: host)
        case .authority: domains.contains(host) || addresses.contains(host)
        }
    }

    /// Loads or issues the certificate for a served host.
    package func identity(for host: String) throws -> Identity {
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

    /// Returns the problems with a user-supplied certificate for a host. Certificates from the development CA have no
    /// such problems.
    func problems(for host: String, at now: UnixTime) -> [ServedContentIssue] {
        switch source {
        case .given(let identity): ServedContentIssue.problems(of: identity.certificate, for: host, at: now)
        case .authority: []
        }
    }

    /// Creates the context that every handshake starts with.
    /// - Parameter recordsHello: whether sessions keep the client hello.
    package func context(_ addition: DemoAddition? = nil, recordsHello: Bool = false) throws -> TLSContext {
        try TLSContext(
            identity: identity(for: domains[0]), tickets: tickets,
            choose: { [self] name in
                guard let name, case .authority = source else { return nil }
                return context(for: name) ?? addition?.choose(name)
            }, greet: addition?.greet ?? (recordsHello ? { _ in .proceed } : nil))
    }

    var expirations: [(host: String, notAfter: UnixTime)] {
        inUse.withLock { $0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value.notAfter) }
    }

    /// Returns whether a certificate in use has a successor. The CA renews a leaf when a third of its lifetime remains.
    package func haveSuccessors() throws -> Bool {
        for (host, certificate) in inUse.withLock({ $0 }) where try current(for: host).certificate != certificate {
            return true
        }
        return false
    }

    private func context(for name: String) -> TLSContext? {
        guard name != domains[0], domains.contains(name) || addresses.contains(name) else { return nil }
        if let known = contexts.withLock({ $0[name] }) { return known }
        // Concurrent handshakes may both reach this point. They use the same files, and the later context replaces the
        // other.
        let context: TLSContext?
        do {
            context = try TLSContext(identity: identity(for: name), tickets: tickets)
        } catch {
            log.error(
                "no certificate for \(name), using the certificate for \(domains[0]) until the next reload: \(error)")
            context = nil
        }
        contexts.withLock { $0[name] = .some(context) }
        return context
    }
}
