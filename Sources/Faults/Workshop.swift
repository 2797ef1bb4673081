import Accounts
import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS

/// The tools and values for building a broken host.
struct Workshop: Sendable {
    /// An association file with its media type.
    struct File: Sendable {
        var bytes: [UInt8]
        var type: String

        static func json(_ text: String) -> File { File(bytes: Array(text.utf8), type: "application/json") }
        static func signed(_ bytes: [UInt8]) -> File { File(bytes: bytes, type: "application/pkcs7-mime") }
    }

    static let otherApp = "D3KQX62K1A.com.example.DemoAdminApp"

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

    var plain: File { .json(Self.file()) }

    /// Returns the correct file with other apps, or with additional members before or after the service.
    static func file(apps: [String] = [FaultHost.app, otherApp], before: String = "", after: String = "") -> String {
        let list = apps.map { "\"\($0)\"" }.joined(separator: ", ")
        return "{\n  \(before)\"webcredentials\": {\n    \"apps\": [\(list)]\n  }\(after)\n}\n"
    }

    /// Returns a file that is signed for the host. The content is the correct file by default.
    func signed(_ content: [UInt8]? = nil) throws -> File { .signed(try sign(content: content)) }

    func sign(
        by signers: [Identity]? = nil, content: [UInt8]? = nil, _ edit: (inout CMSDraft) -> Void = { _ in }
    ) throws -> [UInt8] {
        var draft = CMSDraft(signers: try signers ?? [identity()])
        edit(&draft)
        return try draft.sign(content ?? plain.bytes)
    }

    // Identities

    /// Issues an identity for the host.
    func identity(
        _ name: String? = nil, kind: PrivateKey.Kind = .p256, _ edit: (inout CertificateDraft) -> Void = { _ in }
    ) throws -> Identity {
        try authority.issue(draft(name, kind, edit), key: PrivateKey.generate(kind))
    }

    func selfSigned() throws -> Identity {
        let key = try PrivateKey.generate(.p256)
        let certificate = try draft(nil, .p256).signed(for: key, issuer: nil, issuerKey: key)
        return Identity(certificate: certificate, key: key, chain: [])
    }

    /// Returns an identity whose chain ends in a root that no client trusts.
    func strange() throws -> Identity {
        let key = try PrivateKey.generate(.p256)
        let certificate = try draft(nil, .p256).signed(for: key, issuer: stranger.certificate, issuerKey: stranger.key)
        return Identity(certificate: certificate, key: key, chain: [stranger.certificate] + stranger.chain)
    }

    private func draft(
        _ name: String?, _ kind: PrivateKey.Kind, _ edit: (inout CertificateDraft) -> Void = { _ in }
    ) throws -> CertificateDraft {
        var draft = CertificateDraft.server(
            [try SubjectName(name ?? host)], kind: kind, notBefore: now - 3_600, notAfter: now + 90 * 86_400)
        edit(&draft)
        return draft
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
            let key = try PrivateKey.generate(.p256)
            let certificate = try draft.signed(for: key, issuer: issuer?.certificate, issuerKey: issuer?.key ?? key)
            return Identity(certificate: certificate, key: key, chain: [issuer?.certificate].compactMap(\.self))
        }
        return try authority("Untrusted intermediate", by: authority("Untrusted root", by: nil))
    }

    // Hosts

    /// Returns a host that serves the correct file, plain and signed, with the same fault in both responses.
    func both(_ reply: (File) -> BrokenHost.Reply) throws -> BrokenHost {
        BrokenHost(wellKnown: reply(plain), root: reply(try signed()))
    }

    /// Returns a host with a faulty file. The file at the root path is signed.
    func content(_ text: String) throws -> BrokenHost { try content(Array(text.utf8)) }

    func content(_ bytes: [UInt8]) throws -> BrokenHost {
        BrokenHost(wellKnown: send(.init(bytes: bytes, type: "application/json")), root: send(try signed(bytes)))
    }

    /// Returns a host with the same signed file at both paths.
    func message(_ bytes: [UInt8], type: String = "application/pkcs7-mime") -> BrokenHost {
        let reply = send(File(bytes: bytes, type: type))
        return BrokenHost(wellKnown: reply, root: reply)
    }

    /// Returns a host with a certificate that clients must reject.
    func handshake(with identity: Identity) throws -> BrokenHost {
        var host = try both(send)
        host.handshake = .certificate(try TLSContext(identity: identity, tickets: tickets, settings: .anyIdentity))
        return host
    }

    func handshake(_ handshake: Handshake) throws -> BrokenHost {
        var host = try both(send)
        host.handshake = handshake
        return host
    }

    // Responses

    func send(_ file: File) -> BrokenHost.Reply { send(file, 200) }

    func send(_ file: File, _ status: Int, _ fields: HTTPFields = [:]) -> BrokenHost.Reply {
        var response = Response(.registered(status), fields: fields, content: file.bytes)
        if !file.type.isEmpty { response.fields[.contentType] = file.type }
        response.fields[.cacheControl] = "no-store"
        return { [response] _ in response }
    }

    func status(_ code: Int, _ fields: HTTPFields = [:]) -> BrokenHost.Reply {
        let hasContent = ![204, 304].contains(code)
        let text = hasContent ? "This host responds with status \(code) on purpose.\n" : ""
        return send(File(bytes: Array(text.utf8), type: hasContent ? "text/plain; charset=utf-8" : ""), code, fields)
    }

    func redirect(_ code: Int, to location: String) -> BrokenHost.Reply { status(code, [.location: location]) }

    /// Returns a host that redirects to the correct file at another path.
    func redirecting(_ code: Int, to base: String = "") throws -> BrokenHost {
        BrokenHost(
            wellKnown: redirect(code, to: base + "/moved/plain"), root: redirect(code, to: base + "/moved/signed"),
            others: ["/moved/plain": send(plain), "/moved/signed": send(try signed())])
    }

    /// Returns a reply that calls a script to write the response.
    func write(_ script: @escaping @Sendable (any ResponseWriter) async -> Void) -> BrokenHost.Reply {
        { request in
            // A response to HEAD has no content to break.
            if request.head.method == .get, let connection = request.connection { await script(connection) }
            return Response(.ok)
        }
    }

    /// Returns the head of a response for a file. The connection closes after the response.
    func head(_ file: File, _ fields: String) -> [UInt8] {
        Array(
            "HTTP/1.1 200 OK\r\nContent-Type: \(file.type)\r\nCache-Control: no-store\r\n\(fields)Connection: close\r\n\r\n"
                .utf8)
    }

    func head(_ file: File, length: Int? = nil) -> [UInt8] {
        head(file, "Content-Length: \(length ?? file.bytes.count)\r\n")
    }

    func halves(_ file: File) -> ([UInt8], [UInt8]) {
        let middle = file.bytes.count / 2
        return (Array(file.bytes[..<middle]), Array(file.bytes[middle...]))
    }
}

/// Counters for each client's first requests to each host, for faults that clear after some requests.
///
/// Servers that use the same database share these counters. While the database is unavailable, each server keeps its own.
final class RequestCounters: Sendable {
    /// The maximum number of counters. At this number, all counters are reset.
    private static let capacity = 10_000

    private struct Key: Hashable {
        let host: String
        let client: ClientAddress
    }

    private let counts = Guarded<[Key: Int]>([:])

    /// Counts a request, and returns whether it is one of the client's first two requests.
    func isEarly(_ host: String, _ client: ClientAddress, _ accounts: Accounts) async -> Bool {
        let limit = Self.limit(host)
        if let token = await accounts.takeShared(limit, of: client) { return token == .taken }
        return counts.withLock { counts in
            if counts.count >= Self.capacity { counts = [:] }
            counts[Key(host: host, client: client), default: 0] += 1
            return counts[Key(host: host, client: client), default: 0] <= limit.burst
        }
    }

    func reset(_ hosts: [String], _ client: ClientAddress, _ accounts: Accounts) async {
        counts.withLock { $0 = $0.filter { $0.key.client != client } }
        for host in hosts { await accounts.resetShared(Self.limit(host), of: client) }
    }

    private static func limit(_ host: String) -> ClientLimit { ClientLimit("faults:\(host)", burst: 2, perHour: 0) }
}
