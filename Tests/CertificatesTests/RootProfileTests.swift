import Certificates
import Foundation
import Testing

/// The keys of a configuration profile that a device reads (Apple, "Configuration Profile Reference").
private struct Profile: Decodable {
    /// A payload of the type `com.apple.security.root` (Apple, "CertificateRoot").
    struct Root: Decodable {
        let type, identifier, uuid: String
        let version: Int
        let content: Data

        enum CodingKeys: String, CodingKey {
            case type = "PayloadType", identifier = "PayloadIdentifier", uuid = "PayloadUUID"
            case version = "PayloadVersion", content = "PayloadContent"
        }
    }

    let type, identifier, uuid: String
    let version: Int
    let isRemovalDisallowed: Bool
    let content: [Root]

    enum CodingKeys: String, CodingKey {
        case type = "PayloadType", identifier = "PayloadIdentifier", uuid = "PayloadUUID"
        case version = "PayloadVersion", isRemovalDisallowed = "PayloadRemovalDisallowed", content = "PayloadContent"
    }
}

@Suite("The payloads of a root's profile") struct RootProfileTests {
    private let configuration: MobileConfiguration
    private let profile: Profile

    init() throws {
        configuration = MobileConfiguration(root: try ChainWorkshop().authority("Root").certificate)
        profile = try PropertyListDecoder().decode(Profile.self, from: Data(configuration.bytes()))
    }

    @Test("The profile installs the root in DER form, and can be removed")
    func content() throws {
        #expect(profile.type == "Configuration" && profile.version == 1 && !profile.isRemovalDisallowed)
        let payload = try #require(profile.content.first)
        #expect(profile.content.count == 1 && payload.type == "com.apple.security.root" && payload.version == 1)
        #expect([UInt8](payload.content) == configuration.root.der)
    }

    @Test("The profile and its payload have different identifiers, and UUIDs of version 8 (RFC 9562 §5.8)")
    func identifiers() throws {
        let payload = try #require(profile.content.first)
        #expect(profile.identifier == configuration.identifier)
        #expect(payload.identifier == configuration.identifier + ".root")
        #expect(profile.uuid != payload.uuid)
        let form = /[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
        for uuid in [profile.uuid, payload.uuid] { #expect(uuid.wholeMatch(of: form) != nil, "\(uuid)") }
    }
}
