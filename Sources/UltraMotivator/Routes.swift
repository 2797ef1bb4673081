import AssociatedDomains
import HTTP
import Server

/// What the demo serves on which path: the whole of it on one screen.
enum Routes {
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
            site.add(.signUp(minimum: minimum, at: path), web.show, web.signUp)
        }
        for path in ["/signin", "/ultra_motivator/web/signin.py"] {
            site.add(.signIn(at: path), web.show, web.signIn)
        }
        for path in ["/update", "/ultra_motivator/web/update.py"] {
            site.add(.update(minimum: minimum, at: path), web.show, web.update)
        }
        site.add(.delete(at: "/account/delete"), web.show, web.delete)
        site.route(.post, "/signout", to: Answer(web.signOut))

        for operation in content.operations.all {
            site.route(operation.method, operation.path, to: Answer(operation.respond))
        }
        site.serve(content.openAPI, at: "/openapi.json")
        site.serve(content.documentation, at: "/docs")

        site.serve(content.checkForm, at: "/check")
        site.route(.post, "/check", to: Answer(content.check.check))
        site.serve(content.checkCodes, at: "/check/codes")

        if content.servesEcho { site.routeEveryMethod("/echo", to: Echo()) }
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

extension Site {
    /// A form is shown and sent at the same path.
    fileprivate mutating func add(
        _ form: FormPage, _ show: @escaping @Sendable (FormPage, Request) async -> Response,
        _ submit: @escaping @Sendable (Request, FormPage) async -> Response
    ) {
        route(.get, form.action, to: Answer { await show(form, $0) })
        route(.post, form.action, to: Answer { await submit($0, form) })
    }
}
