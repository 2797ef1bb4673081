import HTTPTypes
import MotivatorHTTP
package import MotivatorPlatform
import MotivatorServer

/// The redirect to the page for changing a password (W3C, A Well-Known URL for Changing Passwords).
struct ChangePassword: Handler {
    func respond(to request: Request) async -> Response {
        Response(.seeOther, fields: [.location: "/update", .cacheControl: "no-store"])
    }
}

/// The contact for security reports (RFC 9116).
struct SecurityContact: Handler {
    /// The days until the file expires. The RFC recommends less than a year.
    private static let validity: Int64 = 180

    /// A URI, such as `mailto:security@example.test`.
    let contact: String
    let clock: Clock

    func respond(to request: Request) async -> Response {
        // Round to whole days, so that the file changes only once a day.
        let expiry = (clock.now() / 86_400 + Self.validity) * 86_400
        var response = Response(
            .ok, type: "text/plain; charset=utf-8",
            text: "Contact: \(contact)\nExpires: \(Timestamp.text(expiry))\nPreferred-Languages: en\n")
        response.fields[.cacheControl] = "max-age=86400"
        return response
    }
}

/// An Android app that may share the site's passwords and links, by package and certificate (Digital Asset Links).
package struct AndroidApp: Sendable, Equatable {
    /// The error for a text that does not identify an Android app.
    package struct Failure: ExplainedError {
        package let text: String
        package var problem: String { "\(text.quoted) does not identify an Android app" }
        package var fix: String {
            "Use the package and the SHA-256 fingerprint of its certificate (32 pairs of hexadecimal digits), as in "
                + "com.example.app=14:6D:E9:…"
        }
        package var exitCode: ExitCode { .usage }
    }

    let package: String
    let fingerprint: String

    /// Parses an app.
    ///
    /// - Parameter text: `PACKAGE=FINGERPRINT`. The fingerprint has 32 hexadecimal bytes, with or without colons.
    /// - Throws: `Failure`.
    package init(_ text: String) throws(Failure) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { throw Failure(text: text) }
        let digits = parts[1].uppercased().filter { $0 != ":" }
        let names = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let isPackage =
            names.count > 1
            && names.allSatisfy { name in
                name.utf8.first.map { Self.isLetter($0) } == true
                    && name.utf8.allSatisfy { Self.isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
            }
        let isFingerprint =
            digits.utf8.count == 64
            && digits.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x46).contains($0)
            }
        guard isPackage, isFingerprint else { throw Failure(text: text) }
        package = String(parts[0])
        fingerprint = stride(from: 0, to: 64, by: 2).map { String(digits.dropFirst($0).prefix(2)) }
            .joined(separator: ":")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// The content of assetlinks.json.
    static func links(_ apps: [AndroidApp]) -> JSONNode {
        .list(
            apps.map { app in
                [
                    "relation": [
                        "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
                    ],
                    "target": [
                        "namespace": "android_app", "package_name": .text(app.package),
                        "sha256_cert_fingerprints": [.text(app.fingerprint)],
                    ],
                ]
            })
    }
}
