import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// The plain port's page, which explains how to trust the development CA on a device, and its downloads.
struct Onboarding: Sendable {
    /// A platform with the words in its browsers' User-Agent values.
    struct Platform {
        let id: String
        let name: String
        var agents: [[UInt8]] = []
    }

    /// The platforms. The last platform is for all other browsers.
    private static let platforms = [
        Platform(id: "ios", name: "iPhone and iPad", agents: ["iPhone", "iPad"].map { Array($0.utf8) }),
        Platform(id: "android", name: "Android", agents: [Array("Android".utf8)]),
        Platform(id: "macos", name: "Mac", agents: [Array("Macintosh".utf8)]),
        Platform(id: "windows", name: "Windows", agents: [Array("Windows".utf8)]),
        Platform(id: "linux", name: "Linux"),
    ]

    struct View {
        let hasAuthority: Bool
        /// The SHA-256 digest of the root; nil with a user-supplied certificate.
        let fingerprint: String?
        let home: String
        let picture: String
        let platform: String
        /// Selects the steps, by the platform's identifier.
        let steps: [String: Bool]
        let others: [Platform]
        /// The root's name on devices.
        let authority: String
        /// The root's name in NSS databases.
        let storeName: String
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
    ///   - phoneURL: the URL of this page on the local network; nil if the server listens only on this machine.
    init(
        _ root: Certificate?, domain: String, toHTTPS: ToHTTPS, phoneURL: String?, pages: Pages, lastModified: UnixTime
    ) throws {
        func represent(_ bytes: [UInt8], _ type: String) -> Representation {
            Representation(bytes, type: type, lastModified: lastModified)
        }
        (self.pages, self.toHTTPS, self.root, self.domain) = (pages, toHTTPS, root, domain)
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
            Self.platforms.indices.map { platform in Lazy { page(host: host, platform: platform) } }
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
        let current = Self.platforms[platform]
        let view = View(
            hasAuthority: root != nil, fingerprint: root?.fingerprintText, home: home,
            picture: origin + Self.picturePath, platform: current.name, steps: [current.id: true],
            others: Self.platforms.filter { $0.id != current.id }, authority: root?.commonName ?? "the CA",
            storeName: root?.storeName ?? "NAME",
            simulator: [
                "xcrun simctl keychain booted add-root-cert authority.pem", "xcrun simctl openurl booted \(home)",
            ], entry: "webcredentials:\(entryHost(home))?mode=developer",
            hasCode: code != nil && !["ios", "android"].contains(current.id))
        // A Content Security Policy cannot contain an IPv6 address.
        let fields = SecurityFields.pages(images: origin.contains("[") ? "https:" : origin)
        let content = pages.render(view, "plain")
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
            if let index = platforms.firstIndex(where: { $0.id == chosen }) { return index }
        }
        return head.withValue(.userAgent) { agent in
            platforms.firstIndex { $0.agents.contains { agent?.contains($0) ?? false } } ?? platforms.count - 1
        }
    }
}
