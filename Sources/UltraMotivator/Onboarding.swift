import Certificates
import HTTPTypes
import MotivatorHTTP
package import MotivatorPlatform
import MotivatorServer

/// How phones on the local network reach this server.
package struct PhoneAccess: Sendable {
    /// The addresses of the plain port, at least one.
    let addresses: [SocketAddress]
    /// The name of this machine in multicast DNS; nil if it does not resolve to one of the addresses.
    let name: String?
    let reads: DeviceReads

    package init?(addresses: [SocketAddress], name: String?, reads: DeviceReads) {
        guard !addresses.isEmpty else { return nil }
        (self.addresses, self.name, self.reads) = (addresses, name, reads)
    }

    /// The URLs of the plain port. The name comes first, because an address can change.
    package var urls: [String] {
        (name.map { ["http://\($0):\(addresses[0].port)/"] } ?? []) + addresses.map { "http://\($0)/" }
    }
}

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
        let entry: String
        /// The application identifiers that share passwords with the site.
        let apps: [String]
        /// The address in the QR code; nil without a QR code.
        let code: String?
        /// The path of the image that is empty until a device has read the association file; nil without `--lan`.
        let readPicture: String?
    }

    /// The path of the image that a browser loads only if it trusts the certificate.
    static let picturePath = "/trusted.svg"
    private static let readPath = "/read.svg"

    private let pages: Pages
    private let toHTTPS: ToHTTPS
    private let root: Certificate?
    private let files: [(path: String, representation: Representation)]
    private let code: Representation?
    private let codeURL: String?
    private let apps: [String]
    /// The name of this machine on the local network, or else the site's domain, for the entry of an app.
    private let domain: String
    private let reads: DeviceReads?
    private let lastModified: UnixTime

    /// - Parameter phones: the access for phones; nil if the server listens only on this machine.
    init(
        _ root: Certificate?, domain: String, apps: [String], toHTTPS: ToHTTPS, phones: PhoneAccess?, pages: Pages,
        lastModified: UnixTime
    ) throws {
        func represent(_ bytes: [UInt8], _ type: String) -> Representation {
            Representation(bytes, type: type, lastModified: lastModified)
        }
        (self.pages, self.toHTTPS, self.root, self.lastModified) = (pages, toHTTPS, root, lastModified)
        self.domain = phones?.name.flatMap { toHTTPS.hosts.contains($0) ? $0 : nil } ?? domain
        (reads, codeURL, self.apps) = (phones?.reads, phones?.urls.first, apps)
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
        code = codeURL.flatMap(QRCode.init).map { represent(Array($0.svg.utf8), "image/svg+xml") }
    }

    func addRoutes(to site: inout Site) {
        for file in files { site.serve(file.representation, at: file.path) }
        if let code { site.serve(code, at: "/qr.svg") }
        if let reads { site.route(.get, Self.readPath, to: ClosureHandler { _ in Self.readPicture(reads) }) }
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
    static func picture(_ request: Request) async -> Response { .picture(drawing("✓ This device trusts the CA.")) }

    /// Returns the image that confirms that a device has read the association file, or else an empty file. A browser
    /// shows the alternative text for the empty file, without an error in its console.
    private static func readPicture(_ reads: DeviceReads) -> Response {
        Response(
            .ok, fields: [.contentType: "image/svg+xml", .cacheControl: "no-store"],
            content: reads.hasFile ? drawing("✓ A device has read the file.") : [])
    }

    private static func drawing(_ text: String) -> [UInt8] {
        Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="280" height="26" viewBox="0 0 280 26"><style>\
            text{fill:#17633a;font:600 17px system-ui,sans-serif}\
            @media(prefers-color-scheme:dark){text{fill:#7fd8a4}}</style><text y="19">\(text)</text></svg>

            """.utf8)
    }

    private func page(host: Int, platform: Int) -> Representation {
        let origin = toHTTPS.origin(ofHost: host)
        let home = origin + "/"
        let current = Self.platforms[platform]
        let view = View(
            fingerprint: root?.fingerprintText, home: home, picture: origin + Self.picturePath, platform: current.name,
            steps: [current.id: true], others: Self.platforms.filter { $0.id != current.id },
            authority: root?.commonName ?? "the CA", storeName: root?.storeName ?? "NAME",
            entry: "webcredentials:\(entryHost(home))?mode=developer",
            apps: apps, code: ["ios", "android"].contains(current.id) ? nil : codeURL,
            readPicture: reads.map { _ in Self.readPath })
        // A Content Security Policy cannot contain an IPv6 address.
        let fields = SecurityFields.pages(images: origin.contains("[") ? "https:" : origin)
        let content = pages.render(view, "plain")
        return Representation(
            content: content, contentType: "text/html; charset=utf-8", entityTag: ContentTag.of(content),
            lastModified: lastModified, cacheControl: "no-store", fields: fields)
    }

    /// Returns the host and port for an entitlement entry. `domain` replaces an address or `localhost`.
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
