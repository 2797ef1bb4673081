import Certificates

/// A provisioning profile: a property list in a signed message (CMS).
///
/// The signature is not verified, because the checker only reports the permitted domains. A device verifies it.
struct ProvisioningProfile {
    /// The maximum size, in bytes. A profile with 3,000 devices takes about 250 KB.
    static let maximumSize = 1 << 20

    /// The permitted entitlements. If their value is "*", every domain is permitted and there are no entries.
    let entitlements: Entitlements

    init(_ bytes: [UInt8]) throws(BuiltAppError) {
        guard bytes.count <= ProvisioningProfile.maximumSize else {
            throw .tooLarge(name: "the profile", size: bytes.count, limit: ProvisioningProfile.maximumSize)
        }
        entitlements = try ProvisioningProfile.entitlements(in: ProvisioningProfile.content(of: bytes))
    }

    var permitsDomains: Bool { !entitlements.entries.isEmpty || entitlements.permitsAnyDomain }

    private static func content(of bytes: [UInt8]) throws(BuiltAppError) -> [UInt8] {
        do throws(CMSIssue) {
            return try CMS.open(bytes).content
        } catch {
            throw .signedMessage(error)
        }
    }

    private static func entitlements(in content: [UInt8]) throws(BuiltAppError) -> Entitlements {
        let permitted: Any?
        do throws(Entitlements.Failure) {
            permitted = try PropertyList(content).root["Entitlements"]
        } catch {
            throw .profile(reason: error.problem)
        }
        guard let permitted else { throw .profile(reason: "it has no key \"Entitlements\"") }
        guard let dictionary = permitted as? [String: Any] else {
            let kind = PropertyList.kind(of: permitted)
            throw .profile(reason: "the value of \"Entitlements\" is \(kind), not a dictionary")
        }
        return Entitlements(EntitlementsReader(profile: dictionary))
    }
}
