package import MotivatorPlatform

/// Why TLS cannot be set up.
package enum TLSContextError: ExplainedError, Equatable {
    /// OpenSSL refuses the certificate, its key or its chain.
    case identityRefused(subject: String, reason: String)
    /// OpenSSL does not support a required setting.
    case unsupported(setting: String, reason: String)
    case noMemory(reason: String)

    package var problem: String {
        switch self {
        case .identityRefused(let subject, let reason):
            "OpenSSL refuses the certificate \(subject.quoted) for TLS: \(reason)"
        case .unsupported(let setting, let reason): "OpenSSL cannot set \(setting): \(reason)"
        case .noMemory(let reason): "OpenSSL cannot set up TLS: \(reason)"
        }
    }

    package var fix: String {
        switch self {
        case .identityRefused: "Use a P-256 key, or RSA with at least 2048 bits, signed with SHA-256"
        case .unsupported: "Install OpenSSL 3.0 or later"
        case .noMemory: "Close other programs, or raise the limits on open files and memory"
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .identityRefused: .configuration
        case .unsupported, .noMemory: .unavailable
        }
    }
}
