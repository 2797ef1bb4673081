public import HTTPTypes

/// The fields that tell browsers to be strict with every answer (OWASP Secure Headers Project).
public enum SecurityFields {
    /// - Parameter strictTransport: seconds for which browsers shall use HTTPS alone for this host; 0 leaves it out, as is
    ///   right for names that exist for development only.
    /// - Returns: the fields.
    public static func fields(strictTransport: Int) -> HTTPFields {
        var fields: HTTPFields = [:]
        for (name, value) in all {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if strictTransport > 0 { fields[.strictTransportSecurity] = "max-age=\(strictTransport)" }
        return fields
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
