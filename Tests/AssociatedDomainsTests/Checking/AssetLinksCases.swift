import Certificates

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient

/// Files for Android and responses that contain them (Digital Asset Links, "Statement list syntax").
enum AssetLinksCases {
    static let all = files + relations + targets + fingerprints + sites + apps + responses

    /// A SHA-256 fingerprint in the format of `keytool`.
    static let print = (0..<32).map { $0 < 4 ? "0\($0)" : "A\($0 % 10)" }.joined(separator: ":")
    /// The fingerprint of another certificate.
    static let otherPrint = print.replacing("A", with: "B")
    static let links = "delegate_permission/common.handle_all_urls"
    static let passwords = "delegate_permission/common.get_login_creds"

    static func app(_ package: String = "com.example.app", _ prints: String = "[\"\(print)\"]") -> String {
        "{\"namespace\":\"android_app\",\"package_name\":\"\(package)\",\"sha256_cert_fingerprints\":\(prints)}"
    }

    static func statement(_ target: String = app(), relation: String = "[\"\(links)\",\"\(passwords)\"]") -> String {
        "{\"relation\":\(relation),\"target\":\(target)}"
    }

    /// Creates a case for a file. The profiles ios9 and ios8 deny each file.
    private static func file(
        _ name: String, _ text: String, _ verdicts: String, _ codes: Set<String>, app: String? = nil,
        path: String = "site.json"
    ) -> CheckCase {
        CheckCase(name: "assetlinks: \(name)", verdicts: verdicts + "DD", codes: codes.union(["file-assetlinks"])) {
            var request = CheckRequest()
            request.androidApps = try app.map { [try AndroidApp($0, needsFingerprint: false)] } ?? []
            return Checker(request, at: 1_700_000_000).check(file: Array(text.utf8), name: path)
        }
    }

    /// Creates a case for a file with one statement about a target.
    private static func target(_ name: String, _ target: String, _ code: String, _ verdicts: String = "DD") -> CheckCase
    {
        file(name, "[\(statement(target))]", verdicts, [code])
    }

    private static func prints(_ name: String, _ prints: String, _ code: String, _ verdicts: String = "DD") -> CheckCase
    {
        target(name, app("com.example.app", prints), code, verdicts)
    }

    private static func relation(_ name: String, _ relation: String, _ code: String, _ verdicts: String) -> CheckCase {
        file(name, "[\(statement(relation: relation))]", verdicts, [code])
    }

    private static func site(_ name: String, _ site: String, _ code: String, _ verdicts: String = "DD") -> CheckCase {
        target(name, "{\"namespace\":\"web\",\"site\":\(site)}", code, verdicts)
    }

    static let files: [CheckCase] = [
        file("a good file", "[\(statement())]", "AA", []),
        file("an object", statement(), "DD", ["assetlinks-not-an-array"]),
        file("two objects", statement() + ",\n" + statement(), "DD", ["assetlinks-not-an-array"]),
        file("two arrays", "[\(statement())]\n[\(statement())]", "DD", ["json-extra-content"]),
        file("an empty array", "[]", "DD", ["assetlinks-empty"], path: "x/assetlinks.json"),
        file(
            "Apple's file under this name", credentials(demoApp), "DD",
            ["assetlinks-apple-file"], path: "assetlinks.json"),
        file("Apple's file for an Android app", "{\"applinks\":{}}", "DD", ["assetlinks-apple-file"], app: "com.a.b"),
        file(
            "2 MB", "[\(statement())]" + String(repeating: " ", count: 2 << 20), "DD", ["assetlinks-too-large"],
            path: "assetlinks.json"),
        file(
            "200 KB", "[\(statement())]" + String(repeating: " ", count: 200_000), "AA", []),
        file("a text as a statement", "[\"com.example.app\",\(statement())]", "AA", ["assetlinks-not-a-statement"]),
        file("a trailing comma", "[\(statement()),]", "DD", ["json-trailing-comma"]),
        file(
            "cut off in a target", "[{\"relation\":[\"\(links)\"],\"target\":{", "DD",
            ["json-cut-off"]),
        file(
            "a misspelt key", "[\(statement())]".replacing("relation\"", with: "relations\""), "DD",
            ["assetlinks-key-misspelt"]),
        file(
            "a key in camel case", "[\(statement())]".replacing("package_name", with: "packageName"), "DD",
            ["assetlinks-key-misspelt"]),
        file("an included list", "[{\"include\":\"https://example.com/list.json\"}]", "AA", ["assetlinks-include"]),
        file("the same statement twice", "[\(statement()),\(statement())]", "AA", []),
        file("1 MB", padded(to: 1 << 20), "AA", [], path: "assetlinks.json"),
        file(
            "one byte more than 1 MB", padded(to: (1 << 20) + 1), "DD", ["assetlinks-too-large"],
            path: "assetlinks.json"),
    ]

    /// Returns a valid file with this number of bytes.
    private static func padded(to count: Int) -> String {
        let text = "[\(statement())]"
        return text + String(repeating: " ", count: count - text.utf8.count)
    }

    static let relations: [CheckCase] = [
        file("no relation", "[{\"target\":\(app())}]", "DD", ["assetlinks-relation-missing"]),
        relation("no relation in the array", "[]", "assetlinks-relation-missing", "DD"),
        relation("a relation as a string", "\"\(links)\"", "assetlinks-relation-not-an-array", "DD"),
        relation("a relation without its kind", "[\"handle_all_urls\"]", "assetlinks-relation-misspelt", "DD"),
        relation(
            "one misspelt relation of two", "[\"\(links)\",\"\(passwords)s\"]", "assetlinks-relation-misspelt", "AA"),
        relation("an invented word", "[\"passwords\"]", "assetlinks-relation-malformed", "DD"),
        relation("two in one string", "[\"\(links), \(passwords)\"]", "assetlinks-relation-malformed", "DD"),
        relation("a number", "[7]", "assetlinks-relation-malformed", "DD"),
        relation("another relation", "[\"example/other\"]", "assetlinks-relation-unknown", "AA"),
    ]

    static let targets: [CheckCase] = [
        file("no target", "[{\"relation\":[\"\(links)\"]}]", "DD", ["assetlinks-target-missing"]),
        target("a target as a string", "\"com.example.app\"", "assetlinks-target-missing"),
        target("no namespace", "{\"package_name\":\"com.example.app\"}", "assetlinks-namespace-unknown"),
        target("another namespace", "{\"namespace\":\"ios_app\"}", "assetlinks-namespace-unknown"),
        target(
            "no package", "{\"namespace\":\"android_app\",\"sha256_cert_fingerprints\":[\"\(print)\"]}",
            "assetlinks-package-missing"),
        target("an application identifier of Apple", app(demoApp), "assetlinks-package-of-apple"),
        target("a wildcard", app("com.example.*"), "assetlinks-package-malformed"),
        target("one part", app("app"), "assetlinks-package-malformed"),
    ]

    static let fingerprints: [CheckCase] = [
        target(
            "no fingerprints", "{\"namespace\":\"android_app\",\"package_name\":\"com.example.app\"}",
            "assetlinks-fingerprint-missing"),
        prints("an empty array", "[]", "assetlinks-fingerprint-missing"),
        prints("a fingerprint as a string", "\"\(print)\"", "assetlinks-fingerprint-missing"),
        prints("lower case", "[\"\(print.lowercased())\"]", "assetlinks-fingerprint-form", "AA"),
        prints("no colons", "[\"\(print.replacing(":", with: ""))\"]", "assetlinks-fingerprint-form", "AA"),
        prints("SHA-1", "[\"\(print.prefix(59))\"]", "assetlinks-fingerprint-sha1"),
        prints(
            "Base64", "[\"AAECA6Slpqeoqaqrrq+wsbKztLW2t7i5uru8vb6/wME=\"]", "assetlinks-fingerprint-base64"),
        prints(
            "URL-safe Base64", "[\"AAECA6Slpqeoqaqrrq-wsbKztLW2t7i5uru8vb6_wME\"]", "assetlinks-fingerprint-base64"),
        prints("31 bytes", "[\"\(print.prefix(92))\"]", "assetlinks-fingerprint-malformed"),
        prints("a line of keytool", "[\"SHA256: \(print)\"]", "assetlinks-fingerprint-malformed"),
        prints("two in one string", "[\"\(print), \(otherPrint)\"]", "assetlinks-fingerprint-malformed"),
        prints("a word", "[\"debug.keystore\"]", "assetlinks-fingerprint-malformed"),
        prints("a number", "[7,\"\(print)\"]", "assetlinks-fingerprint-malformed", "AA"),
    ]

    static let sites: [CheckCase] = [
        file(
            "a site", "[\(statement("{\"namespace\":\"web\",\"site\":\"https://example.com:8443\"}"))]", "AA", []),
        site("a trailing slash", "\"https://example.com/\"", "assetlinks-site-malformed"),
        site("a path", "\"https://example.com/a\"", "assetlinks-site-malformed"),
        site("no scheme", "\"example.com\"", "assetlinks-site-malformed"),
        site("a number", "7", "assetlinks-site-malformed"),
        site("http", "\"http://example.com\"", "assetlinks-site-not-https", "AA"),
    ]

    private static let both = "[\(statement(app("com.example.App"))),\(statement(app("com.example.b")))]"

    static let apps: [CheckCase] = [
        file("the app", "[\(statement())]", "AA", [], app: "com.example.app"),
        file(
            "the app with its only fingerprint", "[\(statement())]", "AA", ["assetlinks-app-one-fingerprint"],
            app: "com.example.app=\(print)"),
        file(
            "the app with a statement for each relation",
            "[\(statement(relation: "[\"\(passwords)\"]")),\(statement(relation: "[\"\(links)\"]"))]", "AA", [],
            app: "com.example.app"),
        file(
            "the app with one of its two fingerprints",
            "[\(statement(app("com.example.app", "[\"\(otherPrint)\",\"\(print)\"]")))]", "AA", [],
            app: "com.example.app=\(print)"),
        file("another app", both, "DD", ["assetlinks-app-not-listed"], app: "com.example.c"),
        file("another case", both, "DD", ["assetlinks-app-other-case"], app: "com.example.app"),
        file(
            "another certificate", "[\(statement())]", "DD", ["assetlinks-app-other-fingerprint"],
            app: "com.example.app=\(otherPrint)"),
        file(
            "links only", "[\(statement(relation: "[\"\(links)\"]"))]", "AA", ["assetlinks-app-one-relation"],
            app: "com.example.app"),
        file(
            "neither links nor passwords", "[\(statement(relation: "[\"delegate_permission/common.use_as_origin\"]"))]",
            "DD", ["assetlinks-app-other-relation"], app: "com.example.app"),
        file(
            "a mistake in the app's statement, beside another app",
            "[\(statement(app("com.example.app", "[]"))),\(statement(app("com.example.b")))]", "DD",
            ["assetlinks-fingerprint-missing"], app: "com.example.app"),
        file(
            "the app with the prefix of Apple's identifiers", "[\(statement(app(demoApp))),\(statement())]", "DD",
            ["assetlinks-package-of-apple"], app: "com.example.DemoApp"),
    ]

    static let url = "https://example.com" + AssetLinks.path

    /// Creates a case for a response that contains the file.
    static func response(
        _ name: String, _ verdicts: String, _ codes: Set<String>, url: String = url,
        _ step: @escaping @Sendable () throws -> FileFetch.Step
    ) -> CheckCase {
        CheckCase(name: "assetlinks: \(name)", verdicts: verdicts, codes: codes) {
            let target = try SiteTarget.locate(assetLinks: url)
            let fetches = [FileFetch(path: .assetLinks, steps: [try step()])]
            return Checker(CheckRequest(), at: 0).check(fetches: fetches, site: url, host: target.host)
        }
    }

    static let responses: [CheckCase] = [
        response("a good response", "AADD", ["file-assetlinks"]) { try SiteBuilder.good(url, "[\(statement())]") },
        response("another URL", "DDDD", ["file-assetlinks", "assetlinks-path"], url: "https://example.com/a.json") {
            try SiteBuilder.good("https://example.com/a.json", "[\(statement())]")
        },
        response(
            "another letter case", "DDDD", ["file-assetlinks", "assetlinks-path"],
            url: url.replacing("links", with: "Links")
        ) { try SiteBuilder.missing(url.replacing("links", with: "Links")) },
        response(
            "another port", "DDDD", ["file-assetlinks", "assetlinks-path"],
            url: url.replacing(".com", with: ".com:8443")
        ) { try SiteBuilder.good(url.replacing(".com", with: ".com:8443"), "[\(statement())]") },
        response("a query", "DDDD", ["file-assetlinks", "assetlinks-path"], url: url + "?v=1") {
            try SiteBuilder.good(url + "?v=1", "[\(statement())]")
        },
        response("499", "DDDD", ["file-assetlinks", "assetlinks-http-status"]) {
            try SiteBuilder.step(url, status: 499)
        },
        response("500", "RRDD", ["file-assetlinks", "assetlinks-http-server-error"]) {
            try SiteBuilder.step(url, status: 500)
        },
        response("599", "RRDD", ["file-assetlinks", "assetlinks-http-server-error"]) {
            try SiteBuilder.step(url, status: 599)
        },
        response("600, as 500", "RRDD", ["file-assetlinks", "assetlinks-http-server-error"]) {
            try SiteBuilder.step(url, status: 600)
        },
        response("a redirect", "DDDD", ["file-assetlinks", "assetlinks-http-redirect"]) {
            try SiteBuilder.step(url, status: 301, [("Location", "https://www.example.com/")])
        },
        response("404", "DDDD", ["file-assetlinks", "assetlinks-http-status"]) { try SiteBuilder.missing(url) },
        response("503", "RRDD", ["file-assetlinks", "assetlinks-http-server-error"]) {
            try SiteBuilder.step(url, status: 503)
        },
        response("text/plain", "DDDD", ["file-assetlinks", "assetlinks-http-content-type"]) {
            try SiteBuilder.step(url, [("Content-Type", "text/plain")], Array("[\(statement())]".utf8))
        },
        response("Apple's file", "DDDD", ["file-assetlinks", "assetlinks-apple-file"]) {
            try SiteBuilder.good(url)
        },
        response("too much content", "DDDD", ["file-assetlinks", "assetlinks-too-large"]) {
            try SiteBuilder.step(url, status: nil, failure: .tooLarge(limit: AssetLinks.maximumSize))
        },
        response("503 with too much content", "RRDD", ["file-assetlinks", "assetlinks-http-server-error"]) {
            try SiteBuilder.step(url, status: 503, failure: .tooLarge(limit: AssetLinks.maximumSize))
        },
        response("a refused connection", "RRDD", ["file-assetlinks", "network-unreachable"]) {
            try SiteBuilder.step(url, status: nil, failure: .refused(SiteBuilder.publicAddress))
        },
        response("an expired certificate", "DDDD", ["file-assetlinks", "tls-expired"]) {
            try SiteBuilder.step(
                url, SiteBuilder.json, Array("[\(statement())]".utf8), faults: [.expired(subject: "CN=a", at: 0)])
        },
    ]
}
