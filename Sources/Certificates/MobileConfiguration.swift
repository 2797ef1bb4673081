import Foundation
import MotivatorPlatform

/// A configuration profile (`.mobileconfig`) that installs a root certificate on an iPhone, an iPad or a Mac.
///
/// The profile's identifiers derive from the certificate's digest. Installing the profile again therefore replaces the
/// installed profile.
///
/// Sources: Apple, "Configuration Profile Reference" and "CertificateRoot" (payload type `com.apple.security.root`).
public struct MobileConfiguration: Sendable {
    /// The media type of a profile. Safari offers to install a response with this type.
    public static let mediaType = "application/x-apple-aspen-config"
    /// The file name of a downloaded profile.
    public static let fileName = "ultra-motivator.mobileconfig"

    /// The certificate that the profile installs.
    public let root: Certificate

    /// Creates the profile that installs a certificate.
    public init(root: Certificate) {
        self.root = root
    }

    /// The identifier of the profile, which is the same in every run and different for each root.
    public var identifier: String { "test.ultra-motivator.authority.\(root.fingerprint.prefix(8).hexadecimal)" }

    /// Returns the profile as an XML property list. Its bytes are the same in every run.
    /// - Throws: an error from `PropertyListEncoder`, which does not occur for this content.
    public func bytes() throws -> [UInt8] {
        let name = root.commonName ?? root.title
        let instructions =
            "Installs the root of a development CA. Then turn it on in Settings > General > About > Certificate Trust "
            + "Settings. SHA-256: \(root.fingerprintText)"
        let certificate: [String: any Encodable] = [
            "PayloadCertificateFileName": "authority.cer", "PayloadContent": Data(root.der),
            "PayloadDescription": "Adds the root certificate \(name).", "PayloadDisplayName": name,
            "PayloadIdentifier": "\(identifier).root", "PayloadType": "com.apple.security.root",
            "PayloadUUID": uuid("root"), "PayloadVersion": 1,
        ]
        let profile: [String: any Encodable] = [
            "PayloadContent": [certificate.mapValues(Value.init)],
            "PayloadDescription": instructions, "PayloadDisplayName": name, "PayloadIdentifier": identifier,
            "PayloadOrganization": "Ultra Motivator",
            "PayloadRemovalDisallowed": false, "PayloadType": "Configuration", "PayloadUUID": uuid("profile"),
            "PayloadVersion": 1,
        ]
        // The encoder sorts the keys.
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return [UInt8](try encoder.encode(profile.mapValues(Value.init)))
    }

    /// A property list value.
    ///
    /// This type replaces `PropertyListSerialization`, which fails in statically linked programs on Linux: it reports
    /// objects of the type "Not A Type".
    private struct Value: Encodable {
        let value: any Encodable

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    /// Returns a UUID derived from the certificate and a part of the profile (RFC 9562 §5.8, version 8).
    private func uuid(_ part: String) -> String {
        var bytes = Array(Digest.sha256(Array(part.utf8) + root.fingerprint).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(bytes.map(\.hexadecimal).joined())
        let ends = [0, 8, 12, 16, 20, 32]
        return zip(ends, ends.dropFirst()).map { String(digits[$0..<$1]) }.joined(separator: "-")
    }
}
