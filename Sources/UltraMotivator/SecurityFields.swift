package import HTTPTypes

/// The security headers for browsers (OWASP Secure Headers Project).
package enum SecurityFields {
    /// The fields of every response: no content sniffing, and no use by pages of other sites.
    package static var always: HTTPFields {
        fields([("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin")])
    }

    /// The additional fields of HTML responses: what a document may load, do and reveal.
    ///
    /// - Parameter script: the hash of the page's script, as in `'sha256-…'`; nil for pages without a script.
    package static func pages(script: String? = nil) -> HTTPFields {
        let scripts = script.map { "script-src \($0); connect-src 'self'; " } ?? ""
        return fields([
            (
                "Content-Security-Policy",
                "default-src 'none'; \(scripts)style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
                    + "frame-ancestors 'none'"
            ),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ])
    }

    /// Returns the additional fields of responses over TLS (RFC 6797 §7.2).
    ///
    /// - Parameters:
    ///   - strictTransport: the seconds for which browsers use only https for this host. 0 omits the field, which suits
    ///     names that exist only for development.
    ///   - includesSubdomains: whether this also applies to all subdomains.
    package static func overTLS(strictTransport: Int, includesSubdomains: Bool = false) -> HTTPFields {
        guard strictTransport > 0 else { return [:] }
        return [
            .strictTransportSecurity: "max-age=\(strictTransport)" + (includesSubdomains ? "; includeSubDomains" : "")
        ]
    }

    private static func fields(_ lines: [(name: String, value: String)]) -> HTTPFields {
        var fields: HTTPFields = [:]
        for line in lines {
            if let name = HTTPField.Name(line.name) { fields[name] = line.value }
        }
        return fields
    }
}
