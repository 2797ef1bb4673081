import AssociatedDomains
import AssociationChecker
import HTTPTypes
import MotivatorHTTP
package import MotivatorServer
import WebChecker

package struct Pages: Sendable {
    /// The maximum number of characters of a problem in the title of an error page, about two lines on a phone.
    private static let longestTitle = 60

    private let renderer: Renderer
    private let hasFaults: Bool
    /// The page that all visitors without a session receive.
    private let welcomePage: Lazy<PrerenderedPage>
    private let codeIndex: Lazy<CodeIndex>
    /// The error responses of the demo: JSON for both APIs, and pages with the header elsewhere.
    package let errors: ErrorRenderer

    /// - Parameter faults: the templates of the hosts that are broken on purpose; nil without such hosts.
    init(faults: [String: [UInt8]]? = nil) {
        let hasFaults = faults != nil
        self.hasFaults = hasFaults
        renderer = Renderer(Templates.all.merging(faults ?? [:]) { $1 })
        welcomePage = Lazy { [renderer] in
            PrerenderedPage(slots: 0) { _ in renderer.page(Welcome(), "welcome", in: Frame("", hasFaults: hasFaults)) }
        }
        codeIndex = Lazy { [renderer] in CodeIndex { renderer.text($0, "code") } }
        let errorPages = [true, false].map { [renderer] isAlone in
            Lazy {
                PrerenderedPage(slots: 5) { text in
                    let failure = Failure(
                        code: text[0], title: text[1], sentence: text[2], path: text[3], link: text[4],
                        isAlone: isAlone)
                    return renderer.page(failure, "error", in: Frame("", hasFaults: hasFaults))
                }
            }
        }
        let names = [
            "/signup": "sign-up", "/signin": "sign-in", "/update": "the password change", "/account": "your account",
            "/account/delete": "account deletion", "/account/passkeys": "your passkeys", "/docs": "the API",
            "/check": "the check", "/check/codes": "the issue codes", "/openapi.json": "the OpenAPI document",
            FilePath.wellKnown.text: "the association file", FilePath.root.text: "the association file",
            "/faults": "the faults",
        ]
        let paths = names.keys.filter { hasFaults || $0 != "/faults" }.sorted()
        errors = ErrorRenderer(
            // The tutorial's app does not expect a code.
            apis: [("/api/", hasCode: true), ("/ultra_motivator/api/", hasCode: false)]
        ) { status, sentence, similarPath in
            let words = status == .notFound ? ["Page", "not found"] : status.reasonPhrase.split(separator: " ")
            let reason = (words.prefix(1) + words.dropFirst().map { Substring($0.lowercased()) }).joined(separator: " ")
            // A short problem is the title, and its fix is the text.
            let parts = sentence.split(separator: ". ", maxSplits: 1).map(String.init)
            let isTitle = status != .notFound && parts.count == 2 && parts[0].count <= Self.longestTitle
            let name = similarPath.map { names[$0] ?? $0 } ?? "the home page"
            let link = "\(status == .notFound || similarPath == nil ? "Go" : "Back") to \(name)"
            return errorPages[similarPath == nil ? 1 : 0].value.content(
                ["\(status.code)"] + (isTitle ? parts : [reason, sentence]) + [similarPath ?? "/", link])
        } similarPath: {
            // In a long path, several letters can be wrong, such as an added ".json".
            $0.nearest(of: paths, within: 2 + $0.utf8.count / 12)
        }
    }

    func form(_ page: FormPage, status: HTTPResponse.Status) -> Response {
        Self.response(content(page), status, usesPasskeys: page.passkey != nil)
    }

    func content(_ page: FormPage) -> [UInt8] { render(page, "form", at: "/account/form") }

    func form(_ page: PrerenderedForm, formToken: String, signedInAs name: String?) -> Response {
        Self.response(page.content(formToken: formToken, signedInAs: name), .ok, usesPasskeys: page.form.passkey != nil)
    }

    func welcome(_ notice: Notice?) -> Response {
        let page = notice.map { render(Welcome(notice: $0.sentence), "welcome") }
        return Self.response(page ?? welcomePage.value.content([]))
    }

    /// Renders a page from its template.
    /// - Parameters:
    ///   - path: the path of the page; empty for a page without a link in the header.
    ///   - origin: the origin of the site, for a page on another host.
    package func render(
        _ view: some Any, _ template: String, at path: String = "", of origin: String = ""
    ) -> [UInt8] { renderer.page(view, template, in: Frame(path, hasFaults: hasFaults, origin: origin)) }

    /// Renders the list of issue codes, or the result of a search.
    func codes(_ query: String? = nil) -> [UInt8] { render(codeIndex.value.list(query), "codes", at: "/check/codes") }

    /// The verdict of a check as an image.
    struct Badge {
        let word: String
        let color: String

        /// - Parameter verdict: nil if the check has not run.
        init(_ verdict: Verdict?) {
            (word, color) =
                switch verdict {
                case .associated: ("associated", "#1a7f37")
                case .denied: ("denied", "#cf222e")
                case .retry: ("unreachable", "#6e7781")
                case nil: ("unknown", "#6e7781")
                }
        }
    }

    /// Renders a badge.
    /// - Parameter seconds: the time during which caches may reuse it.
    func badge(_ verdict: Verdict?, seconds: Int) -> Response {
        .picture(Array(renderer.text(Badge(verdict), "badge").utf8), cacheControl: "public, max-age=\(seconds)")
    }

    struct Welcome { var notice: String? }

    struct Home {
        let name: String
        let quote: Quote
        let formToken: String
        let notice: String?
        /// Whether the message leads to the passkeys, which a new password does not change.
        let reviewsPasskeys: Bool
        let hasPasskeys: Bool
        /// Whether the account has no passkey for this host, but can add one.
        let isNew: Bool
        /// The offer to add a passkey without a prompt after a sign-in with a password.
        let passkey: PasskeyButton?
    }

    struct Failure {
        let code: String
        let title: String
        let sentence: String
        /// The path that the visitor may have meant, or else the home page.
        let path: String
        let link: String
        /// Whether the page has no other links.
        let isAlone: Bool
    }

    /// Returns the response with a page for one visitor.
    static func response(
        _ content: [UInt8], _ status: HTTPResponse.Status = .ok, usesPasskeys: Bool = false
    ) -> Response {
        var fields: HTTPFields = usesPasskeys ? SecurityFields.passkeyPages : [:]
        fields[.contentType] = "text/html; charset=utf-8"
        // The back button must not show them after the session has ended.
        fields[.cacheControl] = "no-store"
        return Response(status, fields: fields, content: content)
    }

    /// Returns an error for a request from another site, or for content that is not a form.
    func refuse(_ request: Request) -> Response? {
        guard SameOrigin.allows(request.head) else { return error(403, SameOrigin.refusal, request) }
        guard request.hasContent(of: "application/x-www-form-urlencoded") else {
            return error(
                415, "The content is not application/x-www-form-urlencoded. Use the form on the page.", request)
        }
        return nil
    }

    /// Returns an error response that is not cached.
    func error(_ status: Int, _ sentence: String, _ request: Request) -> Response {
        errors.response(status, sentence, for: request.head)
    }
}

/// The Mustache templates of the pages. Values are escaped.
enum Templates {
    static let all = [
        "layout": PackageResources.layout_mustache, "welcome": PackageResources.welcome_mustache,
        "home": PackageResources.home_mustache,
        "form": PackageResources.form_mustache,
        "passkey": PackageResources.passkey_mustache, "passkeys": PackageResources.passkeys_mustache,
        "field": PackageResources.field_mustache, "documentation": PackageResources.documentation_mustache,
        "tutorial": PackageResources.tutorial_mustache, "error": PackageResources.error_mustache,
        "plain": PackageResources.plain_mustache,
        "check": PackageResources.check_mustache, "result": PackageResources.result_mustache,
        "issue": PackageResources.issue_mustache, "trial": PackageResources.trial_mustache,
        "codes": PackageResources.codes_mustache, "code": PackageResources.code_mustache,
        "badge": PackageResources.badge_mustache, "report": PackageResources.report_mustache,
        "sent": PackageResources.sent_mustache,
    ]
}
