public import Platform

/// Why a keychain did not do what it was asked for.
public struct KeychainFailure: ExplainedError, Hashable {
    /// The number of the system, such as −25308 (`errSecInteractionNotAllowed`).
    public let status: Int32
    /// What the system calls it.
    public let reason: String

    /// - Parameters:
    ///   - status: the number of the system.
    ///   - reason: what the system calls it; nothing secret.
    public init(status: Int32, reason: String) {
        self.status = status
        self.reason = reason
    }

    public var problem: String { "the keychain refused: \(reason.quoted) (\(status))" }
    public var remedy: String { "Unlock the device, and try again" }
    public var exitCode: ExitCode { .unavailable }
}
