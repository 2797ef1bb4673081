import Certificates
import MotivatorPlatform
import Passkeys

/// The authenticator of a simulated device (Web Authentication Level 3, 6).
enum PasskeyAuthenticator {
    /// The model of the authenticator. The value identifies this program, never one of Apple's products.
    static let aaguid: [UInt8] = [
        0x75, 0x6C, 0x74, 0x72, 0x61, 0x2D, 0x6D, 0x6F, 0x74, 0x69, 0x76, 0x61, 0x74, 0x6F, 0x72, 0x01,
    ]
    private static let idLength = 32

    struct NewKey {
        let key: PrivateKey
        /// The public key: 0x04 and both coordinates.
        let point: [UInt8]
        /// The part of the authenticator data that the server stores (6.5.1).
        let attested: AuthenticatorData.Attested

        init?() {
            guard let key = try? PrivateKey.generate(.p256), let point = key.publicPoint else { return nil }
            (self.key, self.point) = (key, point)
            attested = AuthenticatorData.Attested(
                aaguid: PasskeyAuthenticator.aaguid, credential: PasskeyAuthenticator.newID(),
                publicKey: COSEKey.es256(x: Array(point[1...32]), y: Array(point[33...64])))
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
}
