import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Passkeys
import SourceJSON

/// The pages for passkeys, and the calls of their script.
extension Web {
    /// The maximum size of a form with the result of a ceremony, which is longer than in the API because it is
    /// percent-encoded.
    static let ceremonyLimit = 3 * PasskeyAPI.contentLimit

    /// Shows the list of passkeys. A visitor without a session signs in first.
    func passkeys(_ request: Request) async -> Response {
        await respond(request) { visitor in
            guard let session = visitor.session?.state else {
                var response = Self.seeOther("/signin")
                Visitor.returnToPasskeys(in: &response)
                return response
            }
            let notice = Notice(request.head)
            var response = await list(request, visitor, session, notice: notice)
            if notice != nil { Notice.clear(in: &response) }
            return response
        }
    }

    func addPasskey(_ request: Request) async -> Response {
        await change(request) { values, session throws(Explanation) in
            let credential = try Self.credential(values)
            let name = values["name"].flatMap { $0.isEmpty ? nil : $0 }
            _ = try await ceremonies.register(
                credential, name: name, ceremonies.relyingParty(request), for: session, request)
            return .passkeyAdded
        }
    }

    func renamePasskey(_ request: Request) async -> Response {
        await change(request) { values, session throws(Explanation) in
            _ = try await ceremonies.rename(values["id"] ?? "", to: values["name"] ?? "", for: session)
            return .passkeyRenamed
        }
    }

    func removePasskey(_ request: Request) async -> Response {
        await change(request) { values, session throws(Explanation) in
            try await ceremonies.remove(values["id"] ?? "", for: session)
            return .passkeyRemoved
        }
    }

    func confirm(_ request: Request) async -> Response {
        await submit(request, .confirm(at: Self.confirmPath)) { values, visitor throws(Explanation) in
            guard let session = visitor.session else { throw .notSignedIn }
            try await Explanation.of(
                await accounts.confirm(session.token, password: values[.password], from: request.client))
            return Self.seeOther(Self.listPath)
        }
    }

    func confirmWithPasskey(_ request: Request) async -> Response {
        await submit(request, .confirm(at: Self.confirmPath)) { values, visitor throws(Explanation) in
            let credential = try Self.credential(values)
            guard let session = visitor.session?.state else { throw .notSignedIn }
            try await ceremonies.confirm(credential, ceremonies.relyingParty(request), for: session, request)
            return Self.seeOther(Self.listPath)
        }
    }

    func signInWithPasskey(_ request: Request) async -> Response {
        await submit(request, .signIn(at: "/signin")) { values, visitor throws(Explanation) in
            let credential = try Self.credential(values)
            let signedIn = try await ceremonies.signIn(credential, ceremonies.relyingParty(request), request)
            return await entered(signedIn, leaving: visitor)
        }
    }

    func signInOptions(_ request: Request) async -> Response {
        await options(request) { _, _ throws(Explanation) in
            ceremonies.signInOptions(try await ceremonies.relyingParty(request))
        }
    }

    func confirmationOptions(_ request: Request) async -> Response {
        await options(request) { visitor, _ throws(Explanation) in
            guard let session = visitor.session?.state else { throw .notSignedIn }
            return try await ceremonies.confirmationOptions(ceremonies.relyingParty(request), for: session)
        }
    }

    func creationOptions(_ request: Request) async -> Response {
        await options(request) { visitor, values throws(Explanation) in
            guard let session = visitor.session?.state else { throw .notSignedIn }
            return try await ceremonies.creationOptions(
                ceremonies.relyingParty(request), for: session, mediation: values["mediation"])
        }
    }

    private func options(
        _ request: Request, _ make: (Visitor, FormContent) async throws(Explanation) -> JSONNode
    ) async -> Response {
        await process(request, expired: "The page has expired. Reload it.") { values, visitor throws(Explanation) in
            .json(try await make(visitor, values).bytes())
        } or: { error, _, _ in
            .failure(error)
        }
    }

    private static let listPath = "/account/passkeys"
    private static let confirmPath = "/account/confirm"

    /// Returns what the password manager needs to hide an unknown passkey.
    func unknownPasskey(_ values: FormContent, _ request: Request) async -> FormPage.UnknownPasskey? {
        guard let site = try? await ceremonies.relyingParty(request),
            let id = try? Self.credential(values)["id"]?.string
        else { return nil }
        return FormPage.UnknownPasskey(rpID: site.id, id: id)
    }

    /// Returns the result of the ceremony, which the form has as JSON.
    private static func credential(_ values: FormContent) throws(Explanation) -> JSONObject {
        let content = Array((values["credential"] ?? "").utf8)
        return try APICall.object(content, "credential", fix: "Reload the page and try again.")
    }

    /// Changes the passkeys of the session's account, or shows the list with the error.
    private func change(
        _ request: Request, _ act: (FormContent, Session) async throws(Explanation) -> Notice
    ) async -> Response {
        await process(request, expired: "The form has expired. Try again.") { values, visitor throws(Explanation) in
            guard let session = visitor.session?.state else { throw .notSignedIn }
            let notice = try await act(values, session)
            var response = Self.seeOther(Self.listPath)
            notice.add(to: &response)
            return response
        } or: { error, values, visitor in
            guard let session = visitor.session?.state else { return Self.seeOther("/signin") }
            // The list shows the confirmation first.
            if error.code == PasskeyRefusal.confirmationRequired.rawValue { return Self.seeOther(Self.listPath) }
            return await list(request, visitor, session, failure: (error, values))
        }
    }

    /// Shows the list of passkeys, or the form to confirm first.
    private func list(
        _ request: Request, _ visitor: Visitor, _ session: Session, notice: Notice? = nil,
        failure: (error: Explanation, values: FormContent)? = nil
    ) async -> Response {
        let status = failure.map { HTTPResponse.Status.registered($0.error.status) } ?? .ok
        guard session.isConfirmed else {
            var form = FormPage.confirm(at: Self.confirmPath)
            form.alert = failure?.error.sentence
            return respond(form, for: visitor, status: status)
        }
        do throws(Explanation) {
            let site = try await ceremonies.relyingParty(request)
            let handle = Base64.encode(site.challenges.userHandle(ofAccount: session.account), .urlSafe)
            var list = PasskeyList(
                try await ceremonies.passkeys(site, of: session), rpID: site.id, userID: handle,
                formToken: visitor.formToken, notice: notice?.sentence, values: failure?.values)
            list.alert = failure?.error.sentence
            return Pages.response(pages.render(list, "passkeys", at: Self.listPath), status, usesPasskeys: true)
        } catch { return pages.error(error.status, error.sentence, request) }
    }
}
