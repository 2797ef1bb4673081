import Foundation
package import MotivatorPlatform

/// An Android app, identified by its package name and signing certificate (Digital Asset Links).
package struct AndroidApp: Sendable, Hashable, CustomStringConvertible {
    package let package: String
    package let fingerprint: CertificateFingerprint?

    package var description: String { package + (fingerprint.map { "=\($0)" } ?? "") }

    /// Parses an app.
    /// - Parameter text: `PACKAGE=FINGERPRINT`. The fingerprint is 32 bytes in hexadecimal, with or without colons.
    package init(_ text: String, needsFingerprint: Bool = true) throws(ExplainedFailure) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let fingerprint = parts.count == 2 ? CertificateFingerprint(parts[1]) : nil
        guard let package = parts.first, AndroidApp.isPackage(package),
            fingerprint != nil || (parts.count == 1 && !needsFingerprint)
        else {
            throw ExplainedFailure(
                "\(text.quoted) does not identify an Android app",
                fix: "Use the package name and the SHA-256 fingerprint of its certificate (32 pairs of hexadecimal "
                    + "digits), as in com.example.app=14:6D:E9:…", exitCode: .usage)
        }
        (self.package, self.fingerprint) = (package, fingerprint)
    }

    /// Returns whether a string has the form of a package name (Android, "Set the application ID").
    ///
    /// A package name has at least two parts, separated by dots. Each part begins with a letter and contains only
    /// letters, digits and underscores.
    package static func isPackage(_ text: String) -> Bool {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        return names.count > 1
            && names.allSatisfy { name in
                name.utf8.first.map(isLetter) == true
                    && name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
            }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Returns the content of an assetlinks.json file that shares passwords and links with the apps.
    package static func links(_ apps: [AndroidApp]) -> JSONNode {
        .list(
            apps.map { app in
                [
                    "relation": .list(AssetLinks.Relation.shared.map { .text($0.rawValue) }),
                    "target": [
                        "namespace": "android_app", "package_name": .text(app.package),
                        "sha256_cert_fingerprints": .list(app.fingerprint.map { [.text($0.description)] } ?? []),
                    ],
                ]
            })
    }
}

/// The SHA-256 fingerprint of an app's signing certificate, as `keytool` prints it: upper case, with colons.
package struct CertificateFingerprint: Sendable, Hashable, CustomStringConvertible {
    package static let byteCount = 32

    package let description: String

    /// Parses a fingerprint of hexadecimal digits in either case, with or without colons.
    package init?(_ text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == CertificateFingerprint.byteCount * 2, digits.allSatisfy(\.isHexadecimalDigit) else {
            return nil
        }
        let pairs = stride(from: 0, to: digits.count, by: 2).map { digits[$0..<$0 + 2] }
        description = pairs.map { String(decoding: $0, as: UTF8.self).uppercased() }.joined(separator: ":")
    }

    /// Parses a fingerprint in Base64, in either alphabet.
    package init?(base64 text: String) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/").replacing("=", with: "")
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding), data.count == Self.byteCount else { return nil }
        self.init(data.hexadecimal)
    }
}

extension UInt8 {
    package var isHexadecimalDigit: Bool { Character(Unicode.Scalar(self)).isHexDigit }
}
