import Certificates
import MotivatorServer
import MotivatorTLS

extension FaultHost {
    /// Returns a host with a certificate that clients must reject.
    private static func leaf(
        _ name: String, _ summary: String, _ verdicts: String, _ issue: String, note: String? = nil,
        _ identity: @escaping @Sendable (Workshop) throws -> Identity
    ) -> FaultHost {
        FaultHost(.tls, name, summary, verdicts, issue, note: note) { shop in
            let leaf = try identity(shop)
            return try shop.handshake(
                .certificate(TLSContext(identity: leaf, tickets: shop.tickets, settings: .anyIdentity)))
        }
    }

    private static let certificates: [FaultHost] = [
        leaf("expired", "the leaf expired yesterday", "DDDD", "tls-expired") { try $0.expired() },
        leaf("not-yet-valid", "the leaf becomes valid tomorrow", "DDDD", "tls-not-yet-valid") { shop in
            try shop.identity { $0.notBefore = shop.now + 86_400 }
        },
        leaf("wrong-host", "the leaf is for another name", "DDDD", "tls-wrong-host") { shop in
            try shop.identity("another-host.\(shop.domain)")
        },
        leaf("self-signed", "the leaf is self-signed", "DDDD", "tls-self-signed") { try $0.selfSigned() },
        leaf(
            "untrusted-root", "the chain ends in a root that is not the development CA", "DDDD", "tls-untrusted-root"
        ) { try $0.strange() },
        leaf(
            "incomplete-chain", "the intermediate is not sent, and the leaf has no AIA", "DDDD", "tls-incomplete-chain"
        ) { shop in
            let leaf = try shop.identity()
            return Identity(certificate: leaf.certificate, key: leaf.key, chain: [])
        },
        leaf(
            "no-san", "the name is only in the Common Name", "DD??", "tls-no-alternative-name",
            note: "required since iOS 13"
        ) { try $0.identity { $0.removeExtension("subjectAltName") } },
        leaf(
            "too-long", "valid for 826 days", "DD??", "tls-valid-too-long", note: "at most 825 days since iOS 13"
        ) {
            // The validity includes the last second.
            try $0.identity { $0.notAfter = $0.notBefore + 826 * 86_400 - 1 }
        },
        leaf("no-eku", "no extended key usage", "DD??", "tls-no-extended-key-usage", note: "required since iOS 13") {
            try $0.identity { $0.removeExtension("extendedKeyUsage") }
        },
        leaf("rsa-1024", "1024-bit RSA key", "DD??", "tls-weak-key", note: "at least 2048 bits since iOS 13") {
            try $0.identity(kind: .rsa(bits: 1024))
        },
        leaf("sha-1", "leaf signed with SHA-1", "DD??", "tls-weak-digest", note: "SHA-2 since iOS 13") {
            try $0.identity { $0.digest = .sha1 }
        },
    ]

    static let tls =
        certificates + [
            FaultHost(
                .tls, "tls-1-1", "TLS 1.1 is the highest version", "D???", "tls-too-old",
                note: "App Transport Security requires TLS 1.2"
            ) { shop in
                let context = try TLSContext(identity: shop.identity(), tickets: shop.tickets, settings: .outdated)
                return try shop.handshake(.outdated(context))
            },
            FaultHost(.tls, "stall-handshake", "the handshake never ends", "RRRR", "network-timed-out") {
                try $0.handshake(.stall)
            },
            FaultHost(
                .tls, "close-handshake", "the connection closes during the handshake", "RRRR", "network-closed"
            ) { try $0.handshake(.close) },
            FaultHost(.tls, "reset", "the connection is reset after the request", "RRRR", "network-closed") { shop in
                try shop.both { $0.delivery = .reset }
            },
        ]
}
