public import HTTPTypes

/// The fields that make browsers strict (OWASP Secure Headers Project).
public enum SecurityFields {
    /// For every response: no sniffing of the type, and no use by pages of other sites.
    public static var always: HTTPFields {
        fields([("X-Content-Type-Options", "nosniff"), ("Cross-Origin-Resource-Policy", "same-origin")])
    }

    /// For HTML responses, in addition: what a document may load, do, and reveal.
    public static var pages: HTTPFields {
        fields([
            (
                "Content-Security-Policy",
                "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
                    + "frame-ancestors 'none'"
            ),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ])
    }

    /// For responses over TLS, in addition (RFC 6797 §7.2).
    ///
    /// - Parameters:
    ///   - strictTransport: the seconds for which browsers use only https for this host. 0 omits the field; this is right
    ///     for names that exist for development only.
    ///   - includesSubdomains: whether this applies to all hosts below this one, too.
    public static func overTLS(strictTransport: Int, includesSubdomains: Bool = false) -> HTTPFields {
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
