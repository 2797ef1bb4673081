import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import Mustache

/// The pages, rendered from their templates.
package struct Pages: Sendable {
    private let library: MustacheLibrary
    /// The page for visitors without a session, which is the same for all of them.
    private let welcomePage: [UInt8]

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

    /// Returns the content of a page with a form.
    func content(_ page: FormPage) -> [UInt8] {
        render(page, "form")
    }

    /// Fills in a prerendered page.
    func form(_ page: PrerenderedForm, formToken: String, signedInAs name: String?) -> Response {
        Self.response(page.content(formToken: formToken, signedInAs: name), .ok)
    }

    /// Returns the page for visitors without a session.
    func welcome() -> Response {
        Self.response(welcomePage, .ok)
    }

    /// Renders the page for a visitor who is signed in.
    func home(name: String, quote: Quote, formToken: String) -> Response {
        Self.response(render(Home(name: name, quote: quote, formToken: formToken), "home"), .ok)
    }

    /// Renders a page of another module.
    ///
    /// - Parameters:
    ///   - title: the title.
    ///   - main: the HTML of the main part.
    package func frame(title: String, main: String) -> [UInt8] { render(Frame(title: title, main: main), "frame") }

    private struct Frame {
        let title: String
        let main: String
        let isSignedIn = false
    }

    /// Renders the API documentation page.
    func documentation(_ operations: [Documentation.Call]) -> String {
        library.render(Documentation(calls: operations), withTemplate: "documentation") ?? ""
    }

    /// Renders the form of `/check`, with the result of the last check.
    func check(_ view: CheckFormView) -> String {
        library.render(view, withTemplate: "check") ?? ""
    }

    /// Renders the list of all codes.
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
        // Pages are for one visitor. The back button must not show them after the session has ended.
        Response(
            status, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"], content: content)
    }
}

/// Escapes values in pages. The library's own escaping works on characters, so it misses a quote before a combining
/// mark.
private struct EscapedByScalar: MustacheContentType {
    static let name = "ESCAPED_BY_SCALAR"

    func escapeText(_ text: String) -> String { HTMLText.escape(text) }
}

/// The data of the API documentation page.
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
        let response: String
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

/// The Mustache templates of the pages. Values are escaped.
enum Templates {
    static let all = [
        "layout": PackageResources.layout_mustache, "welcome": PackageResources.welcome_mustache,
        "frame": PackageResources.frame_mustache, "home": PackageResources.home_mustache,
        "form": PackageResources.form_mustache,
        "field": PackageResources.field_mustache, "documentation": PackageResources.documentation_mustache,
    ].mapValues { String(decoding: $0, as: UTF8.self) }.merging(ofCheck) { first, _ in first }
}
