public import AssociatedDomains
public import HTTPSClient
public import MotivatorPlatform

/// A passkey on a simulated device. It contains the private key.
public struct DevicePasskey: Sendable, Hashable, Codable {
    /// The credential ID in base64url.
    public let id: String
    public let rpID: String
    /// The user handle in base64url.
    public let userHandle: String
    public let userName: String
    /// The private key in PKCS #8 PEM form.
    let key: String
    /// Whether the passkey was synced to other devices when it was created.
    public let isSynced: Bool
    public let created: UnixTime
    /// The time of the last sign-in, or nil.
    public internal(set) var used: UnixTime?

    enum CodingKeys: String, CodingKey {
        case id
        case rpID = "rp_id"
        case userHandle = "user_handle"
        case userName = "user_name"
        case key
        case isSynced = "synced"
        case created, used
    }

    package var json: JSONNode {
        [
            "id": .text(id), "rp_id": .text(rpID), "user_handle": .text(userHandle), "user_name": .text(userName),
            "synced": .truth(isSynced), "created": .text(Timestamp.text(created)),
            "used": .optional(used.map(Timestamp.text)),
        ]
    }
}

extension DevicePasskey: SecretHolder {
    public var description: String { "\(id)  \(userName.quoted) at \(rpID)" }
}

/// The use of a saved password. A recent use permits the silent creation of a passkey.
struct PasswordUse: Sendable, Hashable, Codable {
    let account: String
    let host: String
    let time: UnixTime
}

/// The caller of a ceremony.
public enum PasskeyCaller: Sendable, Hashable {
    case app(AppIdentifier)
    /// A page in the browser, identified by the URL of its origin.
    case page(WebURL)
}
