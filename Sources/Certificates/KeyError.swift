import Platform

/// What can be wrong with a private key.
public enum KeyError: ExplainedError, Equatable {
    case file(FileError)
    /// The PEM block wants a password.
    case encrypted(source: String)
    /// There is no PEM block with a private key.
    case missing(source: String)
    case malformed(source: String, reason: String)
    case cannotGenerate(kind: String, reason: String)

    public var problem: String {
        switch self {
        case .file(let error): error.problem
        case .encrypted(let source): "the private key \(source.quoted) is protected by a password"
        case .missing(let source): "\(source.quoted) holds no private key in PEM form"
        case .malformed(let source, let reason): "the private key \(source.quoted) cannot be read: \(reason)"
        case .cannotGenerate(let kind, let reason): "no \(kind) key can be made: \(reason)"
        }
    }

    public var remedy: String {
        switch self {
        case .file(let error): error.remedy
        case .encrypted(let source):
            "Write an open copy that only you can read: "
                + "(umask 077; openssl pkey -in \(source.shellQuoted) -out open.key)"
        case .missing: "Name a file with a block that begins with -----BEGIN PRIVATE KEY-----"
        case .malformed: "Check that the file is whole, and what it holds with: openssl pkey -noout -text -in FILE"
        case .cannotGenerate: "Take P-256, or RSA with 2048 bits"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .file(let error): error.exitCode
        case .encrypted, .missing, .malformed: .badInput
        case .cannotGenerate: .unavailable
        }
    }
}
