import HTTP
import HTTPTypes
import Mustache
import Platform
import Server

/// The pages, made from their templates.
struct Pages: Sendable {
    private let library: MustacheLibrary
    /// The page of visitors without a session. It is the same for all of them.
    private let welcomePage: [UInt8]

    /// - Throws: when a template is malformed.
    init() throws {
        MustacheContentTypes.register(EscapedByScalar(), named: EscapedByScalar.name)
        var library = MustacheLibrary()
        for (name, text) in Templates.all {
            try library.register("{{% CONTENT_TYPE: \(EscapedByScalar.name)}}\n" + text, named: name)
        }
        self.library = library
        welcomePage = Array((library.render(Welcome(), withTemplate: "welcome") ?? "").utf8)
    }

    /// Renders a page with a form.
    func form(_ page: FormPage, status: HTTPResponse.Status) -> Response {
        Self.response(content(page), status)
    }

    /// The content of a page with a form.
    func content(_ page: FormPage) -> [UInt8] {
        render(page, "form")
    }

    /// Fills in a page that was rendered before.
    func form(_ page: PrerenderedForm, formToken: String, signedInAs name: String?) -> Response {
        Self.response(page.content(formToken: formToken, signedInAs: name), .ok)
    }

    /// The page of a visitor without a session.
    func welcome() -> Response {
        Self.response(welcomePage, .ok)
    }

    /// The page of a visitor who is signed in.
    func home(name: String, quote: Quote, formToken: String) -> Response {
        Self.response(render(Home(name: name, quote: quote, formToken: formToken), "home"), .ok)
    }

    /// The description of the API.
    func documentation(_ operations: [Documentation.Call]) -> String {
        library.render(Documentation(calls: operations), withTemplate: "documentation") ?? ""
    }

    /// The form of `/check`, with what the last check came to.
    func check(_ view: CheckFormView) -> String {
        library.render(view, withTemplate: "check") ?? ""
    }

    /// The list of all codes.
    func codes(_ list: CodeList) -> String {
        library.render(list, withTemplate: "codes") ?? ""
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

    private func render(_ page: some Any, _ template: String) -> [UInt8] {
        Array((library.render(page, withTemplate: template) ?? "").utf8)
    }

    private static func response(_ content: [UInt8], _ status: HTTPResponse.Status) -> Response {
        // A page of one visitor is for no other, and for no back button after the session ended.
        Response(
            status, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"], content: content)
    }
}

/// How values are put into pages. The library's own way looks at whole characters and lets a quote pass that a combining
/// mark follows.
private struct EscapedByScalar: MustacheContentType {
    static let name = "ESCAPED_BY_SCALAR"

    func escapeText(_ text: String) -> String { HTMLText.escape(text) }
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
