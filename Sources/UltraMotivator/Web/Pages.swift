import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
package import MotivatorServer
import Mustache
import WebChecker

/// The pages, rendered from their templates.
package struct Pages: Sendable {
    private let renderer: Renderer
    /// The page that all visitors without a session receive.
    private let welcomePage: [UInt8]
    private let codeIndex: Lazy<CodeIndex>
    /// The error responses of the demo: JSON for both APIs, and pages with the header elsewhere.
    package let errors: ErrorRenderer

    /// - Parameter modules: the pages of modules, for the links in the header.
    init(modules: [ModulePage] = []) throws {
        MustacheContentTypes.register(EscapedByScalar(), named: EscapedByScalar.name)
        var library = MustacheLibrary()
        for (name, text) in Templates.all {
            // The layout finds the frame in the outer context, next to the page.
            let scoped = text.hasPrefix("{{<layout}}") ? "{{#page}}\n\(text)\n{{/page}}\n" : text
            try library.register("{{% CONTENT_TYPE: \(EscapedByScalar.name)}}\n" + scoped, named: name)
        }
        renderer = Renderer(library: library, modules: modules)
        welcomePage = renderer.render(Welcome(), "welcome", isSignedIn: false)
        codeIndex = Lazy { [renderer] in CodeIndex { renderer.text($0, "code") } }
        let errorPage = PrerenderedPage { [renderer] text in
            renderer.render(Failure(title: text(.title), sentence: text(.sentence)), "error")
        }
        errors = ErrorRenderer(
            // The tutorial's app does not expect a code.
            apis: [.init(prefix: "/api/", hasCode: true), .init(prefix: "/ultra_motivator/api/")]
        ) { title, sentence in
            errorPage.content { slot in
                switch slot {
                case .title: title
                case .sentence: sentence
                case .formToken, .userName: ""
                }
            }
        }
    }

    /// Renders a page with a form.
    func form(_ page: FormPage, status: HTTPResponse.Status) -> Response {
        Self.response(content(page), status)
    }

    /// Returns the content of a page with a form.
    func content(_ page: FormPage) -> [UInt8] {
        renderer.render(page, "form", at: page.knowsName ? "/account/form" : page.action, isSignedIn: page.isSignedIn)
    }

    /// Fills in a prerendered form for one visitor.
    func form(_ page: PrerenderedForm, formToken: String, signedInAs name: String?) -> Response {
        Self.response(page.content(formToken: formToken, signedInAs: name), .ok)
    }

    /// Returns the home page for visitors without a session.
    func welcome(_ notice: Notice?) -> Response {
        let page = notice.map { renderer.render(Welcome(notice: $0.sentence), "welcome", isSignedIn: false) }
        return Self.response(page ?? welcomePage, .ok)
    }

    /// Renders the home page for a signed-in visitor.
    func home(name: String, quote: Quote, formToken: String, notice: Notice? = nil) -> Response {
        let home = Home(name: name, quote: quote, formToken: formToken, notice: notice?.sentence)
        return Self.response(renderer.render(home, "home", at: "/account", isSignedIn: true), .ok)
    }

    /// Renders the home page of the plain port.
    func plainPort(_ view: Onboarding.View) -> [UInt8] {
        renderer.render(view, "plain")
    }

    /// Renders a page for another module.
    ///
    /// - Parameters:
    ///   - title: the title.
    ///   - main: the HTML of the main part.
    ///   - path: the path of the page.
    package func frame(title: String, main: String, at path: String) -> [UInt8] {
        renderer.render(OtherPage(title: title, main: main), "frame", at: path)
    }

    private struct OtherPage {
        let title: String
        let main: String
    }

    /// Renders the API documentation page.
    ///
    /// - Parameter origin: the scheme, host and port of the site.
    func documentation(_ operations: [Operation], at origin: String) -> [UInt8] {
        renderer.render(Documentation(operations, at: origin), "documentation", at: "/docs")
    }

    /// Renders the form of `/check` and the result of a check, if any.
    func check(_ view: CheckFormView) -> [UInt8] {
        renderer.render(view, "check", at: "/check")
    }

    /// Renders the list of issue codes, or the result of a search.
    func codes(_ query: String? = nil) -> [UInt8] {
        renderer.render(codeIndex.value.list(query), "codes", at: "/check/codes")
    }

    private struct Welcome {
        var notice: String?
    }

    private struct Home {
        let name: String
        let quote: Quote
        let formToken: String
        let notice: String?
    }

    private struct Failure {
        let title: String
        let sentence: String
    }

    private struct Renderer: Sendable {
        let library: MustacheLibrary
        let modules: [ModulePage]

        func render(
            _ page: some Any, _ template: String, at path: String = "", isSignedIn: Bool? = nil
        ) -> [UInt8] {
            let frame = Frame(path, isSignedIn: isSignedIn, modules: modules)
            let data = ["page": Self.data(of: page), "frame": Self.data(of: frame)]
            return Array((library.render(data, withTemplate: template) ?? "").utf8)
        }

        /// Renders a part of a page.
        func text(_ part: some Any, _ template: String) -> String {
            library.render(Self.data(of: part) ?? "", withTemplate: template) ?? ""
        }

        /// Returns the stored properties of a value and of all nested values, by name.
        ///
        /// Otherwise, the library would look up each property by reflection on each use, which is several times slower.
        private static func data(of value: Any) -> Any? {
            let mirror = Mirror(reflecting: value)
            switch mirror.displayStyle {
            case .optional: return mirror.children.first.flatMap { data(of: $0.value) }
            case .collection: return mirror.children.compactMap { data(of: $0.value) }
            // Keep values with a description, because templates can show them.
            case .struct where !(value is any CustomStringConvertible):
                let members = mirror.children.compactMap { child in
                    child.label.flatMap { label in data(of: child.value).map { (label, $0) } }
                }
                return Dictionary(members) { $1 }
            case _: return value
            }
        }
    }

    private static func response(_ content: [UInt8], _ status: HTTPResponse.Status) -> Response {
        // Pages are for one visitor. The back button must not show them after the session has ended.
        Response(
            status, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"], content: content)
    }
}

extension Pages {
    /// Returns an error for a request from another site, or for content that is not a form.
    func refuse(_ request: Request) -> Response? {
        guard SameOrigin.allows(request.head) else {
            return error(403, SameOrigin.refusal, request)
        }
        guard request.hasContent(of: "application/x-www-form-urlencoded") else {
            return error(
                415, "The content is not application/x-www-form-urlencoded. Use the form on the page.", request)
        }
        return nil
    }

    /// Returns an error response that is not cached.
    func error(_ status: Int, _ sentence: String, _ request: Request) -> Response {
        var response = errors.response(status, sentence, for: request.head)
        response.fields[.cacheControl] = "no-store"
        return response
    }
}

/// Escapes values in pages. The library's own escaping works on characters, so it misses a quote before a combining
/// mark.
private struct EscapedByScalar: MustacheContentType {
    static let name = "ESCAPED_BY_SCALAR"

    func escapeText(_ text: String) -> String { HTMLText.escape(text) }
}

/// The Mustache templates of the pages. Values are escaped.
enum Templates {
    static let all = [
        "layout": PackageResources.layout_mustache, "welcome": PackageResources.welcome_mustache,
        "frame": PackageResources.frame_mustache, "home": PackageResources.home_mustache,
        "form": PackageResources.form_mustache,
        "field": PackageResources.field_mustache, "documentation": PackageResources.documentation_mustache,
        "error": PackageResources.error_mustache, "plain": PackageResources.plain_mustache,
        "check": PackageResources.check_mustache, "result": PackageResources.result_mustache,
        "issue": PackageResources.issue_mustache, "trial": PackageResources.trial_mustache,
        "codes": PackageResources.codes_mustache, "code": PackageResources.code_mustache,
    ].mapValues { String(decoding: $0, as: UTF8.self) }
}
