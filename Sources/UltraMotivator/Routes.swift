import Accounts
import HTTPTypes
import MotivatorHTTP
package import MotivatorServer

enum Routes {
    /// The policy for forms and API calls. A password is at most 1,024 bytes long, or 3,072 when percent-encoded.
    fileprivate static let form = ContentPolicy.buffered(limit: 16 << 10)

    /// The content types of static files without a file name extension (Apple, Supporting Associated Domains).
    static let fileTypes = ["apple-app-site-association": "application/json"]

    static func site(_ association: ServedAssociation, _ content: SiteContent) -> Site {
        var site = Site()
        site.serve(association.root, at: "/apple-app-site-association")
        site.serve(association.wellKnown, at: "/.well-known/apple-app-site-association")
        if let links = content.assetLinks { site.serve(links, at: "/.well-known/assetlinks.json") }
        // W3C, "A Well-Known URL for Changing Passwords".
        site.route(.get, "/.well-known/change-password", to: ClosureHandler { _ in Web.seeOther("/update") })
        site.route(.get, "/.well-known/security.txt", to: content.securityContact)

        let passkeyFiles = PasskeyFiles(ceremonies: content.web.ceremonies, errors: content.web.pages.errors)
        site.route(.get, "/.well-known/passkey-endpoints", to: ClosureHandler { passkeyFiles.endpoints($0) })
        site.route(.get, "/.well-known/webauthn", to: ClosureHandler { passkeyFiles.relatedOrigins($0) })

        let (web, minimum) = (content.web, content.web.minimum)
        site.route(.get, "/", to: ClosureHandler(web.home))
        for path in ["/signup", "/ultra_motivator/web/signup.py"] {
            site.add(.signUp(minimum: minimum, at: path), web, web.signUp)
        }
        for path in ["/signin", "/ultra_motivator/web/signin.py"] { site.add(.signIn(at: path), web, web.signIn) }
        for path in ["/update", "/ultra_motivator/web/update.py"] {
            site.add(.update(minimum: minimum, at: path), web, web.update)
        }
        site.serve(content.tutorial, at: "/ultra_motivator/")
        site.route(.get, "/ultra_motivator", to: ClosureHandler { _ in Web.seeOther("/ultra_motivator/") })
        for name in Tutorial.names {
            for folder in ["/", "/web/"] {
                site.route(.get, "\(folder)\(name).py", to: ClosureHandler { _ in Web.seeOther("/\(name)") })
            }
        }
        site.add(.delete(at: "/account/delete"), web, web.delete)
        site.route(.get, "/account", to: ClosureHandler(web.account))
        site.route(.post, "/signout", to: ClosureHandler(web.signOut), content: form)

        site.route(.get, "/account/passkeys", to: ClosureHandler(web.passkeys))
        let calls: [(String, @Sendable (Request) async -> Response)] = [
            ("/signin/passkey/options", web.signInOptions), ("/signin/passkey", web.signInWithPasskey),
            ("/account/passkeys/options", web.creationOptions), ("/account/passkeys", web.addPasskey),
            ("/account/passkeys/rename", web.renamePasskey), ("/account/passkeys/remove", web.removePasskey),
            ("/account/confirm", web.confirm), ("/account/confirm/passkey/options", web.confirmationOptions),
            ("/account/confirm/passkey", web.confirmWithPasskey),
        ]
        for (path, call) in calls {
            site.route(.post, path, to: ClosureHandler(call), content: .buffered(limit: Web.ceremonyLimit))
        }

        for operation in content.operations.all {
            let content = operation.method == .get ? ContentPolicy.discarded : .buffered(limit: operation.contentLimit)
            site.route(operation.method, operation.path, to: ClosureHandler(operation.respond), content: content)
            let id = operation.id
            site.route(.get, "/docs/\(id)", to: ClosureHandler { _ in Web.seeOther("/docs#\(id)") })
            guard operation.canBeTried else { continue }
            let trial = APITrial(operation: operation, pages: web.pages)
            site.route(.post, "/docs/\(id)", to: ClosureHandler(trial.respond), content: form)
        }
        site.serve(content.openAPI, at: "/openapi.json")
        site.serve(content.documentation, at: "/docs")

        site.serve(content.checkForm, at: "/check", withQuery: ClosureHandler(content.check.link))
        site.route(.post, "/check", to: ClosureHandler(content.check.check), content: .onDemand(limit: 512 << 10))
        site.route(.get, "/check/badge.svg", to: ClosureHandler(content.check.badge))
        site.serve(content.checkCodes, at: "/check/codes", withQuery: ClosureHandler(content.check.codes))

        site.route(.get, Onboarding.picturePath, to: ClosureHandler(Onboarding.picture))
        if content.servesEcho { site.route(nil, "/echo", to: Echo(), content: .onDemand(limit: 1 << 20)) }
        site.files = content.files
        if content.files == nil { site.serve(content.assets) }
        return site
    }

    /// Returns the routes of the plain port: the page that explains how to trust the CA, and redirects to HTTPS.
    static func plainSite(_ onboarding: Onboarding, files: StaticFiles?, assets: [Asset], toHTTPS: ToHTTPS) -> Site {
        var site = Site()
        onboarding.addRoutes(to: &site)
        if let files {
            for asset in assets { site.serve(files, at: asset.path) }
        } else {
            site.serve(assets)
        }
        site.otherwise = toHTTPS.respond
        return site
    }

    /// Returns the routes of the admin listener, whose port is not public.
    static func adminSite(_ accounts: Accounts, _ metrics: MetricsPage) -> Site {
        var site = Site()
        // Load balancers and containers ask whether the server can serve every page.
        let readiness = ClosureHandler { _ in
            guard let reason = await accounts.unavailability() else { return .object(["status": "ok"], .ok) }
            let error = "Accounts are unavailable: \(reason)"
            return .object(["status": "unavailable", "error": error], .serviceUnavailable)
        }
        for path in ["/readyz", "/health"] { site.route(.get, path, to: readiness) }
        site.route(.get, "/healthz", to: ClosureHandler { _ in .object(["status": "ok"], .ok) })
        site.route(.get, "/metrics", to: metrics)
        return site
    }
}

extension Site {
    package mutating func serve(_ assets: [Asset]) {
        for asset in assets { serve(asset.representation, at: asset.path) }
    }

    fileprivate mutating func serve(
        _ representation: Lazy<Representation>, at path: String, withQuery handler: (any Handler)? = nil
    ) {
        serve(at: path, withQuery: handler) { _ in representation.value }
    }

    /// Adds the routes that show and submit a form at the same path.
    fileprivate mutating func add(
        _ form: FormPage, _ web: Web, _ submit: @escaping @Sendable (Request, FormPage) async -> Response
    ) {
        let page = PrerenderedForm(form, web.pages)
        route(.get, form.action, to: ClosureHandler { await web.show(page, to: $0) })
        route(.post, form.action, to: ClosureHandler { await submit($0, form) }, content: Routes.form)
    }
}
