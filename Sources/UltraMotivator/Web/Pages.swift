import HTTP
import HTTPTypes
import Mustache
import Platform

/// The pages, made from their templates.
struct Pages: Sendable {
    private let library: MustacheLibrary

    /// - Throws: when a template is malformed.
    init() throws {
        var library = MustacheLibrary()
        for (name, text) in Templates.all { try library.register(text, named: name) }
        self.library = library
    }

    /// A page with a form.
    func form(_ page: FormPage, status: HTTPResponse.Status) -> Response {
        render(page, "form", status: status)
    }

    /// The page of a visitor without a session.
    func welcome() -> Response {
        render(Welcome(), "welcome", status: .ok)
    }

    /// The page of somebody who is signed in.
    func home(name: String, quote: Quote, formToken: String) -> Response {
        render(Home(name: name, quote: quote, formToken: formToken), "home", status: .ok)
    }

    /// The description of the API.
    func documentation(_ operations: [Documentation.Call]) -> String {
        library.render(Documentation(calls: operations), withTemplate: "documentation") ?? ""
    }

    private struct Welcome {
        let title = "Ultra Motivator"
        let isSignedIn = false
    }

    private struct Home {
        let title = "Home"
        let isSignedIn = true
        let name: String
        let quote: Quote
        let formToken: String
    }

    private func render(_ page: some Any, _ template: String, status: HTTPResponse.Status) -> Response {
        var response = Response(
            status, type: "text/html; charset=utf-8", text: library.render(page, withTemplate: template) ?? "")
        // What one person sees is for nobody else and for no back button after signing out.
        response.fields[.cacheControl] = "no-store"
        return response
    }
}

/// What the page about the API is made from.
struct Documentation {
    struct Call {
        let id: String
        let method: String
        let path: String
        let summary: String
        let description: String
        let needsToken: Bool
        let request: String?
        let status: Int
        let answer: String
        let failures: [Failure]
    }

    struct Failure {
        let status: Int
        let meaning: String
    }

    let title = "API"
    let isSignedIn = false
    let calls: [Call]
}
