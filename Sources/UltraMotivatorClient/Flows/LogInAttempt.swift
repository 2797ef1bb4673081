public import SharedWebCredentials

/// A source that did not lead to a session.
public struct LogInAttempt: Sendable, Equatable {
    /// Why a source did not lead to a session.
    public enum Trouble: Error, Equatable {
        /// There is nothing for this domain.
        case nothingThere
        /// The person chose none, or did not want to.
        case declined
        case keychain(KeychainFailure)
        case shared(SharedCredentialError)
        /// The credential is for another server than the one that is asked; it was not sent.
        case foreign(server: String)
        /// An earlier source had the same credential, which the server called wrong; it was not sent again.
        case knownToBeWrong
        /// The server did not accept the credential, or could not be asked.
        case notAccepted(APIFailure)
    }

    /// What was asked.
    public let source: CredentialSource
    /// Why it did not lead to a session.
    public let trouble: Trouble

    /// - Parameters: as of the properties.
    public init(_ source: CredentialSource, _ trouble: Trouble) {
        self.source = source
        self.trouble = trouble
    }
}
