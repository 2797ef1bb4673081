package import SharedWebCredentials

extension MotivatorApp {
    /// Launches and logs in with the keychain, then the shared web credentials, then what the user types.
    ///
    /// If a source is declined, fails or is not accepted, the app tries the next one. It saves an accepted credential
    /// to both stores.
    package func launchAndLogIn() async -> LogInOutcome {
        if let mismatch { return .domainMismatch(mismatch) }
        var attempts: [LogInAttempt] = []
        var wrong: Set<Credential> = []
        for source in CredentialSource.allCases {
            do throws(LogInAttempt.Trouble) {
                let credential = try await credential(from: source, after: attempts)
                guard !wrong.contains(credential) else { throw .knownToBeWrong }
                let session = try await signIn(credential, ifWrong: { wrong.insert(credential) })
                return .loggedIn(session, from: source, after: attempts, saved: await save(credential))
            } catch {
                attempts.append(LogInAttempt(source, error))
            }
        }
        return .notLoggedIn(attempts)
    }

    private func signIn(
        _ credential: Credential, ifWrong note: () -> Void
    ) async throws(LogInAttempt.Trouble) -> Session {
        do throws(APIFailure) { return try await api.signIn(credential) } catch {
            if error.refusal?.reason == .wrongNameOrPassword { note() }
            throw .notAccepted(error)
        }
    }

    private func credential(
        from source: CredentialSource, after attempts: [LogInAttempt]
    ) async throws(LogInAttempt.Trouble) -> Credential {
        switch source {
        case .keychain: return try await keptCredential()
        case .sharedWebCredentials: return try await sharedCredential()
        case .person:
            guard let credential = await person.credential(after: attempts) else { throw .declined }
            return credential
        }
    }

    private func keptCredential() async throws(LogInAttempt.Trouble) -> Credential {
        let kept: Credential?
        do throws(KeychainFailure) { kept = try await keychain.credential(for: domain) } catch {
            throw .keychain(error)
        }
        guard let kept else { throw .nothingThere }
        return kept
    }

    private func sharedCredential() async throws(LogInAttempt.Trouble) -> Credential {
        switch await shared.request(domain: domain, account: nil) {
        case .failure(.notFound(_, _, let related)) where related.isEmpty: throw .nothingThere
        case .failure(.cancelled): throw .declined
        case .failure(let error): throw .shared(error)
        case .success(let items):
            guard let item = items.first else { throw .declined }
            guard isOurs(item) else { throw .foreign(server: item.server) }
            return Credential(account: item.account, password: item.password)
        }
    }

    /// Returns whether an item is for the server. A password is never sent to another server.
    private func isOurs(_ item: SharedCredential) -> Bool {
        item.server.lowercased() == api.server.host && item.port.map { $0 == api.server.port } ?? true
    }
}

/// The outcome of launching and logging in.
package enum LogInOutcome: Sendable, Equatable {
    /// Logged in, with the source of the credential, the earlier failed attempts, and the changes to the stores.
    case loggedIn(Session, from: CredentialSource, after: [LogInAttempt], saved: StoreChanges)
    /// No source led to a session. There is one attempt for each source, in order.
    case notLoggedIn([LogInAttempt])
    /// Nothing was sent.
    case domainMismatch(DomainMismatch)
}

/// A source that did not lead to a session.
package struct LogInAttempt: Sendable, Equatable {
    /// Why a source did not lead to a session.
    package enum Trouble: Error, Equatable {
        /// The source has no credential for this domain.
        case nothingThere
        /// The user did not choose or enter a credential.
        case declined
        case keychain(KeychainFailure)
        case shared(SharedCredentialError)
        /// The credential is for another server, and was not sent.
        case foreign(server: String)
        /// An earlier source had the same wrong credential, so it was not sent again.
        case knownToBeWrong
        /// The server did not accept the credential, or there was no response.
        case notAccepted(APIFailure)
    }

    package let source: CredentialSource
    package let trouble: Trouble

    package init(_ source: CredentialSource, _ trouble: Trouble) {
        self.source = source
        self.trouble = trouble
    }
}

/// The sources of a credential, in the order in which they are tried.
package enum CredentialSource: Sendable, Hashable, CaseIterable {
    /// The app's own keychain.
    case keychain
    /// The passwords that the domain's website and apps share.
    case sharedWebCredentials
    /// The user.
    case person
}

/// The user of the app.
package protocol Person: Sendable {
    /// Asks for a credential.
    ///
    /// - Parameter attempts: the earlier failed attempts, which explain why the app asks.
    /// - Returns: the typed credential; nil if the user declined.
    func credential(after attempts: [LogInAttempt]) async -> Credential?
}
