import Accounts
import AssociatedDomains
import Certificates
package import MotivatorHTTP
package import MotivatorPlatform
import MotivatorServer
import SharedWebCredentials

struct SiteContent: Sendable {
    let web: Web
    let operations: Operations
    let openAPI: Lazy<Representation>
    let documentation: Lazy<Representation>
    let tutorial: Lazy<Representation>
    let assetLinks: Representation?
    let securityContact: SecurityContact
    /// The static files in a folder; nil to serve the built-in files.
    let files: StaticFiles?
    let assets: [Asset]
    let servesEcho: Bool
    let check: CheckPage
    let checkForm: Lazy<Representation>
    let checkCodes: Lazy<Representation>

    init(
        _ demo: Demo, pages: Pages, paths: [String: JSONNode] = [:], accounts: Accounts, files: StaticFiles?,
        root: Certificate?, now: UnixTime, port: UInt16 = 443
    ) throws {
        @Sendable func page(_ content: [UInt8]) -> Representation {
            Representation(content, type: "text/html; charset=utf-8", lastModified: now)
        }
        let motivator = demo.motivator
        let minimum = accounts.minimumPasswordLength
        let suggester = try PasswordSuggester(minimum: minimum)
        let ceremonies = PasskeyCeremonies(
            accounts: accounts, settings: demo.passkeys, port: port, limiter: demo.ceremonyLimiter)
        web = Web(
            accounts: accounts, pages: pages, motivator: motivator, suggester: suggester, ceremonies: ceremonies,
            minimum: minimum)
        check = CheckPage(
            pages: pages, queues: demo.checkQueues, allowsFetch: demo.allowsFetch, roots: [root].compactMap(\.self),
            clock: .system, version: demo.version, fetchesPublicOnly: demo.fetchesPublicOnly,
            takeShared: { await accounts.takeShared($0, of: $1) })
        let api = API(accounts: accounts, motivator: motivator, suggester: suggester)
        var tutorialAPI = api
        tutorialAPI.servesTutorial = true
        operations = Operations(api, PasskeyAPI(ceremonies: ceremonies), tutorial: tutorialAPI, check, minimum: minimum)
        var others = paths
        if demo.servesEcho { others["/echo"] = .echo(id: "echo") }
        openAPI = Lazy { [operations, others] in
            Representation(
                OpenAPI.document(operations.all, others, version: demo.version).bytes(), type: "application/json",
                lastModified: now)
        }
        // The development CA's certificates are valid for localhost, which every machine resolves.
        let host = root == nil ? demo.domains.first ?? "localhost" : "localhost"
        let origin = "https://\(host)" + (port == 443 ? "" : ":\(port)")
        documentation = Lazy { [operations] in
            page(pages.render(Documentation(operations.all, at: origin), "documentation", at: "/docs"))
        }
        tutorial = Lazy { page(pages.render(Tutorial(host: host, origin: origin), "tutorial")) }
        assetLinks =
            demo.androidApps.isEmpty
            ? nil
            : Representation(AndroidApp.links(demo.androidApps).bytes(), type: "application/json", lastModified: now)
        // The standard mailbox name for security (RFC 2142 §4).
        securityContact = SecurityContact(
            contact: "mailto:security@\(demo.domains.first ?? "localhost")", clock: .system)
        self.files = files
        assets = Asset.all(lastModified: now)
        servesEcho = demo.servesEcho
        checkForm = Lazy { [check] in page(check.blank) }
        checkCodes = Lazy { page(pages.codes()) }
        // Parse the templates and render the long pages in the background to avoid a slow start. They are usually ready
        // before a request. A reload may have replaced this content before the task starts.
        Task.detached(priority: .background) { [weak documentation, weak checkCodes] in
            _ = documentation?.value
            _ = checkCodes?.value
        }
    }
}

/// A built-in file: the style sheet or an icon from the folder Public.
package struct Asset: Sendable {
    let path: String
    let representation: Representation

    package static func all(lastModified: UnixTime) -> [Asset] {
        [
            ("/style.css", PackageResources.style_css, "text/css; charset=utf-8"),
            ("/favicon.svg", PackageResources.favicon_svg, "image/svg+xml"),
            ("/apple-touch-icon.png", PackageResources.apple_touch_icon_png, "image/png"),
        ].map { path, content, type in
            Asset(path: path, representation: Representation(content, type: type, lastModified: lastModified))
        }
    }
}

/// A generator of passwords in the format of Apple's devices, or of longer passwords if the policy requires them.
struct PasswordSuggester: Sendable {
    private let longer: RuledPasswordGenerator?

    /// - Parameter minimum: the minimum length of a new password in characters, 1 to 64.
    init(minimum: Int) throws {
        longer =
            minimum > PasswordGenerator.length
            ? try RuledPasswordGenerator(PasswordRules("minlength: \(minimum); allowed: upper, lower, digit")) : nil
    }

    func next() -> String { longer?.next() ?? PasswordGenerator().next() }
}

extension Representation {
    /// Creates the representation of content that is generated at startup and on each reload.
    ///
    /// Clients revalidate the content (no-cache), so they see changes immediately. They receive a 304 for unchanged
    /// content.
    package convenience init(_ content: [UInt8], type: String, lastModified: UnixTime) {
        self.init(
            content: content, contentType: type, entityTag: ContentTag.of(content),
            lastModified: min(lastModified, Clock.system.now()),
            cacheControl: "no-cache")
    }
}
