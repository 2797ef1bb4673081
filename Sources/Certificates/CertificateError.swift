public import MotivatorPlatform

/// Why a certificate or a certificate file cannot be used.
public enum CertificateError: ExplainedError, Equatable {
    case file(FileError)
    /// The text has no PEM block with a certificate.
    case missing(source: String)
    /// The certificate at this position, starting from 1, is malformed.
    case malformed(source: String, position: Int, reason: String)
    case trailingBytes(source: String, count: Int)
    case cannotMake(subject: String, reason: String)

    public var problem: String {
        switch self {
        case .file(let error): error.problem
        case .missing(let source): "\(source.quoted) has no certificate in PEM form"
        case .malformed(let source, let position, let reason):
            "certificate \(position) in \(source.quoted) cannot be read: \(reason)"
        case .trailingBytes(let source, let count): "\(source.quoted) has \(count) extra bytes after the certificate"
        case .cannotMake(let subject, let reason): "cannot create a certificate for \(subject.quoted): \(reason)"
        }
    }

    public var fix: String {
        switch self {
        case .file(let error): error.fix
        case .missing: "Specify a file with a block that starts with -----BEGIN CERTIFICATE-----"
        case .malformed: "Check that the file is complete, and print it with: openssl x509 -noout -text -in FILE"
        case .trailingBytes: "Use one certificate in DER form, or several in PEM form"
        case .cannotMake: "Check the names and the extensions"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .file(let error): error.exitCode
        case .missing, .malformed, .trailingBytes, .cannotMake: .badInput
        }
    }
}
