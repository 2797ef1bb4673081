import Platform

/// Why a text is no name for a certificate.
public enum SubjectNameError: ExplainedError, Equatable {
    case malformed(String)
    /// A wildcard right below a single label, such as `*.localhost`.
    case wildcardTooWide(String)

    public var problem: String {
        switch self {
        case .malformed(let text): "\(text.quoted) is neither a host name nor an IP address"
        case .wildcardTooWide(let text):
            "\(text.quoted) is a wildcard right below a top-level name, for which Apple's platforms refuse the certificate"
        }
    }

    public var remedy: String {
        switch self {
        case .malformed:
            "Write a name in ASCII, such as ultra-motivator.test (punycode for other letters), or 127.0.0.1, or ::1"
        case .wildcardTooWide: "Name the hosts one by one, or put a label in between, such as *.demo.test"
        }
    }

    public var exitCode: ExitCode { .usage }
}
