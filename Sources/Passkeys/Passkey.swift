package import MotivatorPlatform

/// A passkey that the server has stored for an account.
package struct Passkey: Sendable, Equatable {
    /// The permitted sizes of a credential ID in bytes (WebAuthn Level 3 §4 and §7.1).
    package static let credentialSizes = 16...1023

    /// The credential ID, with a size in `credentialSizes`.
    package var credential: [UInt8]
    package var rpID: String
    /// The public key as received: a COSE key.
    package var publicKey: [UInt8]
    package var signCount: UInt32
    /// The model of the authenticator, 16 bytes.
    package var aaguid: [UInt8]
    /// Whether the authenticator may copy the key to other devices. This never changes (WebAuthn Level 3 §6.1.3).
    package var isBackupEligible: Bool
    package var isBackedUp: Bool
    /// Whether a ceremony with user verification has succeeded.
    package var isUserVerified: Bool
    package var transports: [String]
    package var name: String
    package var created: UnixTime
    /// The time of the last sign-in; nil before the first.
    package var used: UnixTime?

    package init(
        credential: [UInt8], rpID: String, publicKey: [UInt8], signCount: UInt32, aaguid: [UInt8],
        isBackupEligible: Bool, isBackedUp: Bool, isUserVerified: Bool, transports: [String], name: String,
        created: UnixTime, used: UnixTime? = nil
    ) {
        (self.credential, self.rpID, self.publicKey) = (credential, rpID, publicKey)
        (self.signCount, self.aaguid, self.transports) = (signCount, aaguid, transports)
        (self.isBackupEligible, self.isBackedUp, self.isUserVerified) = (isBackupEligible, isBackedUp, isUserVerified)
        (self.name, self.created, self.used) = (name, created, used)
    }

    /// Returns the provider of an authenticator, if it is known. Any authenticator can claim any AAGUID, so this is only
    /// a name.
    package static func provider(aaguid: [UInt8]) -> String? { providers[aaguid.hexadecimal] }

    /// AAGUIDs from the community list passkeydeveloper/passkey-authenticator-aaguids.
    private static let providers = [
        "fbfc3007154e4ecc8c0b6e020557d7bd": "Apple Passwords",
        "dd4ec289e01d41c9bb8970fa845d4bf2": "iCloud Keychain (managed)",
        "adce000235bcc60a648b0b25f1f05503": "Chrome on Mac",
        "ea9b8d664d011d213ce4b6b48cb575d4": "Google Password Manager",
        "08987058cadc4b81b6e130de50dcbe96": "Windows Hello",
        "bada5566a7aa401fbd9645619a55120d": "1Password",
        "d548826e79b4db40a3d811116f7e8349": "Bitwarden",
        "531126d6e717415c93203d9aa6981239": "Dashlane",
        "53414d53554e47000000000000000000": "Samsung Pass",
    ]
}
