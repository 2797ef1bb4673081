public import Certificates
import Dispatch
import HTTPSClient
public import Platform

/// The JSON API of one server.
///
/// The certificates are judged on each connection before a byte is sent. Redirects are not followed: a password is for
/// the server that was named, and for no other.
public struct APIClient: Sendable {
    /// Who is asked.
    public let server: ServerAddress
    private let trust: [Certificate]?
    private let fetcher: Fetcher
    private let clock: Clock

    /// - Parameters:
    ///   - server: who is asked.
    ///   - trust: the roots that are trusted instead of the system's; nil for the system's.
    ///   - options: how it is asked; the bound on the content is set here.
    ///   - clock: the moment of which the certificates are judged.
    public init(
        server: ServerAddress, trust: [Certificate]? = nil, options: Fetcher.Options = Fetcher.Options(),
        clock: Clock = .system
    ) {
        var options = options
        options.maximumContent = APIAnswer.maximumContent
        self.server = server
        self.trust = trust
        self.clock = clock
        fetcher = Fetcher(options)
    }

    /// Makes an account, and signs in.
    ///
    /// - Parameter credential: the new account.
    /// - Returns: the session.
    /// - Throws: `APIFailure`.
    public func signUp(_ credential: Credential) async throws(APIFailure) -> Session {
        let request = APIRequest(
            method: "POST", path: "/api/signup", success: 201,
            members: [("username", credential.account), ("password", credential.password)])
        return try await answer(to: request).session(of: credential.account)
    }

    /// Begins a session.
    ///
    /// - Parameter credential: the account.
    /// - Returns: the session.
    /// - Throws: `APIFailure`.
    public func signIn(_ credential: Credential) async throws(APIFailure) -> Session {
        let request = APIRequest(
            method: "POST", path: "/api/signin", success: 200,
            members: [("username", credential.account), ("password", credential.password)])
        return try await answer(to: request).session(of: credential.account)
    }

    /// Changes a password; every session of the account ends, and a new one begins.
    ///
    /// - Parameters:
    ///   - credential: the account with its password until now.
    ///   - new: the new password.
    /// - Returns: the new session.
    /// - Throws: `APIFailure`.
    public func update(_ credential: Credential, to new: String) async throws(APIFailure) -> Session {
        let request = APIRequest(
            method: "POST", path: "/api/update", success: 200,
            members: [
                ("username", credential.account), ("current_password", credential.password), ("new_password", new),
            ])
        return try await answer(to: request).session(of: credential.account)
    }

    /// Ends a session.
    ///
    /// - Parameter session: the session.
    /// - Throws: `APIFailure`.
    public func signOut(_ session: Session) async throws(APIFailure) {
        _ = try await answer(
            to: APIRequest(method: "POST", path: "/api/signout", success: 200, token: session.token))
    }

    /// Deletes an account with everything that belongs to it.
    ///
    /// - Parameters:
    ///   - session: a session of the account.
    ///   - password: the account's password.
    /// - Throws: `APIFailure`.
    public func deleteAccount(of session: Session, password: String) async throws(APIFailure) {
        _ = try await answer(
            to: APIRequest(
                method: "DELETE", path: "/api/account", success: 200, members: [("password", password)],
                token: session.token))
    }

    /// Asks for what motivates.
    ///
    /// - Parameter session: a session.
    /// - Returns: a quote, another one each time.
    /// - Throws: `APIFailure`.
    public func motivation(for session: Session) async throws(APIFailure) -> Quote {
        let answer = try await answer(
            to: APIRequest(method: "GET", path: "/api/motivation", success: 200, token: session.token))
        return Quote(text: try answer.text("quote"), author: try answer.text("author"))
    }

    /// Sends a call on a thread of its own, for the fetcher blocks, and reads the answer.
    private func answer(to request: APIRequest) async throws(APIFailure) -> APIAnswer {
        let result = await withCheckedContinuation { done in
            DispatchQueue(label: "API call").async { done.resume(returning: send(request)) }
        }
        return try APIAnswer(try result.get(), to: request)
    }

    private func send(_ request: APIRequest) -> Result<FetchedResponse, APIFailure> {
        let judge: ChainVerifier
        do throws(CMSError) { judge = try ChainVerifier(trust: trust, at: clock.now()) } catch {
            return .failure(.noTrustAnchors(error))
        }
        var verdict: ChainVerdict?
        let fetched = fetcher.fetch(request.sent(to: server)) { chain in
            let judged = judge.verdict(on: chain, host: server.host)
            verdict = judged
            return judged.isAccepted
        }
        if let verdict, !verdict.isAccepted {
            return .failure(.untrusted(host: server.host, faults: verdict.faults.filter { !$0.isNote }))
        }
        if let failure = fetched.failure {
            // Of an answer that is no HTTP the text shows the beginning, which may be what was sent.
            let repeats = failure.problem.holds(oneOf: request.secrets)
            return .failure(repeats ? .malformed(.repeatsSecret) : .network(failure))
        }
        guard let response = fetched.response else { return .failure(.malformed(.notAnObject)) }
        return .success(response)
    }
}
