import Certificates
import MotivatorPlatform

/// Creates the certificates in a chain. They are valid unless changed.
struct ChainWorkshop: Sendable {
    /// A certificate and its private key.
    struct Made {
        let certificate: Certificate
        let key: PrivateKey
    }

    typealias Change = (inout CertificateDraft) -> Void

    /// Creates a CA certificate. Without an `issuer`, it is a self-signed root.
    func authority(
        _ name: String, by issuer: Made? = nil, key: PrivateKey? = nil, _ change: Change = { _ in }
    ) throws -> Made {
        var draft = CertificateDraft(
            organization: nil, commonName: name, notBefore: newYear - 30 * day, notAfter: newYear + 1000 * day,
            extensions: [
                .init("basicConstraints", "CA:TRUE", isCritical: true),
                .init("keyUsage", "keyCertSign", isCritical: true), .init("subjectKeyIdentifier", "hash"),
            ] + (issuer == nil ? [] : [.init("authorityKeyIdentifier", "keyid:always")]))
        change(&draft)
        let key = try key ?? PrivateKey.generate(.p256)
        return Made(
            certificate: try draft.signed(for: key, issuer: issuer?.certificate, issuerKey: issuer?.key ?? key),
            key: key)
    }

    /// Creates a server certificate for `a.test`. Without an issuer, it is self-signed.
    func leaf(
        _ names: String = "DNS:a.test", by issuer: Made?, key: PrivateKey? = nil, _ change: Change = { _ in }
    ) throws -> Made {
        var draft = CertificateDraft(
            organization: nil, commonName: "a.test", notBefore: newYear - day, notAfter: newYear + 89 * day,
            extensions: [
                .init("basicConstraints", "CA:FALSE", isCritical: true),
                .init("keyUsage", "digitalSignature", isCritical: true), .init("extendedKeyUsage", "serverAuth"),
                .init("subjectKeyIdentifier", "hash"),
            ])
        if issuer != nil { draft.extensions.append(.init("authorityKeyIdentifier", "keyid:always")) }
        if !names.isEmpty { draft.extensions.append(.init("subjectAltName", names)) }
        change(&draft)
        let key = try key ?? PrivateKey.generate(.p256)
        return Made(
            certificate: try draft.signed(for: key, issuer: issuer?.certificate, issuerKey: issuer?.key ?? key),
            key: key)
    }

    /// Creates a root, an intermediate and a leaf. Each can be changed.
    func chain(
        _ names: String = "DNS:a.test", host: String = "a.test", leafKey: PrivateKey? = nil, root: Change = { _ in },
        intermediate: Change = { _ in }, intermediateKey: PrivateKey? = nil, leaf: Change = { _ in }
    ) throws -> Shown {
        let top = try authority("Root", root)
        let middle = try authority("Intermediate", by: top, key: intermediateKey, intermediate)
        let bottom = try self.leaf(names, by: middle, key: leafKey, leaf)
        return Shown([bottom, middle], trust: [top], host: host)
    }

    /// The certificates that a server sends, and the verifier's input.
    struct Shown {
        var served: [Certificate]
        var trust: [Certificate]
        var host = "a.test"
        var time = newYear

        init(_ served: [Made], trust: [Made], host: String = "a.test") {
            self.served = served.map(\.certificate)
            self.trust = trust.map(\.certificate)
            self.host = host
        }

        /// Returns a changed copy.
        func with(_ change: (inout Shown) -> Void) -> Shown {
            var copy = self
            change(&copy)
            return copy
        }
    }
}

extension CertificateDraft {
    /// Removes an extension.
    mutating func remove(_ name: String) { extensions.removeAll { $0.name == name } }

    /// Adds an extension, or replaces the extension with this name.
    mutating func set(_ name: String, _ value: String, isCritical: Bool = false) {
        remove(name)
        extensions.append(.init(name, value, isCritical: isCritical))
    }

    /// Sets the validity to this number of days.
    mutating func last(_ days: Int, from start: UnixTime? = nil) {
        notBefore = start ?? notBefore
        notAfter = notBefore + UnixTime(days) * day
    }
}
