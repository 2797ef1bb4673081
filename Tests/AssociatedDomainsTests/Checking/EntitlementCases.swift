@testable import AssociatedDomains
@testable import AssociationChecker

/// What is found in entries, beside a good file of `example.com`.
enum EntitlementCases {
    static let all: [CheckCase] =
        [
            entry("an unknown service", "weblinks:example.com", ["entitlement-unknown-service"]),
            entry("no service", "example.com", ["entitlement-form"]),
            entry("a scheme", "https://example.com", ["entitlement-scheme"]),
            entry("a path", "webcredentials:example.com/login", ["entitlement-path"]),
            entry("another query", "webcredentials:example.com?a=b", ["entitlement-query"]),
            entry("port 0", "webcredentials:example.com:0", ["entitlement-port"]),
            entry("two dots", "webcredentials:example..com", ["entitlement-host"]),
            entry("a star inside", "webcredentials:a.*.com", ["entitlement-wildcard"]),
            entry("no dot", "webcredentials:example", ["entitlement-no-dot"]),
            entry("an address", "webcredentials:192.0.2.1", ["entitlement-address"]),
            entry("another host", "webcredentials:example.org", ["entitlement-other-host"]),
            asking(
                "another service", "applinks:example.com", "DDD", ["entitlement-other-service"],
                service: .webcredentials),
            asking("a wildcard for the root", "webcredentials:*.example.com", "AAD", ["entitlement-wildcard-root"]),
            asking(
                "a wildcard for a subdomain", "webcredentials:*.example.com", "AAD",
                ["entitlement-wildcard-root", "entitlement-file-elsewhere"], host: "www.example.com"),
            asking("an upper-case host", "webcredentials:Example.com", "AAD", ["entitlement-remark"]),
            asking("a mode", "webcredentials:example.com?mode=developer", "AAD", ["entitlement-mode"]),
            asking(
                "another service, of any host", "applinks:example.com", "DDD", ["entitlement-other-service"],
                service: .webcredentials, host: nil),
            beside("an unknown service", "foo:example.com", "AAD", ["entitlement-unknown-service"]),
            beside("a scheme for another service", "applinks:https://example.com", "AAD", ["entitlement-scheme"]),
            beside("nothing at all", "", "AAD", ["entitlement-form"]),
            beside("the same service of another host", "webcredentials:example.org", "AAD", []),
            list("without the key", "<dict/>", "DDD", ["entitlement-list"]),
            list(
                "with a misspelt key",
                "<dict><key>com.apple.developer.associated-domain</key><array><string>"
                    + "webcredentials:example.com</string></array></dict>", "DDD", ["entitlement-list"]),
            list(
                "with an empty array", "<dict><key>\(Entitlements.key)</key><array/></dict>", "DDD",
                ["entitlement-list"]),
            list(
                "with a number alone", "<dict><key>\(Entitlements.key)</key><array><integer>7</integer></array></dict>",
                "DDD", ["entitlement-list"]),
            list(
                "with a number beside an entry",
                "<dict><key>\(Entitlements.key)</key><array><integer>7</integer><string>"
                    + "webcredentials:example.com</string></array></dict>", "AAD", ["entitlement-list"]),
            list(
                "without the key, beside an entry", "<dict/>", "AAD", ["entitlement-list"],
                entry: "webcredentials:example.com"),
        ]

    private static func entry(_ name: String, _ text: String, _ codes: Set<String>) -> CheckCase {
        asking(name, text, "DDD", codes)
    }

    private static func asking(
        _ name: String, _ text: String, _ verdicts: String, _ codes: Set<String>, service: Service? = nil,
        host: String? = "example.com"
    ) -> CheckCase {
        .file("entitlement: \(name)", credentials(demoApp), verdicts, codes) { question in
            question.entries = [.init(text)]
            question.service = service
            question.domain = host
        }
    }

    /// An entry beside one that is enough (a device drops it, and goes on with the others).
    private static func beside(_ name: String, _ text: String, _ verdicts: String, _ codes: Set<String>) -> CheckCase {
        .file("entitlement: beside a good one, \(name)", credentials(demoApp), verdicts, codes) { question in
            question.entries = [.init(text), .init("webcredentials:example.com")]
            question.service = .webcredentials
            question.domain = "example.com"
        }
    }

    private static func list(
        _ name: String, _ content: String, _ verdicts: String, _ codes: Set<String>, entry: String? = nil
    ) -> CheckCase {
        .file("entitlement: a list \(name)", credentials(demoApp), verdicts, codes) { question in
            question.entries = [entry].compactMap(\.self).map { .init($0) }
            let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(content)</plist>"
            question.add(try Entitlements(Array(text.utf8)), from: "App.entitlements")
        }
    }
}
