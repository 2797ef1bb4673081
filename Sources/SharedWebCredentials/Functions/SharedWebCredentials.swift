/// The three functions through which an app shares the passwords that the person has saved for its web site.
///
/// They mean what Apple's archived "Shared Web Credentials Reference" says, whoever carries them out: `SimulatedDevice`
/// on every platform, the system's own functions where there are any.
public protocol SharedWebCredentials: Sendable {
    /// Saves, changes or deletes a password, after asking the person where that is due (`SecAddSharedWebCredential`).
    ///
    /// - Parameters:
    ///   - domain: a host of the app's `webcredentials` entries, in any case of letters; `host:port` for another port
    ///     than that of the entry's service.
    ///   - account: the user name.
    ///   - password: the password; nil deletes what is saved for the account.
    /// - Returns: why it was refused; nil is no proof that anything was saved, since the person may have declined.
    func add(domain: String, account: String, password: String?) async -> SharedCredentialError?

    /// Lets the person pick one of the saved passwords (`SecRequestSharedWebCredential`).
    ///
    /// - Parameters:
    ///   - domain: the host to look for, as with `add`; nil for those of the app's `webcredentials` entries: all of them
    ///     up to iOS 13, the first one later.
    ///   - account: the only user name to look for; nil for any.
    /// - Returns: the one that was picked, or an empty array when the person cancelled; else why there was no picker.
    func request(domain: String?, account: String?) async -> Result<[SharedCredential], SharedCredentialError>

    /// A new password such as `kFp-8dX-Qm4-zRt` (`SecCreateSharedWebCredentialPassword`).
    func createPassword() -> String
}

extension SharedWebCredentials {
    public func createPassword() -> String { PasswordGenerator().next() }
}
