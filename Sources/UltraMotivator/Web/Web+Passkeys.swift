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
        await change(request) { values, session throws(APIError) in
            let credential = try Self.credential(values)
            let name = values["name"].flatMap { $0.isEmpty ? nil : $0 }
            _ = try await ceremonies.register(
                credential, name: name, ceremonies.relyingParty(request), for: session, request)
            return .passkeyAdded
        }
    }

    func renamePasskey(_ request: Request) async -> Response {
        await change(request) { values, session throws(APIError) in
            _ = try await ceremonies.rename(
                values["id"] ?? "", to: values["name"] ?? "", ceremonies.relyingParty(request), for: session)
            return .passkeyRenamed
        }
    }

    func removePasskey(_ request: Request) async -> Response {
        await change(request) { values, session throws(APIError) in
            try await APIError.wrapping { () throws(AccountError) in
                let credential = Base64.decode((values["id"] ?? "").utf8, .urlSafe) ?? []
                try await accounts.removePasskey(credential, for: session)
            }
            return .passkeyRemoved
        }
    }

    /// Confirms the session with the password.
    func confirm(_ request: Request) async -> Response {
        await submit(request, .confirm(at: Self.confirmPath)) { values, visitor, _ throws(AccountError) in
            guard let session = visitor.session else { throw .notSignedIn }
            try await accounts.confirm(session.token, password: values[.password], from: request.client)
            return Self.seeOther(Self.listPath)
        }
    }

    /// Confirms the session with a passkey.
    func confirmWithPasskey(_ request: Request) async -> Response {
        await finish(request, .confirm(at: Self.confirmPath)) { credential, visitor throws(APIError) in
            guard let session = visitor.session?.state else { throw .account(.notSignedIn) }
            try await ceremonies.confirm(credential, ceremonies.relyingParty(request), for: session, request)
            return Self.seeOther(Self.listPath)
        }
    }

    func signInWithPasskey(_ request: Request) async -> Response {
        await finish(request, .signIn(at: "/signin")) { credential, visitor throws(APIError) in
            let signedIn = try await ceremonies.signIn(credential, ceremonies.relyingParty(request), request)
            return await entered(signedIn, leaving: visitor)
        }
    }

    // MARK: - Options

    func signInOptions(_ request: Request) async -> Response {
        await options(request) { _, _ throws(APIError) in
            ceremonies.signInOptions(try await ceremonies.relyingParty(request))
        }
    }

    func confirmationOptions(_ request: Request) async -> Response {
        await options(request) { visitor, _ throws(APIError) in
            guard let session = visitor.session?.state else { throw .account(.notSignedIn) }
            return try await ceremonies.confirmationOptions(ceremonies.relyingParty(request), for: session)
        }
    }

    func creationOptions(_ request: Request) async -> Response {
        await options(request) { visitor, values throws(APIError) in
            guard let session = visitor.session?.state else { throw .account(.notSignedIn) }
            return try await ceremonies.creationOptions(
                ceremonies.relyingParty(request), for: session, mediation: values["mediation"])
        }
    }

    /// Responds with options or an error as JSON.
    private func options(
        _ request: Request, _ make: (Visitor, FormContent) async throws(APIError) -> JSONNode
    ) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        let values = (try? FormContent(request.content)) ?? FormContent()
        return await respond(request) { visitor in
            guard visitor.accepts(formToken: values[.formToken]) else {
                return .object(["error": "The page has expired. Reload it.", "code": "form_expired"], .forbidden)
            }
            do throws(APIError) {
                return .json(String(decoding: try await make(visitor, values).bytes(), as: UTF8.self), .ok)
            } catch {
                let explanation = error.explanation
                var response = Response.object(
                    ["error": explanation.sentence, "code": explanation.code], .registered(explanation.status))
                explanation.complete(&response, challenge: Self.challenge)
                return response
            }
        }
    }

    // MARK: - Results

    private static let listPath = "/account/passkeys"
    private static let confirmPath = "/account/confirm"

    /// Finishes a sign-in or a confirmation, or shows the form with the error.
    private func finish(
        _ request: Request, _ form: FormPage,
        _ act: (JSONObject, Visitor) async throws(APIError) -> Response
    ) async -> Response {
        await submit(request, form) { values, visitor, page throws(AccountError) in
            do throws(APIError) {
                return try await act(try Self.credential(values), visitor)
            } catch {
                let explanation = error.explanation
                var page = page
                page.alert = explanation.sentence
                if explanation.code == PasskeyRefusal.unknownPasskey.rawValue {
                    page.unknown = await unknownPasskey(values, request)
                }
                var response = respond(page, for: visitor, status: .registered(explanation.status))
                explanation.complete(&response, challenge: Self.challenge)
                return response
            }
        }
    }

    /// Returns what the password manager needs to hide an unknown passkey.
    private func unknownPasskey(_ values: FormContent, _ request: Request) async -> FormPage.UnknownPasskey? {
        guard let site = try? await ceremonies.relyingParty(request),
            let id = try? Self.credential(values)["id"]?.string
        else { return nil }
        return FormPage.UnknownPasskey(rpID: site.id, id: id)
    }

    /// Returns the result of the ceremony, which the form has as JSON.
    private static func credential(_ values: FormContent) throws(APIError) -> JSONObject {
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(Array((values["credential"] ?? "").utf8)) } catch {
            throw .malformed("The credential is invalid JSON at \(error.location). Reload the page and try again.")
        }
        guard document.duplicateKeys.isEmpty, let object = document.root.object else {
            throw .malformed("The credential is not a JSON object, or repeats a member. Reload the page and try again.")
        }
        return object
    }

    /// Changes the passkeys of the session's account, or shows the list with the error.
    private func change(
        _ request: Request, _ act: (FormContent, Session) async throws(APIError) -> Notice
    ) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        let values: FormContent
        do throws(FormContent.Failure) { values = try FormContent(request.content) } catch {
            return pages.error(400, "\(error.sentence) Go back and send the form again.", request)
        }
        return await respond(request) { visitor in
            guard let session = visitor.session?.state else { return Self.seeOther("/signin") }
            guard visitor.accepts(formToken: values[.formToken]) else {
                return await list(
                    request, visitor, session, alert: "The form has expired. Try again.", status: .forbidden)
            }
            do throws(APIError) {
                let notice = try await act(values, session)
                var response = Self.seeOther(Self.listPath)
                notice.add(to: &response)
                return response
            } catch {
                // The list shows the confirmation first.
                if case .account(.passkey(.confirmationRequired)) = error { return Self.seeOther(Self.listPath) }
                let explanation = error.explanation
                var response = await list(
                    request, visitor, session, alert: explanation.sentence, status: .registered(explanation.status))
                explanation.complete(&response, challenge: Self.challenge)
                return response
            }
        }
    }

    /// Shows the list of passkeys, or the form to confirm first.
    private func list(
        _ request: Request, _ visitor: Visitor, _ session: Session, notice: Notice? = nil, alert: String? = nil,
        status: HTTPResponse.Status = .ok
    ) async -> Response {
        guard session.isConfirmed else {
            var form = FormPage.confirm(at: Self.confirmPath)
            form.alert = alert
            return respond(form, for: visitor, status: status)
        }
        do throws(APIError) {
            let site = try await ceremonies.relyingParty(request)
            let handle = Base64.encode(site.challenges.userHandle(ofAccount: session.account), .urlSafe)
            var list = PasskeyList(
                try await ceremonies.passkeys(site, of: session), rpID: site.id, userID: handle,
                formToken: visitor.formToken, notice: notice?.sentence)
            list.alert = alert
            return pages.passkeys(list, status: status)
        } catch {
            let explanation = error.explanation
            return pages.error(explanation.status, explanation.sentence, request)
        }
    }
}
