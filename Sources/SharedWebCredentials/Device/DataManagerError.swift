public import MotivatorPlatform

/// The reason why `ASCredentialDataManager` saved nothing, as an `ASAuthorizationError`.
public enum DataManagerError: ExplainedError, Hashable {
    /// The user declined.
    case canceled
    /// The domain is not an associated domain, or the device does not save its passwords. The associated value is the
    /// corresponding error of `SecAddSharedWebCredential`.
    case failed(SharedCredentialError)

    /// Apple's error code.
    public var code: Int32 {
        switch self {
        case .canceled: 1001
        case .failed: 1004
        }
    }

    /// Apple's name.
    public var name: String {
        switch self {
        case .canceled: "ASAuthorizationError.canceled"
        case .failed: "ASAuthorizationError.failed"
        }
    }

    /// The message. Apple's error does not contain the reason.
    public var message: String {
        switch self {
        case .canceled: "the password was not saved, because the user canceled the prompt"
        case .failed(let error): "the password was not saved: \(error.message)"
        }
    }

    public var problem: String { "\(message) (\(name) \(code))" }

    public var fix: String {
        switch self {
        case .canceled: "Accept the prompt"
        case .failed(let error): error.fix
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .canceled: .no
        case .failed(let error): error.exitCode
        }
    }
}
