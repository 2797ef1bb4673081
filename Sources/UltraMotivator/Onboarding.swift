import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// The plain port's page, which explains how to trust the development CA on a device, and its downloads.
struct Onboarding: Sendable {
    /// A platform with its installation steps in HTML.
    struct Platform {
        let id: String
        let name: String
        let steps: [String]
    }

    /// The template data for the page.
    struct View {
        let hasAuthority: Bool
        /// The SHA-256 digest of the root; nil with a user-supplied certificate.
        let fingerprint: String?
        let home: String
        let picture: String
        let platform: Platform?
        let others: [Platform]
        let simulator: [String]
        let entry: String
        let hasCode: Bool
    }

    /// The path of the image that a browser loads only if it trusts the certificate.
    static let picturePath = "/trusted.svg"

    private let pages: Pages
    private let toHTTPS: ToHTTPS
    private let root: Certificate?
    private let files: [(path: String, representation: Representation)]
    private let code: Representation?
    private let domain: String
    private let lastModified: UnixTime

    /// - Parameters:
    ///   - root: the root of the development CA; nil with a user-supplied certificate.
    ///   - domain: the first host of the site.
    ///   - toHTTPS: creates the links to the HTTPS site.
    ///   - phoneURL: the URL of this page on the local network; nil if the server listens only on this machine.
    ///   - pages: the templates.
    ///   - lastModified: the modification time of the files.
    /// - Throws: an error from the profile's encoder.
    init(
        _ root: Certificate?, domain: String, toHTTPS: ToHTTPS, phoneURL: String?, pages: Pages, lastModified: UnixTime
    ) throws {
        func represent(_ bytes: [UInt8], _ type: String) -> Representation {
            Representation(bytes, type: type, lastModified: lastModified)
        }
        self.pages = pages
        self.toHTTPS = toHTTPS
        self.root = root
        self.domain = domain
        self.lastModified = lastModified
        files =
            try root.map { root in
                [
                    ("/authority.pem", represent(root.pem, "application/x-pem-file")),
                    ("/authority.cer", represent(root.der, "application/x-x509-ca-cert")),
                    (
                        "/authority.mobileconfig",
                        represent(try MobileConfiguration(root: root).bytes(), MobileConfiguration.mediaType)
                    ),
                ]
            } ?? []
        code = phoneURL.flatMap(QRCode.init).map { represent(Array($0.svg.utf8), "image/svg+xml") }
    }

    func addRoutes(to site: inout Site) {
        for file in files { site.serve(file.representation, at: file.path) }
        if let code { site.serve(code, at: "/qr.svg") }
        // Rendering all pages would delay startup.
        let rendered = toHTTPS.hosts.indices.map { host in
            Self.platformNames.indices.map { platform in Lazy { page(host: host, platform: platform) } }
        }
        site.serve(at: "/") { [toHTTPS] head in
            rendered[toHTTPS.hostIndex(head)][Self.platform(head)].value
        }
    }

    /// Returns the image on the HTTPS site. Cross-Origin-Resource-Policy allows pages on the plain port to load the
    /// image.
    static func picture(_ request: Request) async -> Response {
        Response(
            .ok,
            fields: [
                .contentType: "image/svg+xml", .cacheControl: "no-store", .crossOriginResourcePolicy: "cross-origin",
            ],
            content: Array(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="340" height="32" viewBox="0 0 340 32">\
                <rect width="340" height="32" rx="6" fill="#17633a"/><text x="12" y="21" fill="#fff" \
                font-family="system-ui, sans-serif" font-size="15">✓ This device trusts the CA of this server.</text></svg>

                """.utf8))
    }

    private func page(host: Int, platform: Int) -> Representation {
        let origin = toHTTPS.origin(ofHost: host)
        let home = origin + "/"
        let all = platforms(home: home)
        let current = all[platform]
        let view = View(
            hasAuthority: root != nil, fingerprint: root?.fingerprintText, home: home,
            picture: origin + Self.picturePath, platform: current, others: all.filter { $0.id != current.id },
            simulator: [
                "xcrun simctl keychain booted add-root-cert authority.pem", "xcrun simctl openurl booted \(home)",
            ], entry: "webcredentials:\(entryHost(home))?mode=developer", hasCode: code != nil)
        // A Content Security Policy cannot contain an IPv6 address.
        let fields = SecurityFields.pages(images: origin.contains("[") ? "https:" : origin)
        let content = pages.plainPort(view)
        return Representation(
            content: content, contentType: "text/html; charset=utf-8", entityTag: ContentTag.of(content),
            lastModified: lastModified, cacheControl: "no-store", fields: fields)
    }

    /// Returns the host and port for an entitlement entry. An address or `localhost` is replaced by the site's domain.
    private func entryHost(_ home: String) -> String {
        let authority = home.dropFirst("https://".count).dropLast()
        let host = authority.hasPrefix("[") ? "" : String(authority.prefix { $0 != ":" })
        let isName = !host.isEmpty && host != "localhost" && SocketAddress(host, port: 0) == nil
        return (isName ? host : domain) + (toHTTPS.port == 443 ? "" : ":\(toHTTPS.port)")
    }

    /// Returns the index of the platform in the query, or of the browser's platform if the query contains none.
    private static func platform(_ head: RequestHead) -> Int {
        if head.hasQuery {
            let items = PercentCoding.items((head.queryText ?? "").utf8)
            let chosen = items.first { $0.name == "platform" }?.value
            if let index = platformNames.firstIndex(where: { $0.id == chosen }) { return index }
        }
        return head.withValue(.userAgent) { agent in
            platformNames.firstIndex { $0.agents.contains { agent?.contains($0) ?? false } } ?? platformNames.count - 1
        }
    }

    /// The platforms and the words in their browsers' User-Agent values. The last platform is for all other browsers.
    private static let platformNames: [(id: String, agents: [[UInt8]])] = [
        ("ios", ["iPhone", "iPad"]), ("android", ["Android"]), ("macos", ["Macintosh"]), ("windows", ["Windows"]),
        ("linux", []),
    ].map { ($0, $1.map { Array($0.utf8) }) }

    private func platforms(home: String) -> [Platform] {
        let name = HTMLText.escape(root?.commonName ?? "the CA")
        let open =
            "When the line above is green, open <a href=\"\(home)\">\(home)</a> and sign up. "
            + "If it is not green, reload this page."
        func command(_ text: String) -> String { "<pre tabindex=\"0\"><code>\(HTMLText.escape(text))</code></pre>" }
        return [
            Platform(
                id: "ios", name: "iPhone and iPad",
                steps: [
                    "<a class=\"button\" href=\"/authority.mobileconfig\">Download the profile</a> with Safari, "
                        + "and tap Allow. In Settings, tap Profile Downloaded, and then Install. "
                        + "iOS asks for your passcode and shows a warning about the CA. If Settings does not show the "
                        + "profile, open General, VPN &amp; Device Management.",
                    "In Settings, open General, About, Certificate Trust Settings, and turn on “\(name)”.", open,
                ]),
            Platform(
                id: "android", name: "Android",
                steps: [
                    "Download <a href=\"/authority.cer\">authority.cer</a>.",
                    "In Settings, search for “CA certificate”, tap Install anyway, and choose the file. "
                        + "Browsers trust the CA. Apps trust it only if their network security configuration does.",
                    open,
                ]),
            Platform(
                id: "macos", name: "Mac",
                steps: [
                    "Download <a href=\"/authority.pem\">authority.pem</a>. "
                        + "On an iPad, use the steps for <a href=\"/?platform=ios\">iPhone and iPad</a> instead.",
                    "In a terminal, run this command in the file's folder: "
                        + command(
                            "sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain authority.pem"
                        ), open,
                ]),
            Platform(
                id: "windows", name: "Windows",
                steps: [
                    "Download <a href=\"/authority.cer\">authority.cer</a>.",
                    "In a command prompt, run this command in the file's folder: "
                        + command("certutil -addstore -user Root authority.cer"), open,
                ]),
            Platform(
                id: "linux", name: "Linux",
                steps: [
                    "Download <a href=\"/authority.pem\">authority.pem</a>.",
                    "For Chromium, run this command in the file's folder, and then restart Chromium: "
                        + command(
                            "mkdir -p $HOME/.pki/nssdb && certutil -d sql:$HOME/.pki/nssdb -A -t C,, "
                                + "-n \(root?.storeName ?? "NAME") -i authority.pem")
                        + "certutil is in the package libnss3-tools (Debian) or nss-tools (Fedora). "
                        + "In Firefox, import the file in Settings, Privacy and Security, View Certificates. "
                        + "For curl, use --cacert authority.pem.", open,
                ]),
        ]
    }
}
