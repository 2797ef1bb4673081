import AssociatedDomains
import Certificates
import Foundation
import HTTPSClient
import Testing

@testable import AssociationChecker

/// A check of passkeys with the responses of `example.com`. Every other path has status 404.
struct PasskeyCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var host = "example.com"
    var rpID: String?
    var origins: [String] = []
    var apps = [demoApp]
    var entries = ["webcredentials:example.com"]
    var android: [String] = []
    /// The file and its fields, for each path. A value of one word `status` is the status.
    var files: [String: String] = [:]
    let codes: Set<String>
    var conclusion = ""

    static let related = "/.well-known/webauthn", endpoints = "/.well-known/passkey-endpoints"
    static let aasa = "/.well-known/apple-app-site-association", assetLinks = "/.well-known/assetlinks.json"

    init(_ name: String, _ codes: Set<String>, _ conclusion: String, _ change: (inout PasskeyCase) -> Void) {
        (testDescription, self.codes, self.conclusion) = (name, codes, conclusion)
        files[Self.aasa] = credentials(demoApp)
        change(&self)
    }

    func report() throws -> Report {
        var apple = CheckRequest()
        apple.apps = try apps.map { try AppIdentifier($0) }
        apple.entries = entries.map { CheckRequest.Entry($0) }
        var other = CheckRequest()
        other.androidApps = try android.map { try AndroidApp($0, needsFingerprint: false) }
        let check = try PasskeyCheck(
            host, rpID: rpID, origins: origins.map { try WebURL($0) }, (apple, other.isAboutAndroid ? other : nil))
        return check.report(Checker(CheckRequest(), at: 1_700_000_000)) { site, _ in
            site.files.map { file in
                FileFetch(path: file.path, steps: [Self.step(file.url, files)], entries: file.entries)
            }
        }
    }

    /// Returns the response of a path: a status, a redirect, a Content-Type, or a JSON file.
    private static func step(_ url: WebURL, _ files: [String: String]) -> FileFetch.Step {
        let text = files[url.path] ?? "status 404"
        let step: FileFetch.Step?
        if text.hasPrefix("status 200") {
            step = try? SiteBuilder.good(url.description, #"{"origins":["https://example.org"]}"#)
        } else if text.hasPrefix("status ") {
            step = try? SiteBuilder.step(url.description, status: Int(text.dropFirst(7)))
        } else if text.hasPrefix("a redirect to ") {
            step = try? SiteBuilder.step(url.description, status: 302, [("Location", String(text.dropFirst(14)))])
        } else if text.hasPrefix("text/") || text.hasPrefix("application/") {
            step = try? SiteBuilder.step(
                url.description, [("Content-Type", text)], Array(#"{"origins":["https://example.org"]}"#.utf8))
        } else {
            step = try? SiteBuilder.good(url.description, text)
        }
        guard let step else { fatalError("invalid response") }
        return step
    }
}

extension FixInput {
    /// The example is a response of a file, or the entries, the RP ID, an origin or the relations of an app.
    static func passkey(_ row: Diagnostic) -> FixInput {
        FixInput { text, _ in
            try PasskeyCase("", [], "") { input in
                switch row.code {
                case "passkey-rp-id-malformed": input.rpID = text
                case "passkey-origin-not-related":
                    input.origins = ["https://example.org"]
                    if text.contains("listed as") { input.files[PasskeyCase.related] = "status 200" }
                case "assetlinks-app-no-passkeys":
                    input.android = ["com.example.app"]
                    let app = AssetLinksCases.app()
                    input.files[PasskeyCase.assetLinks] = "[{\"relation\":\(text),\"target\":\(app)}]"
                case _ where row.code.hasPrefix("related"): input.files[PasskeyCase.related] = text
                case _ where row.code.hasPrefix("passkey-endpoints"): input.files[PasskeyCase.endpoints] = text
                case _: input.entries = text.components(separatedBy: ", ")
                }
            }.report()
        }
    }
}

@Suite("A check of passkeys") struct PasskeyCheckTests {
    private static let noPage = "passkey-endpoints-status"
    private static let yes = "iPhones let \(demoApp) use passkeys of example.com."
    private static let shows = "The device shows: \"Application with identifier \(demoApp) is not associated with "

    /// Each row has the issues besides those of iOS 8, and a part of the conclusion (Apple, "Supporting passkeys"; Web
    /// Authentication Level 3, 5.1.3 and 5.11).
    static let cases: [PasskeyCase] = [
        PasskeyCase("A good site", [noPage], yes) { _ in },
        PasskeyCase("A good page for passkeys", [], yes) {
            $0.files[PasskeyCase.endpoints] = #"{"enroll":"https://example.com/a","manage":"https://example.com/a"}"#
        },
        PasskeyCase(
            "A subdomain is another RP ID", [noPage, "passkey-rp-id-not-covered"], shows + "domain example.com"
        ) {
            $0.entries = ["webcredentials:www.example.com"]
        },
        PasskeyCase("Another service", [noPage, "passkey-rp-id-not-covered"], "only applinks:example.com") {
            $0.entries = ["applinks:example.com"]
        },
        PasskeyCase(
            "A port", [noPage, "passkey-rp-id-not-covered", "entitlement-credentials-port"],
            "only webcredentials:example.com:8443"
        ) {
            $0.entries = ["webcredentials:example.com:8443"]
        },
        PasskeyCase("A wildcard covers the RP ID", [noPage, "passkey-rp-id-wildcard"], yes) {
            $0.entries = ["webcredentials:*.example.com"]
        },
        PasskeyCase("The file does not list the app", [noPage, "app-not-listed"], shows) {
            $0.files[PasskeyCase.aasa] = credentials("D3KQX62K1A.com.example.Other")
        },
        PasskeyCase(
            "The server fails", [noPage, "http-status-server-error", "http-status-refused"],
            "Please try again in a few seconds."
        ) {
            $0.files[PasskeyCase.aasa] = "status 503"
        },
        PasskeyCase("An IP address", ["passkey-rp-id-malformed"], "is an IP address") { $0.host = "192.0.2.1" },
        PasskeyCase("A port in the RP ID", ["passkey-rp-id-malformed"], "has a port") { $0.rpID = "example.com:443" },
        PasskeyCase("One label", ["passkey-rp-id-malformed"], "has only one label") { $0.rpID = "com" },
        PasskeyCase("localhost for an app", [noPage, "passkey-rp-id-malformed"], "not reachable for a device") {
            $0.host = "localhost:8443"
        },
        PasskeyCase("localhost for a page", [noPage], "Pages of https://localhost:8443 may use passkeys") {
            ($0.host, $0.origins, $0.apps, $0.entries) = ("localhost:8443", ["https://localhost:8443"], [], [])
        },
        PasskeyCase("A subdomain as origin", [noPage], "Pages of https://a.example.com may use passkeys") {
            $0.origins = ["https://a.example.com"]
        },
        PasskeyCase("A host that ends with the RP ID", [noPage, "passkey-origin-not-related"], "may not use") {
            $0.origins = ["https://badexample.com"]
        },
        PasskeyCase(
            "The target is not the RP ID", [noPage, "passkey-origin-not-related"], "https://example.org may not"
        ) {
            ($0.host, $0.rpID) = ("example.org", "example.com")
        },
        PasskeyCase("A related origin", [noPage], "Pages of https://example.org may use passkeys of example.com.") {
            ($0.origins, $0.files[PasskeyCase.related]) = (["https://example.org"], "status 200")
        },
        PasskeyCase("A related origin with the port of https", [noPage], "Pages of https://example.org") {
            ($0.origins, $0.files[PasskeyCase.related]) = (["https://example.org:443"], "status 200")
        },
        PasskeyCase(
            "Another port of a related origin", [noPage, "passkey-origin-not-related"],
            "list only \"https://example.org\"."
        ) {
            ($0.origins, $0.files[PasskeyCase.related]) = (["https://example.org:8443"], "status 200")
        },
        PasskeyCase(
            "Related origins as HTML", [noPage, "related-origins-content-type"], "The page gets a SecurityError"
        ) {
            ($0.origins, $0.files[PasskeyCase.related]) = (["https://example.org"], "text/html")
        },
        PasskeyCase("Broken related origins that no origin needs", [noPage, "related-origins-status"], "Another file") {
            $0.files[PasskeyCase.related] = "status 500"
        },
        PasskeyCase("Related origins that are gone", [noPage], yes) { $0.files[PasskeyCase.related] = "status 410" },
        PasskeyCase("No related origin is a string", [noPage, "related-origins-origins-missing"], "a number") {
            $0.files[PasskeyCase.related] = #"{"origins":[1]}"#
        },
        PasskeyCase("Related origins as an array", [noPage, "related-origins-not-an-object"], "SecurityError") {
            ($0.origins, $0.files[PasskeyCase.related]) = (["https://example.org"], "[]")
        },
        PasskeyCase("Related origins that leave https", [noPage, "related-origins-redirect"], "SecurityError") {
            ($0.origins, $0.files[PasskeyCase.related]) = (["https://example.org"], "a redirect to http://example.com/")
        },
        PasskeyCase(
            "A related origin without a scheme", [noPage, "related-origins-item"], "Pages of https://example.org"
        ) {
            $0.origins = ["https://example.org"]
            $0.files[PasskeyCase.related] = #"{"origins":["https://example.org","example.net"]}"#
        },
        PasskeyCase("Six registrable labels", [noPage, "related-origins-labels"], "Pages of https://a.com may use") {
            $0.origins = ["https://a.com"]
            let hosts = ["a.com", "b.com", "c.com", "d.com", "e.com", "f.com"]
            $0.files[PasskeyCase.related] =
                "{\"origins\":[\(hosts.map { "\"https://\($0)\"" }.joined(separator: ","))]}"
        },
        PasskeyCase("Five registrable labels", [noPage], "Pages of https://e.com may use passkeys of example.com.") {
            $0.origins = ["https://e.com"]
            let hosts = ["a.com", "b.com", "c.com", "d.com", "e.com"]
            $0.files[PasskeyCase.related] =
                "{\"origins\":[\(hosts.map { "\"https://\($0)\"" }.joined(separator: ","))]}"
        },
        PasskeyCase(
            "A related origin with http", [noPage, "related-origins-item", "passkey-origin-not-related"], "may not use"
        ) {
            ($0.origins, $0.files[PasskeyCase.related]) = (
                ["https://example.org"], #"{"origins":["http://example.org"]}"#
            )
        },
        PasskeyCase(
            "A related origin with a path", [noPage, "related-origins-item"], "Pages of https://example.org may use"
        ) {
            ($0.origins, $0.files[PasskeyCase.related]) = (
                ["https://example.org"], #"{"origins":["https://example.org/signin"]}"#
            )
        },
        PasskeyCase("A related origin with a slash", [noPage], "Pages of https://example.org may use") {
            ($0.origins, $0.files[PasskeyCase.related]) = (
                ["https://example.org"], #"{"origins":["https://example.org/"]}"#
            )
        },
        PasskeyCase(
            "A related origin with an international host", [noPage],
            "Pages of https://xn--mnchen-3ya.example may use passkeys of example.com."
        ) {
            $0.origins = ["https://xn--mnchen-3ya.example"]
            $0.files[PasskeyCase.related] = #"{"origins":["https://münchen.example"]}"#
        },
        PasskeyCase("An exact entry beside a wildcard", [noPage, "entitlement-wildcard-root"], yes) {
            $0.entries = ["webcredentials:*.example.com", "webcredentials:example.com"]
        },
        PasskeyCase("A page for passkeys as HTML", ["passkey-endpoints-content-type"], yes) {
            $0.files[PasskeyCase.endpoints] = "text/html"
        },
        PasskeyCase("A page for passkeys as an array", ["passkey-endpoints-not-an-object"], "The file is an array.") {
            $0.files[PasskeyCase.endpoints] = "[]"
        },
        PasskeyCase("A page for passkeys without a URL", ["passkey-endpoints-url"], "Another file has an error") {
            $0.files[PasskeyCase.endpoints] = #"{"enroll":true}"#
        },
        PasskeyCase("A page for one feature with http", ["passkey-endpoints-url"], yes) {
            $0.files[PasskeyCase.endpoints] = #"{"prfUsageDetails":"http://example.com/a"}"#
        },
        PasskeyCase(
            "Android, with a statement for each relation", [noPage],
            "Android lets com.example.app use passkeys of example.com."
        ) {
            ($0.apps, $0.entries, $0.android) = ([], [], ["com.example.app"])
            let statements = [AssetLinksCases.links, AssetLinksCases.passwords].map {
                AssetLinksCases.statement(relation: "[\"\($0)\"]")
            }
            $0.files[PasskeyCase.assetLinks] = "[\(statements.joined(separator: ","))]"
        },
        PasskeyCase("Android", [noPage, "assetlinks-app-no-passkeys"], "Android does not let com.example.app use") {
            ($0.apps, $0.entries, $0.android) = ([], [], ["com.example.app"])
            $0.files[PasskeyCase.assetLinks] =
                "[\(AssetLinksCases.statement().replacing("get_login_creds", with: "use_as_origin"))]"
        },
    ]

    @Test("Issues and conclusion", arguments: cases)
    func issues(_ one: PasskeyCase) throws {
        let report = try one.report()
        let found = report.issues.filter { !$0.code.hasPrefix("signature") && !$0.code.hasPrefix("path-") }
        #expect(Set(found.map(\.code)) == one.codes, "\(found.map(\.line))")
        #expect(report.conclusion(.device).contains(one.conclusion), "\(report.conclusion(.device))")
        #expect(report.conclusion(.documented).hasPrefix("According to the documentation: "))
    }

    @Test("Each file is requested at the port of the target, which does not belong to the RP ID")
    func port() throws {
        let report = try PasskeyCase("", [], "") {
            ($0.host, $0.android) = ("example.com:8443", ["com.example.app"])
        }.report()
        let urls = report.fetches.flatMap(\.steps).map(\.url.description)
        #expect(urls.count == 5 && urls.allSatisfy { $0.hasPrefix("https://example.com:8443/") }, "\(urls)")
        #expect(report.conclusion(.device).hasPrefix(Self.yes), "\(report.conclusion(.device))")
    }

    @Test("An error in the related origins that a sentence quotes is not also the error of another file")
    func quotedOnce() throws {
        for (endpoints, ending) in [("status 404", "The page gets a SecurityError."), ("[]", "The file is an array.")] {
            let report = try PasskeyCase("", [], "") {
                ($0.origins, $0.files[PasskeyCase.related]) = (["https://example.org"], "text/html")
                $0.files[PasskeyCase.endpoints] = endpoints
            }.report()
            let conclusion = report.conclusion(.device)
            #expect(conclusion.hasSuffix(ending), "\(conclusion)")
            #expect(conclusion.contains("Another file has an error: The file is an array.") == (endpoints == "[]"))
        }
    }

    @Test("The related origins of a host are not used if a client rejects its certificate")
    func certificate() throws {
        let faults: [(fault: ChainIssue, isUsed: Bool)] = [
            (.expired(subject: "CN=a", at: 0), false), (.unneeded(subjects: ["CN=r"]), true),
        ]
        for (fault, isUsed) in faults {
            let step = try SiteBuilder.step(
                "https://example.com\(PasskeyCase.related)", SiteBuilder.json,
                Array(#"{"origins":["https://example.org"]}"#.utf8), faults: [fault])
            let related = RelatedOrigins(FileFetch(path: .relatedOrigins, steps: [step]))
            #expect(related.lists(try WebURL("https://example.org")) == isUsed)
            #expect(related.issues.map(\.code) == [isUsed ? "tls-untidy-chain" : "tls-expired"])
        }
    }

    @Test(
        "A response without the file is reported by its status, even if its page is too large", arguments: [404, 503])
    func largePage(_ status: Int) throws {
        let url = "https://example.com\(PasskeyCase.related)"
        let step = try SiteBuilder.step(url, status: status, failure: .tooLarge(limit: 131_073))
        let related = RelatedOrigins(FileFetch(path: .relatedOrigins, steps: [step]))
        #expect(related.isAbsent == (status == 404))
        #expect(related.issues.map(\.code) == ["related-origins-status"])
    }

    /// Hosts and the number of labels that they have for every list of public suffixes.
    @Test(
        "Registrable labels are counted without a list of suffixes",
        arguments: [
            (["a.com", "b.com", "c.com", "d.com", "e.com", "f.com"], 6),
            (["example.com", "example.org", "www.example.net"], 1), (["a.co.uk", "b.co.uk"], 1),
            (["localhost", "192.0.2.1"], 0), (["a.b.example.com", "c.example.org"], 1),
        ])
    func labels(_ hosts: [String], _ count: Int) { #expect(RelatedOrigins.minimumLabels(hosts) == count) }
}
