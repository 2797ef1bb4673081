package import MotivatorPlatform

/// A passkey that the server has stored for an account.
package struct Passkey: Sendable, Equatable {
    /// The credential ID, 16 to 1,023 bytes.
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
}
