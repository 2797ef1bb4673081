package import MotivatorPlatform
package import SharedWebCredentials

extension MotivatorApp {
    /// Launches the app and logs in. Tries the keychain, then the shared web credentials, then the user's input.
    ///
    /// The app tries the next source if a source fails, the user declines, or the server rejects the credential. It
    /// saves an accepted credential to both stores.
    package func launchAndLogIn() async -> FlowResult {
        if let mismatch { return .domainMismatch(mismatch) }
        var attempts: [LogInAttempt] = []
        var wrong: Set<Credential> = []
        for source in CredentialSource.allCases {
            do throws(LogInAttempt.Trouble) {
                let credential = try await credential(from: source, after: attempts)
                guard !wrong.contains(credential) else { throw .knownToBeWrong }
                let session: APISession
                do throws(APIFailure) { session = try await api.signIn(credential) } catch {
                    if error.refusal?.code == APIRefusal.wrongNameOrPassword { wrong.insert(credential) }
                    throw LogInAttempt.Trouble.notAccepted(error)
                }
                return .loggedIn(session, from: source, after: attempts, saved: await save(credential))
            } catch {
                attempts.append(LogInAttempt(source, error))
            }
        }
        return .notLoggedIn(attempts)
    }

    private func credential(
        from source: CredentialSource, after attempts: [LogInAttempt]
    ) async throws(LogInAttempt.Trouble) -> Credential {
        switch source {
        case .keychain:
            let kept: Credential?
            do throws(ExplainedFailure) { kept = try await keychain.credential(for: domain) } catch {
                throw .keychain(error)
            }
            guard let kept else { throw .nothingThere }
            return kept
        case .sharedWebCredentials:
            switch await shared.request(domain: domain, account: nil) {
            case .failure(.notFound(_, _, let related)) where related.isEmpty: throw .nothingThere
            case .failure(.canceled): throw .declined
            case .failure(let error): throw .shared(error)
            case .success(let items):
                guard let item = items.first else { throw .declined }
                // The app never sends a password to another server.
                let isOurs =
                    item.server.lowercased() == api.server.host && item.port.map { $0 == api.server.port } ?? true
                guard isOurs else { throw .foreign(server: item.server) }
                return Credential(account: item.account, password: item.password)
            }
        case .user:
            guard let credential = await user.credential(after: attempts) else { throw .declined }
            return credential
        }
    }
}

package struct LogInAttempt: Sendable, Equatable {
    package enum Trouble: Error, Equatable {
        /// The source has no credential for this domain.
        case nothingThere
        /// The user did not choose or enter a credential.
        case declined
        case keychain(ExplainedFailure)
        case shared(SharedCredentialError)
        /// The credential is for another server, and was not sent.
        case foreign(server: String)
        /// An earlier source had the same wrong credential, so it was not sent again.
        case knownToBeWrong
        /// The server rejected the credential, or did not respond.
        case notAccepted(APIFailure)
    }

    package let source: CredentialSource
    package let trouble: Trouble

    package init(_ source: CredentialSource, _ trouble: Trouble) {
        (self.source, self.trouble) = (source, trouble)
    }
}

/// The sources of a credential, in the order that the app tries them.
package enum CredentialSource: Sendable, Hashable, CaseIterable {
    case keychain
    /// The passwords that the domain's website and apps share.
    case sharedWebCredentials
    case user
}

package protocol User: Sendable {
    func credential(after attempts: [LogInAttempt]) async -> Credential?
}
