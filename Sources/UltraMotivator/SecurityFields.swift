public import HTTPTypes

/// The fields that tell browsers to be strict with every answer (OWASP Secure Headers Project).
public enum SecurityFields {
    /// For every answer.
    public static var everywhere: HTTPFields {
        var fields: HTTPFields = [:]
        for (name, value) in all {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        return fields
    }

    /// For answers over TLS (RFC 6797 §7.2).
    ///
    /// - Parameter strictTransport: seconds for which browsers shall use HTTPS alone for this host; 0 leaves it out, as is
    ///   right for names that exist for development only.
    public static func overTLS(strictTransport: Int) -> HTTPFields {
        strictTransport > 0 ? [.strictTransportSecurity: "max-age=\(strictTransport)"] : [:]
    }

    private static let all = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
                + "frame-ancestors 'none'"
        ),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ]
}
