import Certificates
import MotivatorPlatform

/// The authenticator of a simulated device: keys, authenticator data and signatures (Web Authentication Level 3, 6).
enum PasskeyAuthenticator {
    /// The model of the authenticator. The value identifies this program, never one of Apple's products.
    static let aaguid: [UInt8] = [
        0x75, 0x6C, 0x74, 0x72, 0x61, 0x2D, 0x6D, 0x6F, 0x74, 0x69, 0x76, 0x61, 0x74, 0x6F, 0x72, 0x01,
    ]
    private static let idLength = 32

    /// The flags of authenticator data (6.1).
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let userPresent = Flags(rawValue: 0x01)
        static let userVerified = Flags(rawValue: 0x04)
        static let backupEligible = Flags(rawValue: 0x08)
        static let backedUp = Flags(rawValue: 0x10)
        static let attestedData = Flags(rawValue: 0x40)
    }

    /// A new key pair and its credential ID.
    struct NewKey {
        let id: [UInt8]
        let key: PrivateKey
        /// The public key: 0x04 and both coordinates.
        let point: [UInt8]

        init?() {
            guard let key = try? PrivateKey.generate(.p256), let point = key.publicPoint else { return nil }
            (self.key, self.point) = (key, point)
            id = PasskeyAuthenticator.newID()
        }

        /// The COSE key (6.5.1): kty EC2, alg ES256, crv P-256, x, y.
        private var cose: [UInt8] {
            [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point[1...32] + [0x22, 0x58, 0x20]
                + point[33...64]
        }

        /// The SubjectPublicKeyInfo, which pages get (RFC 5480).
        var publicKeyInfo: [UInt8] {
            [
                0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86,
                0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
            ] + point
        }

        /// Returns the authenticator data with the attested credential data (6.5.1).
        func authenticatorData(_ rpID: String, _ flags: Flags) -> [UInt8] {
            PasskeyAuthenticator.data(rpID, flags.union(.attestedData)) + PasskeyAuthenticator.aaguid
                + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id + cose
        }
    }

    /// Returns a random credential ID. Its base64url text does not begin with a minus sign, which a command line would
    /// read as an option.
    static func newID() -> [UInt8] {
        while true {
            let id = (0..<idLength).map { _ in UInt8.random(in: .min ... .max) }
            if !Base64.encode(id, .urlSafe).hasPrefix("-") { return id }
        }
    }

    /// Returns the authenticator data without attested credential data. The counter is 0.
    static func data(_ rpID: String, _ flags: Flags) -> [UInt8] {
        Digest.sha256(Array(rpID.utf8)) + [flags.rawValue, 0, 0, 0, 0]
    }

    /// Returns the attestation object with the format `none` (6.5.4): a map of fmt, attStmt and authData in the order of
    /// canonical CBOR.
    static func attestation(_ data: [UInt8]) -> [UInt8] {
        [0xA3] + text("fmt") + text("none") + text("attStmt") + [0xA0] + text("authData")
            + (data.count < 256
                ? [0x58, UInt8(data.count)] : [0x59, UInt8(data.count >> 8), UInt8(data.count & 0xFF)])
            + data
    }

    /// Returns a CBOR text of fewer than 24 bytes.
    private static func text(_ value: String) -> [UInt8] { [0x60 | UInt8(value.utf8.count)] + Array(value.utf8) }
}
