import HTTP
import Server

/// What the demo serves on which path: the whole of it on one screen.
enum Routes {
    /// A form or the JSON of a call: passwords have at most 1,024 bytes, three times as many when percent-encoded.
    fileprivate static let form = ContentPolicy.buffered(limit: 16 << 10)

    /// The content types of static files whose name has no extension (Apple, Supporting Associated Domains).
    static let fileTypes = ["apple-app-site-association": "application/json"]

    /// A host of its own, with its own association file.
    static func site(_ association: ServedAssociation, _ content: SiteContent) -> Site {
        var site = Site()
        site.serve(association.root, at: "/apple-app-site-association")
        site.serve(association.wellKnown, at: "/.well-known/apple-app-site-association")
        if let links = content.assetLinks { site.serve(links, at: "/.well-known/assetlinks.json") }
        site.route(.get, "/.well-known/change-password", to: ChangePassword())
        site.route(.get, "/.well-known/security.txt", to: content.securityContact)

        let (web, minimum) = (content.web, content.web.minimum)
        site.route(.get, "/", to: Answer(web.home))
        for path in ["/signup", "/ultra_motivator/web/signup.py"] {
            site.add(.signUp(minimum: minimum, at: path), web, web.signUp)
        }
        for path in ["/signin", "/ultra_motivator/web/signin.py"] {
            site.add(.signIn(at: path), web, web.signIn)
        }
        for path in ["/update", "/ultra_motivator/web/update.py"] {
            site.add(.update(minimum: minimum, at: path), web, web.update)
        }
        site.add(.delete(at: "/account/delete"), web, web.delete)
        site.route(.post, "/signout", to: Answer(web.signOut), content: form)

        for operation in content.operations.all {
            let content = operation.method == .get ? ContentPolicy.discarded : form
            site.route(operation.method, operation.path, to: Answer(operation.respond), content: content)
        }
        site.serve(content.openAPI, at: "/openapi.json")
        site.serve(content.documentation, at: "/docs")

        site.serve(content.checkForm, at: "/check")
        site.route(.post, "/check", to: Answer(content.check.check), content: .onDemand(limit: 512 << 10))
        site.serve(content.checkCodes, at: "/check/codes")

        if content.servesEcho { site.routeEveryMethod("/echo", to: Echo(), content: .onDemand(limit: 1 << 20)) }
        site.files = content.files
        return site
    }

    /// The plain port: how to come to trust this server, and the way to HTTPS.
    static func plainSite(_ onboarding: Onboarding, files: StaticFiles, toHTTPS: ToHTTPS) -> Site {
        var site = Site()
        site.serve(onboarding.page, at: "/")
        if let certificate = onboarding.certificate {
            site.serve(certificate.pem, at: "/authority.pem")
            site.serve(certificate.der, at: "/authority.cer")
        }
        site.serve(files, at: "/style.css")
        site.serve(files, at: "/favicon.svg")
        site.otherwise = toHTTPS
        return site
    }

    /// What is told to whoever looks after this server, on a port that only they reach.
    static func adminSite(_ health: Health) -> Site {
        var site = Site()
        site.route(.get, "/health", to: health)
        return site
    }
}

extension ErrorRenderer {
    /// The errors of the demo: JSON for both APIs, and pages with the demo's icon and style sheet.
    static let demo = ErrorRenderer(
        apis: [
            API(prefix: "/api/", hasCode: true),
            // The tutorial's app expects no code.
            API(prefix: "/ultra_motivator/api/"),
        ],
        pageHead: """
            <link rel="icon" href="/favicon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/style.css">
            """)
}

extension Site {
    /// A form is shown and submitted at the same path.
    fileprivate mutating func add(
        _ form: FormPage, _ web: Web, _ submit: @escaping @Sendable (Request, FormPage) async -> Response
    ) {
        let page = PrerenderedForm(form, web.pages)
        route(.get, form.action, to: Answer { await web.show(page, to: $0) })
        route(.post, form.action, to: Answer { await submit($0, form) }, content: Routes.form)
    }
}
