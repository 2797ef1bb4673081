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
        let certificate: [String: Value] = [
            "PayloadCertificateFileName": .text("authority.cer"), "PayloadContent": .data(root.der),
            "PayloadDescription": .text("Adds the root certificate \(name)."), "PayloadDisplayName": .text(name),
            "PayloadIdentifier": .text(identifier + ".root"), "PayloadType": .text("com.apple.security.root"),
            "PayloadUUID": .text(uuid("root")), "PayloadVersion": .number(1),
        ]
        let profile: [String: Value] = [
            "PayloadContent": .list([.dictionary(certificate)]),
            "PayloadDescription":
                .text(
                    "Installs the root of a development CA. Then turn it on in Settings > General > About > "
                        + "Certificate Trust Settings. SHA-256: \(root.fingerprintText)"),
            "PayloadDisplayName": .text(name), "PayloadIdentifier": .text(identifier),
            "PayloadOrganization": .text("Ultra Motivator"), "PayloadRemovalDisallowed": .boolean(false),
            "PayloadType": .text("Configuration"), "PayloadUUID": .text(uuid("profile")), "PayloadVersion": .number(1),
        ]
        // The encoder sorts the keys.
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        return [UInt8](try encoder.encode(profile))
    }

    /// A property list value.
    ///
    /// This type replaces `PropertyListSerialization`, which fails in statically linked programs on Linux: it reports
    /// objects of the type "Not A Type".
    private enum Value: Encodable {
        case text(String)
        case number(Int)
        case boolean(Bool)
        case data([UInt8])
        case list([Value])
        case dictionary([String: Value])

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .boolean(let value): try container.encode(value)
            case .data(let bytes): try container.encode(Data(bytes))
            case .list(let values): try container.encode(values)
            case .dictionary(let members): try container.encode(members)
            }
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
