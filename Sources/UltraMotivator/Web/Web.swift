import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorServer

/// The account pages, with one function for each kind of request.
struct Web: Sendable {
    let accounts: Accounts
    let pages: Pages
    let motivator: Motivator
    let suggester: PasswordSuggester
    let ceremonies: PasskeyCeremonies
    /// The minimum length of a new password in characters.
    let minimum: Int

    func home(_ request: Request) async -> Response {
        await respond(request) { visitor in
            let notice = Notice(request.head)
            var response: Response
            if let session = visitor.session {
                let hasPasskeys = await ceremonies.hasPasskeys(session.state, request)
                response = pages.home(
                    Pages.Home(
                        name: session.name, quote: motivator.next(for: session.token), formToken: visitor.formToken,
                        notice: notice?.sentence, hasPasskeys: hasPasskeys,
                        passwordIsRecent: session.state.isPasswordConfirmed))
            } else {
                response = pages.welcome(notice)
            }
            if notice != nil { Notice.clear(in: &response) }
            return response
        }
    }

    /// Redirects a signed-in visitor to the home page, and any other visitor to the sign-in form.
    func account(_ request: Request) async -> Response {
        await respond(request) { Self.seeOther($0.session == nil ? "/signin" : "/") }
    }

    func show(_ page: PrerenderedForm, to request: Request) async -> Response {
        await respond(request) { visitor in
            if page.form.needsSession, visitor.session == nil { return Self.seeOther("/signin") }
            var response = pages.form(page, formToken: visitor.formToken, signedInAs: visitor.session?.name)
            visitor.mark(&response)
            return response
        }
    }

    func signUp(_ request: Request, _ form: FormPage) async -> Response {
        await submit(request, form) { values, visitor, page throws(AccountError) in
            guard agree(values, .password, .confirmation, on: &page) else { return nil }
            let new = try await accounts.signUp(
                name: values[.username], password: values[.password], from: request.client)
            return await entered(new, leaving: visitor, notice: .signedUp)
        }
    }

    func signIn(_ request: Request, _ form: FormPage) async -> Response {
        await submit(request, form) { values, visitor, page throws(AccountError) in
            let new = try await accounts.signIn(
                name: values[.username], password: values[.password], from: request.client)
            return await entered(new, leaving: visitor)
        }
    }

    func update(_ request: Request, _ form: FormPage) async -> Response {
        await submit(request, form) { values, visitor, page throws(AccountError) in
            guard agree(values, .newPassword, .newConfirmation, on: &page) else { return nil }
            let new = try await accounts.update(
                name: visitor.session?.name ?? values[.username], current: values[.currentPassword],
                new: values[.newPassword], from: request.client)
            return await entered(new, leaving: visitor, notice: .changed)
        }
    }

    func delete(_ request: Request, _ form: FormPage) async -> Response {
        await submit(request, form) { values, visitor, page throws(AccountError) in
            guard let session = visitor.session else { throw .notSignedIn }
            try await accounts.delete(session.token, password: values[.password], from: request.client)
            return left(.deleted)
        }
    }

    /// Signs the visitor out. Signing out again from an open page is not an error.
    func signOut(_ request: Request) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        return await respond(request) { visitor throws(AccountError) in
            guard let session = visitor.session else { return Self.seeOther("/") }
            let token = (try? FormContent(request.content))?[.formToken] ?? ""
            guard visitor.accepts(formToken: token) else {
                return pages.error(403, "The page has expired. Go to the home page and sign out there.", request)
            }
            try await accounts.signOut(session.token)
            return left(.signedOut)
        }
    }

    // MARK: - Forms

    typealias Act = (FormContent, Visitor, inout FormPage) async throws(AccountError) -> Response?

    /// Processes a form, or shows it again with its errors.
    func submit(_ request: Request, _ form: FormPage, _ act: Act) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        let values: FormContent
        do throws(FormContent.Failure) { values = try FormContent(request.content) } catch {
            return pages.error(400, "\(error.sentence) Go back and send the form again.", request)
        }
        return await respond(request) { visitor in
            var page = form
            guard visitor.accepts(formToken: values[.formToken]) else {
                page.alert = "The form has expired, or cookies are off. Fill in the form again and send it."
                return respond(page, for: visitor, values: values, status: .forbidden)
            }
            if form.suggests, values.has(.suggest) {
                let password = suggester.next()
                page.suggestion = password
                for field in [FieldName.password, .confirmation, .newPassword, .newConfirmation] {
                    page.fill(field, password)
                }
                return respond(page, for: visitor, values: values)
            }
            do throws(AccountError) {
                if let response = try await act(values, visitor, &page) { return response }
                return respond(page, for: visitor, values: values, status: .unprocessableContent)
            } catch {
                var explanation = error.explanation
                if error == .wrongNameOrPassword, visitor.session != nil, form.knowsName {
                    explanation.sentence = "This is not your current password. Check it and try again."
                }
                page.reject(explanation)
                var response = respond(page, for: visitor, values: values, status: .registered(explanation.status))
                explanation.complete(&response, challenge: Self.challenge)
                return response
            }
        }
    }

    /// Looks up the visitor, and responds to a failed lookup with an error page.
    func respond(
        _ request: Request, _ body: (Visitor) async throws(AccountError) -> Response
    ) async -> Response {
        do throws(AccountError) { return try await body(Visitor(request.head, accounts: accounts)) } catch {
            return failure(error, request.head)
        }
    }

    func respond(
        _ form: FormPage, for visitor: Visitor, values: FormContent? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let page = form.addressed(
            formToken: visitor.formToken, signedInAs: visitor.session?.name, typed: values?[.username])
        var response = pages.form(page, status: status)
        visitor.mark(&response)
        return response
    }

    private func agree(
        _ values: FormContent, _ field: FieldName, _ confirmation: FieldName, on page: inout FormPage
    ) -> Bool {
        // Strings compare by canonical equivalence: both encodings of "é" are the same password.
        if values[field] == values[confirmation] { return true }
        page.reject(confirmation, "The two passwords differ. Type the same password twice.")
        return false
    }

    /// Ends the visitor's earlier session and sets the cookie for the new session.
    func entered(_ new: SignedIn, leaving visitor: Visitor, notice: Notice? = nil) async -> Response {
        if let old = visitor.session { try? await accounts.signOut(old.token) }
        var response = Self.seeOther("/")
        visitor.leadBack(&response)
        Visitor.begin(new.token, in: &response)
        notice?.add(to: &response)
        return response
    }

    /// Removes the session cookie.
    private func left(_ notice: Notice) -> Response {
        var response = Self.seeOther("/")
        Visitor.end(in: &response)
        notice.add(to: &response)
        return response
    }

    // MARK: - Responses

    private func failure(_ error: AccountError, _ head: RequestHead) -> Response {
        let explanation = error.explanation
        var response = pages.errors.response(explanation.status, explanation.sentence, for: head)
        explanation.complete(&response, challenge: Self.challenge)
        return response
    }

    static func seeOther(_ path: String) -> Response {
        Response(.seeOther, fields: [.location: path, .cacheControl: "no-store"])
    }

    /// The challenge that 401 requires (RFC 9110 §11.6.1). No scheme is registered for forms. Browsers that do not
    /// recognize the scheme show the page.
    static let challenge = "Form realm=\"Ultra Motivator\""
}
