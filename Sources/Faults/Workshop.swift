import Accounts
import AssociationChecker
import Certificates
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS

/// The tools and values for building a broken host.
struct Workshop: Sendable {
    /// The name of the host to build.
    let host: String
    /// The domain of the server, which serves an intact file.
    let domain: String
    let port: UInt16
    let now: UnixTime
    let authority: Certificates.Authority
    /// An intermediate CA below a root that no client trusts.
    let stranger: Identity
    let tickets: TicketKeys
    let counters: RequestCounters
    let accounts: Accounts
    let file: IntactFile

    var plain: Reply { Reply(json: file.text) }

    /// Returns a file that is signed for the host. The content is the correct file by default.
    func signed(_ content: [UInt8]? = nil) throws -> Reply { Reply(signed: try sign(content: content)) }

    func sign(
        by signers: [Identity]? = nil, content: [UInt8]? = nil, _ edit: (inout CMSDraft) -> Void = { _ in }
    ) throws -> [UInt8] {
        var draft = CMSDraft(signers: try signers ?? [identity()])
        edit(&draft)
        return try draft.sign(content ?? Array(file.text.utf8))
    }

    // Identities

    func identity(
        _ name: String? = nil, kind: PrivateKey.Kind = .p256, _ edit: (inout CertificateDraft) -> Void = { _ in }
    ) throws -> Identity {
        var draft = try draft(name, kind)
        edit(&draft)
        return try authority.issue(draft, key: PrivateKey.generate(kind))
    }

    func expired() throws -> Identity {
        try identity {
            $0.notBefore = now - 31 * 86_400
            $0.notAfter = now - 86_400
        }
    }

    func selfSigned() throws -> Identity { try Self.signed(draft(), by: nil) }

    /// Returns an identity whose chain ends in a root that no client trusts.
    func strange() throws -> Identity { try Self.signed(draft(), by: stranger) }

    private static func signed(_ draft: CertificateDraft, by issuer: Identity?) throws -> Identity {
        let key = try PrivateKey.generate(.p256)
        let certificate = try draft.signed(for: key, issuer: issuer?.certificate, issuerKey: issuer?.key ?? key)
        return Identity(certificate: certificate, key: key, chain: issuer.map { [$0.certificate] + $0.chain } ?? [])
    }

    private func draft(_ name: String? = nil, _ kind: PrivateKey.Kind = .p256) throws -> CertificateDraft {
        CertificateDraft.server(
            [try SubjectName(name ?? host)], kind: kind, notBefore: now - 3_600, notAfter: now + 90 * 86_400)
    }

    static func makeStranger(_ now: UnixTime) throws -> Identity {
        func authority(_ name: String, by issuer: Identity?) throws -> Identity {
            let draft = CertificateDraft(
                organization: "Untrusted", commonName: name, notBefore: now - 3_600, notAfter: now + 90 * 86_400,
                extensions: [
                    .init("basicConstraints", "CA:TRUE", isCritical: true),
                    .init("keyUsage", "keyCertSign,cRLSign", isCritical: true), .init("subjectKeyIdentifier", "hash"),
                    .init("authorityKeyIdentifier", "keyid"),
                ])
            return try signed(draft, by: issuer)
        }
        return try authority("Untrusted intermediate", by: authority("Untrusted root", by: nil))
    }

    // Hosts

    /// Returns a host that serves the correct file, plain and signed, with the same fault in both responses.
    func both(_ edit: (inout Reply) -> Void) throws -> BrokenHost {
        var host = BrokenHost(wellKnown: plain, root: try signed())
        for path in host.replies.keys { edit(&host.replies[path, default: plain]) }
        return host
    }

    /// Returns a host with a reply for each path of the file.
    func paths(_ reply: (String) -> Reply) -> BrokenHost {
        BrokenHost(wellKnown: reply(FilePath.wellKnown.text), root: reply(FilePath.root.text))
    }

    /// Returns a host with a faulty file. The file at the root path is signed.
    func content(_ text: String) throws -> BrokenHost { try content(Array(text.utf8)) }

    func content(_ bytes: [UInt8]) throws -> BrokenHost {
        BrokenHost(wellKnown: Reply(bytes, type: "application/json"), root: try signed(bytes))
    }

    /// Returns a host with the same signed file at both paths.
    func message(_ bytes: [UInt8], type: String = "application/pkcs7-mime") -> BrokenHost {
        paths { _ in Reply(bytes, type: type) }
    }

    func handshake(_ handshake: Handshake) throws -> BrokenHost {
        var host = try both { _ in }
        host.handshake = handshake
        return host
    }

    /// Returns a host that redirects to the correct file at another path.
    func redirecting(_ code: Int, to base: String = "") throws -> BrokenHost {
        var host = BrokenHost(
            wellKnown: Reply(redirect: code, to: base + "/moved/plain"),
            root: Reply(redirect: code, to: base + "/moved/signed"))
        host.replies["/moved/plain"] = plain
        host.replies["/moved/signed"] = try signed()
        return host
    }
}

/// Counters for each client's first requests to each host, for faults that clear after some requests.
///
/// Servers that use the same database share these counters. While the database is unavailable, each server keeps its own.
final class RequestCounters: Sendable {
    /// The maximum number of clients. At this number, all counters are reset.
    private static let capacity = 10_000

    /// The counters of each client, by host.
    private let counts = Guarded<[ClientAddress: [String: Int]]>([:])

    /// Counts a request, and returns whether it is one of the client's first two requests.
    func isEarly(_ host: String, _ client: ClientAddress, _ accounts: Accounts) async -> Bool {
        let limit = Self.limit(host)
        if let token = await accounts.takeShared(limit, of: client) { return token == .taken }
        return counts.withLock { counts in
            if counts.count >= Self.capacity { counts = [:] }
            let count = counts[client]?[host] ?? 0
            counts[client, default: [:]][host] = count + 1
            return count < limit.burst
        }
    }

    func reset(_ hosts: [String], _ client: ClientAddress, _ accounts: Accounts) async {
        counts.withLock { $0[client] = nil }
        for host in hosts { await accounts.resetShared(Self.limit(host), of: client) }
    }

    private static func limit(_ host: String) -> ClientLimit { ClientLimit("faults:\(host)", burst: 2, perHour: 0) }
}
