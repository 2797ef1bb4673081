@testable import AssociatedDomains
@testable import AssociationChecker

/// The issues in entries, with a valid file for `example.com`.
enum EntitlementCases {
    static let all: [CheckCase] =
        [
            entry("an unknown service", "weblinks:example.com", ["entitlement-unknown-service"]),
            entry("no service", "example.com", ["entitlement-form"]),
            entry("a scheme", "https://example.com", ["entitlement-scheme"]),
            asking("a path", "webcredentials:example.com/login", "ADAD", ["entitlement-path"]),
            asking("another query", "webcredentials:example.com?a=b", "ADAD", ["entitlement-query"]),
            asking("a service in capitals", "WebCredentials:example.com", "ADAD", ["entitlement-service-case"]),
            asking(
                "an unknown mode", "webcredentials:example.com?mode=debug", "ADAD", ["entitlement-unknown-mode"]),
            asking(
                "two modes", "webcredentials:example.com?mode=managed&mode=managed", "ADAD",
                ["entitlement-mode-twice", "entitlement-managed-mode"]),
            asking(
                "a mode in capitals", "webcredentials:example.com?mode=Managed", "AAAD",
                ["entitlement-mode-case", "entitlement-managed-mode"]),
            asking("an empty port", "webcredentials:example.com:", "ADAD", ["entitlement-empty-port"]),
            asking("a port", "webcredentials:example.com:8443", "AAAD", ["entitlement-credentials-port"]),
            asking("the default port", "webcredentials:example.com:443", "AAAD", ["entitlement-credentials-port"]),
            asking(
                "a port for links", "applinks:example.com:8443", "DDDD",
                ["entitlement-undocumented-port", "service-missing", "service-not-in-version"]),
            asking(
                "localhost", "webcredentials:localhost?mode=developer", "ADAD",
                ["entitlement-localhost", "entitlement-developer-mode"], host: "localhost"),
            asking(
                "an address with a mode", "webcredentials:192.0.2.1?mode=managed", "ADAD",
                ["entitlement-address-with-mode", "entitlement-managed-mode"], host: "192.0.2.1"),
            asking(
                "a wildcard for App Clips", "appclips:*.example.com", "DDAD",
                [
                    "entitlement-wildcard-appclips", "entitlement-wildcard-root", "service-missing",
                    "service-not-in-version",
                ],
                host: nil),
            asking("a private host", "webcredentials:site.test", "AAAD", ["entitlement-private-host"], host: nil),
            .file("entitlement: a private host that counts as public", credentials(demoApp), "AAAD", []) { request in
                request.entries = [.init("webcredentials:site.test")]
                request.assumesPublic = true
            },
            asking("an underscore", "webcredentials:my_site.com", "AAAD", ["entitlement-unusual-name"], host: nil),
            asking(
                "a bundle identifier", "webcredentials:com.example.DemoApp", "AAAD", ["entitlement-not-a-domain"],
                host: nil),
            asking(
                "a wildcard of links for a subdomain", "applinks:*.example.com", "DDDD",
                [
                    "entitlement-file-elsewhere", "service-missing", "service-not-in-version",
                ], host: "www.example.com"),
            .file("entitlement: 30 domains", credentials(demoApp), "AAAD", []) { request in
                request.entries = (1...30).map { .init("webcredentials:a\($0).example.com") }
            },
            .file("entitlement: 30 domains, each for two services", credentials(demoApp), "AAAD", []) { request in
                request.service = .webcredentials
                request.entries = (1...30).flatMap { number in
                    ["webcredentials", "applinks"].map { .init("\($0):a\(number).example.com") }
                }
            },
            .file("entitlement: 31 domains", credentials(demoApp), "AAAD", ["entitlement-many-domains"]) { request in
                request.entries = (1...31).map { .init("webcredentials:a\($0).example.com") }
            },
            .file("entitlement: 30 domains", credentials(demoApp), "AAAD", []) { request in
                request.entries = (1...30).map { .init("webcredentials:a\($0).example.com") }
            },
            entry("port 0", "webcredentials:example.com:0", ["entitlement-port"]),
            entry("two dots", "webcredentials:example..com", ["entitlement-host"]),
            entry("a star inside", "webcredentials:a.*.com", ["entitlement-wildcard"]),
            entry("no dot", "webcredentials:example", ["entitlement-no-dot"]),
            entry("an address", "webcredentials:192.0.2.1", ["entitlement-address"]),
            entry("another host", "webcredentials:example.org", ["entitlement-other-host"]),
            asking(
                "another service", "applinks:example.com", "DDDD", ["entitlement-other-service"],
                service: .webcredentials),
            asking("a wildcard for the root", "webcredentials:*.example.com", "AADD", ["entitlement-wildcard-root"]),
            asking(
                "a wildcard for a subdomain", "webcredentials:*.example.com", "AAAD",
                ["entitlement-wildcard-credentials"], host: "www.example.com"),
            asking("an upper-case host", "webcredentials:Example.com", "AAAD", ["entitlement-host-case"]),
            asking("a mode", "webcredentials:example.com?mode=developer", "AAAD", ["entitlement-developer-mode"]),
            asking(
                "another service, of any host", "applinks:example.com", "DDDD", ["entitlement-other-service"],
                service: .webcredentials, host: nil),
            beside("an unknown service", "foo:example.com", "AAAD", ["entitlement-unknown-service"]),
            beside("a scheme for another service", "applinks:https://example.com", "AAAD", ["entitlement-scheme"]),
            beside("nothing at all", "", "AAAD", ["entitlement-form"]),
            beside("the same service of another host", "webcredentials:example.org", "AAAD", []),
            list(
                "with a build setting",
                "<dict><key>\(Entitlements.key)</key><array><string>webcredentials:$(DOMAIN)</string></array></dict>",
                "DDDD", ["entitlement-form"]),
            distribution("with a mode", "?mode=developer", "DDDD", ["entitlement-developer-mode"]),
            distribution("without a mode", "", "AAAD", []),
            distribution(
                "with a mode, beside an entry", "?mode=developer", "AAAD", ["entitlement-developer-mode"],
                entry: "webcredentials:example.com"),
            list("without the key", "<dict/>", "DDDD", ["entitlement-list"]),
            list(
                "with a misspelt key",
                "<dict><key>com.apple.developer.associated-domain</key><array><string>"
                    + "webcredentials:example.com</string></array></dict>", "DDDD", ["entitlement-list"]),
            list(
                "with an empty array", "<dict><key>\(Entitlements.key)</key><array/></dict>", "DDDD",
                ["entitlement-list"]),
            list(
                "with a number alone", "<dict><key>\(Entitlements.key)</key><array><integer>7</integer></array></dict>",
                "DDDD", ["entitlement-list"]),
            list(
                "with a number beside an entry",
                "<dict><key>\(Entitlements.key)</key><array><integer>7</integer><string>"
                    + "webcredentials:example.com</string></array></dict>", "AAAD", ["entitlement-list"]),
            list(
                "without the key, beside an entry", "<dict/>", "AAAD", ["entitlement-list"],
                entry: "webcredentials:example.com"),
            profile("that permits every domain", permits: true, "AAAD"),
            profile("that permits no domain", permits: false, "DDDD"),
        ]

    /// The entitlement table from associated-domains.md: an entry, the verdicts for device and documented, and the
    /// code.
    static let table: [(entry: String, verdicts: String, code: String)] = [
        ("WebCredentials:example.com", "AD", "entitlement-service-case"),
        ("webcredentials:EXAMPLE.com", "AA", "entitlement-host-case"),
        ("webcredentials:https://example.com", "DD", "entitlement-scheme"),
        ("webcredentials:me@example.com", "DD", "entitlement-host"),
        ("webcredentials:exa mple.com", "DD", "entitlement-host"),
        ("webcredentials:exa!mple.com", "DD", "entitlement-host"),
        ("webcredentials:example.com/login", "AD", "entitlement-path"),
        ("webcredentials:example.com/", "AD", "entitlement-path"),
        ("webcredentials:example.com#top", "AD", "entitlement-path"),
        ("webcredentials:example.com?a=b", "AD", "entitlement-query"),
        ("webcredentials:example.com?Mode=developer", "AD", "entitlement-query"),
        ("webcredentials:example.com?mode", "AD", "entitlement-query"),
        ("webcredentials:example.com?mode=", "AD", "entitlement-query"),
        ("webcredentials:example.com?mode=debug", "AD", "entitlement-unknown-mode"),
        ("webcredentials:example.com?mode=developer+debug", "AD", "entitlement-unknown-mode"),
        ("webcredentials:example.com?mode=developer,managed", "AD", "entitlement-unknown-mode"),
        ("webcredentials:example.com?mode=managed&mode=developer", "AD", "entitlement-mode-twice"),
        ("webcredentials:example.com?mode=Developer", "AA", "entitlement-mode-case"),
        ("webcredentials:example.com:", "AD", "entitlement-empty-port"),
        ("webcredentials:example.com:0", "DD", "entitlement-port"),
        ("webcredentials:example.com:65536", "DD", "entitlement-port"),
        ("webcredentials:example.com:https", "DD", "entitlement-port"),
        ("webcredentials:example.com:8443", "AA", "entitlement-credentials-port"),
        ("applinks:example.com:8443", "AD", "entitlement-undocumented-port"),
        ("webcredentials:", "DD", "entitlement-host"),
        ("webcredentials:.example.com", "DD", "entitlement-host"),
        ("webcredentials:example..com", "DD", "entitlement-host"),
        ("webcredentials:example", "DD", "entitlement-no-dot"),
        ("webcredentials:*.com", "DD", "entitlement-no-dot"),
        ("webcredentials:localhost", "DD", "entitlement-no-dot"),
        ("webcredentials:localhost?mode=managed", "DD", "entitlement-no-dot"),
        ("webcredentials:localhost?mode=developer", "AD", "entitlement-localhost"),
        ("webcredentials:192.0.2.1", "DD", "entitlement-address"),
        ("webcredentials:192.0.2.1?mode=managed", "AD", "entitlement-address-with-mode"),
        ("appclips:*.example.com", "AD", "entitlement-wildcard-appclips"),
    ]

    private static func entry(_ name: String, _ text: String, _ codes: Set<String>) -> CheckCase {
        asking(name, text, "DDDD", codes)
    }

    private static func asking(
        _ name: String, _ text: String, _ verdicts: String, _ codes: Set<String>, service: Service? = nil,
        host: String? = "example.com"
    ) -> CheckCase {
        .file("entitlement: \(name)", credentials(demoApp), verdicts, codes) { request in
            request.entries = [.init(text)]
            request.service = service
            request.domain = host
        }
    }

    /// Creates a case for an invalid entry beside a sufficient entry. A device ignores only the invalid entry.
    private static func beside(_ name: String, _ text: String, _ verdicts: String, _ codes: Set<String>) -> CheckCase {
        .file("entitlement: beside a good one, \(name)", credentials(demoApp), verdicts, codes) { request in
            request.entries = [.init(text), .init("webcredentials:example.com")]
            request.service = .webcredentials
            request.domain = "example.com"
        }
    }

    private static func list(
        _ name: String, _ content: String, _ verdicts: String, _ codes: Set<String>, entry: String? = nil
    ) -> CheckCase {
        .file("entitlement: a list \(name)", credentials(demoApp), verdicts, codes) { request in
            request.entries = [entry].compactMap(\.self).map { .init($0) }
            let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(content)</plist>"
            request.add(try Entitlements(Array(text.utf8)), from: "App.entitlements")
        }
    }

    /// Creates a case for an app that is signed for distribution.
    private static func distribution(
        _ name: String, _ mode: String, _ verdicts: String, _ codes: Set<String>, entry: String? = nil
    ) -> CheckCase {
        list(
            "of a distributed app \(name)",
            "<dict><key>get-task-allow</key><false/><key>\(Entitlements.key)</key><array><string>"
                + "webcredentials:example.com\(mode)</string></array></dict>", verdicts, codes, entry: entry)
    }

    /// Creates a case for a provisioning profile and the entry of a signed app.
    private static func profile(_ name: String, permits: Bool, _ verdicts: String) -> CheckCase {
        .file("entitlement: a profile \(name)", credentials(demoApp), verdicts, ["entitlement-profile"]) { request in
            request.entries = [.init("webcredentials:example.com")]
            let reader = EntitlementsReader(profile: permits ? [Entitlements.key: "*"] : [:])
            request.add(reader.result, from: "embedded.mobileprovision")
        }
    }
}
