import Certificates
import MotivatorServer
import MotivatorTLS

extension FaultHost {
    static let tls: [FaultHost] = [
        FaultHost(.tls, "expired", "the leaf expired yesterday", "DDDD", [.tlsExpired]) { shop in
            let leaf = try shop.identity {
                $0.notBefore = shop.now - 31 * 86_400
                $0.notAfter = shop.now - 86_400
            }
            return try shop.handshake(with: leaf)
        },
        FaultHost(.tls, "not-yet-valid", "the leaf becomes valid tomorrow", "DDDD", [.tlsNotYetValid]) { shop in
            try shop.handshake(with: shop.identity { $0.notBefore = shop.now + 86_400 })
        },
        FaultHost(.tls, "wrong-host", "the leaf is for another name", "DDDD", [.tlsWrongHost]) { shop in
            try shop.handshake(with: shop.identity("another-host.\(shop.domain)"))
        },
        FaultHost(.tls, "self-signed", "the leaf is self-signed", "DDDD", [.tlsSelfSigned]) { shop in
            try shop.handshake(with: shop.selfSigned())
        },
        FaultHost(
            .tls, "untrusted-root", "the chain ends in a root that is not the development CA", "DDDD",
            [.tlsUntrustedRoot]
        ) { shop in
            try shop.handshake(with: shop.strange())
        },
        FaultHost(
            .tls, "incomplete-chain", "the intermediate is not sent, and the leaf has no AIA", "DDDD",
            [.tlsIncompleteChain]
        ) { shop in
            let leaf = try shop.identity()
            return try shop.handshake(with: Identity(certificate: leaf.certificate, key: leaf.key, chain: []))
        },
        FaultHost(
            .tls, "no-san", "the name is only in the Common Name", "DD??", [.tlsNoAlternativeName],
            note: "required since iOS 13"
        ) { shop in
            try shop.handshake(with: shop.identity { $0.extensions.removeAll { $0.name == "subjectAltName" } })
        },
        FaultHost(
            .tls, "too-long", "valid for 826 days", "DD??", [.tlsValidTooLong], note: "at most 825 days since iOS 13"
        ) { shop in
            // The validity includes the last second.
            try shop.handshake(with: shop.identity { $0.notAfter = $0.notBefore + 826 * 86_400 - 1 })
        },
        FaultHost(
            .tls, "no-eku", "no extended key usage", "DD??", [.tlsNoExtendedKeyUsage], note: "required since iOS 13"
        ) { shop in
            try shop.handshake(with: shop.identity { $0.extensions.removeAll { $0.name == "extendedKeyUsage" } })
        },
        FaultHost(
            .tls, "rsa-1024", "1024-bit RSA key", "DD??", [.tlsWeakKey], note: "at least 2048 bits since iOS 13"
        ) { shop in
            try shop.handshake(with: shop.identity(kind: .rsa(bits: 1024)))
        },
        FaultHost(.tls, "sha-1", "leaf signed with SHA-1", "DD??", [.tlsWeakDigest], note: "SHA-2 since iOS 13") {
            shop in
            try shop.handshake(with: shop.identity { $0.digest = .sha1 })
        },
        FaultHost(
            .tls, "tls-1-1", "TLS 1.1 is the highest version", "D???", [.tlsTooOld],
            note: "App Transport Security requires TLS 1.2"
        ) { shop in
            let context = try TLSContext(identity: shop.identity(), tickets: shop.tickets, settings: .outdated)
            return try shop.handshake(.outdated(context))
        },
        FaultHost(.tls, "stall-handshake", "the handshake never ends", "RRRR", [.networkTimedOut]) {
            try $0.handshake(.stall)
        },
        FaultHost(
            .tls, "close-handshake", "the connection closes during the handshake", "RRRR", [.networkClosed]
        ) { try $0.handshake(.close) },
        FaultHost(.tls, "reset", "the connection is reset after the request", "RRRR", [.networkClosed]) { shop in
            try shop.both { _ in shop.write { $0.reset() } }
        },
    ]
}
