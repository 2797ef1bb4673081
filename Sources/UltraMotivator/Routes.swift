import AssociatedDomains
import HTTP
import Server

/// What the demo serves on which path: the whole of it on one screen.
enum Routes {
    /// A host of its own, with its own association file.
    static func site(_ association: ServedAssociation, files: StaticFiles, echo: Bool) -> Site {
        var site = Site()
        site.serve(association.root, at: "/apple-app-site-association")
        site.serve(association.wellKnown, at: "/.well-known/apple-app-site-association")
        if echo { site.routeEveryMethod("/echo", to: Echo()) }
        site.files = files
        return site
    }

    /// The plain port: how to come to trust this server, and the way to HTTPS.
    static func plainSite(_ onboarding: Onboarding, toHTTPS: ToHTTPS) -> Site {
        var site = Site()
        site.serve(onboarding.page, at: "/")
        if let certificate = onboarding.certificate {
            site.serve(certificate.pem, at: "/authority.pem")
            site.serve(certificate.der, at: "/authority.cer")
        }
        site.otherwise = toHTTPS
        return site
    }
}
