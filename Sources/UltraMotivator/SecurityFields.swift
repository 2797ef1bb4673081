import Certificates
import Foundation
package import HTTPTypes

/// The security headers for browsers (OWASP Secure Headers Project).
package enum SecurityFields {
    /// The fields in every response. They prevent content sniffing, and use by pages on other sites.
    package static var always: HTTPFields {
        fields([("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin")])
    }

    /// Returns the additional fields in HTML responses, which restrict what a document may load, do and reveal.
    /// - Parameters:
    ///   - script: the hash of another script, such as `'sha256-…'`. This script may connect to its own host. nil
    ///   selects the script of the demo's pages.
    ///   - images: an additional source of images, such as `https://example.test:8443`.
    package static func pages(script: String? = nil, images: String = "") -> HTTPFields {
        let scripts = script.map { "\($0); connect-src 'self'" } ?? scriptHash
        return fields([
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self'\(images.isEmpty ? "" : " " + images); script-src \(scripts); "
                    + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
            ),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ])
    }

    /// The additional fields of pages that use passkeys. Their script connects to their own host.
    static let passkeyPages = pages(script: "\(scriptHash) \(hash(of: PackageResources.passkeys_js))")

    /// Returns the additional fields of responses over TLS (RFC 6797 §7.2).
    /// - Parameters:
    ///   - strictTransport: the number of seconds during which browsers use only https for this host. 0 omits the
    ///     field, for names that exist only for development.
    ///   - includesSubdomains: whether the field also applies to all subdomains.
    package static func overTLS(strictTransport: Int, includesSubdomains: Bool = false) -> HTTPFields {
        guard strictTransport > 0 else { return [:] }
        return [
            .strictTransportSecurity: "max-age=\(strictTransport)" + (includesSubdomains ? "; includeSubDomains" : "")
        ]
    }

    private static var scriptHash: String { hash(of: PackageResources.script_js) }

    /// Returns the hash of an inline script, as a source expression of the policy (CSP Level 3 §6.7.2).
    package static func hash(of script: [UInt8]) -> String {
        "'sha256-\(Data(Digest.sha256(script)).base64EncodedString())'"
    }

    private static func fields(_ lines: [(name: String, value: String)]) -> HTTPFields {
        var fields: HTTPFields = [:]
        for line in lines {
            if let name = HTTPField.Name(line.name) { fields[name] = line.value }
        }
        return fields
    }
}
