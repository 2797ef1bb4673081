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
                let isNew = hasPasskeys == false
                let offer = PasskeyButton(action: "/account/passkeys", text: "Add a passkey", offers: true)
                let home = Pages.Home(
                    name: session.name, quote: motivator.next(for: session.token), formToken: visitor.formToken,
                    notice: notice?.sentence, reviewsPasskeys: notice == .changed && hasPasskeys == true,
                    hasPasskeys: hasPasskeys == true, isNew: isNew,
                    passkey: isNew && session.state.isPasswordConfirmed ? offer : nil)
                response = Pages.response(pages.render(home, "home", at: "/account"), usesPasskeys: home.passkey != nil)
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
        await submit(request, form) { values, visitor throws(Explanation) in
            try check(values, name: values[.username], isNew: true, .password, .confirmation)
            let new = try await Explanation.of(
                await accounts.signUp(name: values[.username], password: values[.password], from: request.client))
            return await entered(new, leaving: visitor, notice: .signedUp)
        }
    }

    func signIn(_ request: Request, _ form: FormPage) async -> Response {
        await submit(request, form) { values, visitor throws(Explanation) in
            let new = try await Explanation.of(
                await accounts.signIn(name: values[.username], password: values[.password], from: request.client))
            return await entered(new, leaving: visitor)
        }
    }

    func update(_ request: Request, _ form: FormPage) async -> Response {
        await submit(request, form) { values, visitor throws(Explanation) in
            let name = visitor.session?.name ?? values[.username]
            try check(values, name: name, isNew: false, .newPassword, .newConfirmation)
            let new = try await Explanation.of(
                await accounts.update(
                    name: name, current: values[.currentPassword], new: values[.newPassword], from: request.client))
            return await entered(new, leaving: visitor, notice: .changed)
        }
    }

    func delete(_ request: Request, _ form: FormPage) async -> Response {
        await submit(request, form) { values, visitor throws(Explanation) in
            guard let session = visitor.session else { throw .notSignedIn }
            try await Explanation.of(
                await accounts.delete(session.token, password: values[.password], from: request.client))
            return left(.deleted)
        }
    }

    /// Signs the visitor out. Signing out again from an open page is not an error.
    func signOut(_ request: Request) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        return await respond(request) { visitor throws(Explanation) in
            guard let session = visitor.session else { return Self.seeOther("/") }
            let token = (try? FormContent(request.content))?[.formToken] ?? ""
            guard visitor.accepts(formToken: token) else {
                return pages.error(403, "The page has expired. Go to the home page and sign out there.", request)
            }
            try await Explanation.of(await accounts.signOut(session.token))
            return left(.signedOut)
        }
    }

    // MARK: - Forms

    /// Processes a form, or shows it again with its errors.
    func submit(
        _ request: Request, _ form: FormPage,
        _ act: (FormContent, Visitor) async throws(Explanation) -> Response
    ) async -> Response {
        let expired = "The form has expired, or cookies are off. Fill in the form again and send it."
        return await process(request, expired: expired) { values, visitor throws(Explanation) in
            guard form.suggests, values.has(.suggest) else { return try await act(values, visitor) }
            var page = form
            page.suggest(suggester.next())
            return respond(page, for: visitor, values: values)
        } or: { error, values, visitor in
            var (page, error) = (form, error)
            let isWrong = error.code == AccountError.wrongNameOrPassword.explanation.code
            if isWrong, visitor.session != nil, form.knowsName {
                error.sentence = "This is not your current password. Check it and try again."
            }
            if error.code == PasskeyRefusal.unknownPasskey.rawValue {
                page.unknown = await unknownPasskey(values, request)
            }
            for error in [error] + error.others { page.reject(error) }
            return respond(page, for: visitor, values: values, status: .registered(error.status))
        }
    }

    /// Parses a form and checks its token.
    /// - Parameters:
    ///   - expired: the error for a form of another visitor.
    ///   - explain: returns the response to an error.
    func process(
        _ request: Request, expired: String,
        _ act: (FormContent, Visitor) async throws(Explanation) -> Response,
        or explain: (Explanation, FormContent, Visitor) async -> Response
    ) async -> Response {
        if let refusal = pages.refuse(request) { return refusal }
        let values: FormContent
        do throws(FormContent.Failure) { values = try FormContent(request.content) } catch {
            return pages.error(400, "\(error.sentence) Go back and send the form again.", request)
        }
        return await respond(request) { visitor throws(Explanation) in
            do throws(Explanation) {
                guard visitor.accepts(formToken: values[.formToken]) else {
                    throw Explanation(403, "form_expired", expired)
                }
                return try await act(values, visitor)
            } catch { return error.completing(await explain(error, values, visitor), challenge: Self.challenge) }
        }
    }

    /// Looks up the visitor, and responds to a failed lookup with an error page.
    func respond(
        _ request: Request, _ body: (Visitor) async throws(Explanation) -> Response
    ) async -> Response {
        do throws(Explanation) { return try await body(Visitor(request.head, accounts: accounts)) } catch {
            return error.completing(pages.error(error.status, error.sentence, request), challenge: Self.challenge)
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

    /// Throws all errors of a form with a new password that do not depend on the store, the most important one first.
    private func check(
        _ values: FormContent, name: String, isNew: Bool, _ field: FieldName, _ confirmation: FieldName
    ) throws(Explanation) {
        let refusals = accounts.refusals(name: name, isNew: isNew, password: values[field])
        var errors = refusals.map { $0.explanation }
        // Strings compare by canonical equivalence: both encodings of "é" are the same password.
        if values[field] != values[confirmation] {
            let sentence = "The passwords do not match. Enter the same password in both fields."
            errors.append(Explanation(422, "passwords_differ", about: .newPassword, sentence))
        }
        guard var first = errors.first else { return }
        first.others = Array(errors.dropFirst())
        throw first
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

    private func left(_ notice: Notice) -> Response {
        var response = Self.seeOther("/")
        Visitor.end(in: &response)
        notice.add(to: &response)
        return response
    }

    static func seeOther(_ path: String) -> Response {
        Response(.seeOther, fields: [.location: path, .cacheControl: "no-store"])
    }

    /// The challenge that 401 requires (RFC 9110 §11.6.1). No scheme is registered for forms. Browsers that do not
    /// recognize the scheme show the page.
    static let challenge = "Form realm=\"Ultra Motivator\""
}
