public import MotivatorPlatform

/// The reason why `ASCredentialDataManager` saved nothing, as an `ASAuthorizationError`.
public enum DataManagerError: ExplainedError, Hashable {
    /// The user declined.
    case canceled
    /// The domain is not an associated domain, or the device does not save its passwords. The associated value is the
    /// corresponding error of `SecAddSharedWebCredential`.
    case failed(SharedCredentialError)

    private var cause: SharedCredentialError? { if case .failed(let error) = self { error } else { nil } }

    /// Apple's error code.
    public var code: Int32 { cause == nil ? 1001 : 1004 }

    /// Apple's name.
    public var name: String { "ASAuthorizationError." + (cause == nil ? "canceled" : "failed") }

    /// The message. Apple's error does not contain the reason.
    public var message: String {
        "the password was not saved" + (cause.map { ": \($0.message)" } ?? ", because the user canceled the prompt")
    }

    public var problem: String { "\(message) (\(name) \(code))" }
    public var fix: String { cause?.fix ?? "Accept the prompt" }
    public var exitCode: ExitCode { cause?.exitCode ?? .no }
}
