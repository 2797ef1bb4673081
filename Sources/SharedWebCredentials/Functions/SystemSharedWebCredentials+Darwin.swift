#if os(iOS)
import AuthenticationServices
import Foundation
import Security
import UIKit

/// Apple's own functions, on iOS, iPadOS and Mac Catalyst.
///
/// This file has never been compiled or run, because the project is built and tested on Linux. It is based only on the
/// documentation.
///
/// `SecRequestSharedWebCredential` has been deprecated since iOS 14 in favor of `ASAuthorizationPasswordProvider`. The
/// provider's picker shows the passwords for all domains of the app. After the user picks a password, `request` checks
/// that it belongs to the requested account. `SecAddSharedWebCredential` has been deprecated since iOS 26.2 in favor of
/// `ASCredentialDataManager`, which cannot delete a password.
@MainActor
public final class SystemSharedWebCredentials: SharedWebCredentials {
    private let window: UIWindow
    private var pending: PasswordRequest?

    /// - Parameter window: the window that the system's picker belongs to.
    public init(window: UIWindow) {
        self.window = window
    }

    public nonisolated func add(domain: String, account: String, password: String?) async -> SharedCredentialError? {
        if #available(iOS 26.2, *), let password {
            if domain.isEmpty { return .noDomain }
            if account.isEmpty { return .noAccount }
            return password.isEmpty ? .noPassword : await save(domain, account, password)
        }
        return await withCheckedContinuation { continuation in
            SecAddSharedWebCredential(domain as CFString, account as CFString, password.map { $0 as CFString }) {
                error in
                continuation.resume(returning: error.map { SharedCredentialError(system: $0, domain: domain, account) })
            }
        }
    }

    public nonisolated func request(
        domain: String?, account: String?
    ) async -> Result<[SharedCredential], SharedCredentialError> {
        if domain?.isEmpty == true { return .failure(.noDomain) }
        if account?.isEmpty == true { return .failure(.noAccount) }
        switch await requestPassword() {
        case .failure(let error): return .failure(error)
        case .success(nil): return .failure(.canceled)
        case .success(let picked?):
            guard account == nil || account == picked.user else {
                return .failure(.notFound(domains: domain.map { [$0] } ?? [], account: account))
            }
            // The system does not report the server of the picked password.
            let (host, port) = CredentialSite.parts(of: (domain ?? "").loweredASCII)
            return .success([
                SharedCredential(server: host, account: picked.user, password: picked.password, port: port)
            ])
        }
    }

    @available(iOS 26.2, *)
    private func save(_ domain: String, _ account: String, _ password: String) async -> SharedCredentialError? {
        let (host, port) = CredentialSite.parts(of: domain.loweredASCII)
        do {
            try await ASCredentialDataManager().save(
                password: ASPasswordCredential(user: account, password: password),
                for: ASAutoFillURLScope(host: host, port: port.map { Int($0) }), anchor: window)
            return nil
        } catch let error as ASAuthorizationError where error.code == .canceled {
            // `SecAddSharedWebCredential` also reports no error if the user declines.
            return nil
        } catch {
            return .other(code: Int32(truncatingIfNeeded: (error as NSError).code), text: "\(error)")
        }
    }

    public nonisolated func createPassword() -> String {
        SecCreateSharedWebCredentialPassword().map { $0 as String } ?? PasswordGenerator().next()
    }

    private func requestPassword() async -> PasswordRequest.Outcome {
        await withCheckedContinuation { continuation in
            let request = PasswordRequest(window: window) { continuation.resume(returning: $0) }
            // The controller does not keep its delegate alive.
            pending = request
            request.start()
        }
    }
}

@MainActor
private final class PasswordRequest: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding
{
    /// The picked user name and password; nil if the user canceled.
    typealias Outcome = Result<(user: String, password: String)?, SharedCredentialError>

    private let window: UIWindow
    private var finish: ((Outcome) -> Void)?

    init(window: UIWindow, finish: @escaping (Outcome) -> Void) {
        (self.window, self.finish) = (window, finish)
    }

    func start() {
        let controller = ASAuthorizationController(authorizationRequests: [
            ASAuthorizationPasswordProvider().createRequest()
        ])
        controller.delegate = self
        controller.presentationContextProvider = self
        controller.performRequests()
    }

    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor { window }

    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization
    ) {
        let picked = authorization.credential as? ASPasswordCredential
        end(.success(picked.map { ($0.user, $0.password) }))
    }

    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error) {
        let isCanceled = (error as? ASAuthorizationError)?.code == .canceled
        end(isCanceled ? .success(nil) : .failure(.other(code: Int32((error as NSError).code), text: "\(error)")))
    }

    /// Finishes at most once, because a continuation must not be resumed twice.
    private func end(_ outcome: Outcome) {
        finish?(outcome)
        finish = nil
    }
}

extension SharedCredentialError {
    /// Maps the system's error to the corresponding case, or to `other`.
    fileprivate init(system error: CFError, domain: String, _ account: String) {
        let code = Int32(truncatingIfNeeded: CFErrorGetCode(error))
        switch Status(rawValue: code) {
        case .errSecParam: self = domain.isEmpty ? .noDomain : .noAccount
        case .errSecBadReq: self = .autoFillOff
        case .errSecDuplicateItem: self = .neverSaved(domain: domain)
        case .errSecItemNotFound: self = .notFound(domains: [domain], account: account)
        case .errSecMissingEntitlement, .errSecAuthFailed, nil:
            // The cases for these two errors contain the app's identifier. At run time, the app does not know its
            // prefix.
            self = .other(code: code, text: CFErrorCopyDescription(error) as String)
        }
    }
}
#endif
