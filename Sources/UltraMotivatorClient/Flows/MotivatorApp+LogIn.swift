import SharedWebCredentials

extension MotivatorApp {
    /// Launches and logs in: with what the keychain has, else with the shared web credentials, else with what the person
    /// types. What was declined, failed or was not accepted leads to the next; what was accepted is saved to both stores.
    ///
    /// - Returns: how it ended.
    public func launchAndLogIn() async -> LogInOutcome {
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
        case .failure(.notFound): throw .nothingThere
        case .failure(let error): throw .shared(error)
        case .success(let items):
            guard let item = items.first else { throw .declined }
            guard isOurs(item) else { throw .foreign(server: item.server) }
            return Credential(account: item.account, password: item.password)
        }
    }

    /// Whether an item is for the server: a password is never shown to another.
    private func isOurs(_ item: SharedCredential) -> Bool {
        item.server.lowercased() == api.server.host && item.port.map { $0 == api.server.port } ?? true
    }
}
