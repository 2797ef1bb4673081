import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import HTTPSClient
@testable import SourceJSON

@Suite("Files for Android") struct AssetLinksTests {
    private static let file = "[\(AssetLinksCases.statement())]"
    private static let print = AssetLinksCases.print
    private static let app = "com.example.app=\(print)"

    private func report(_ text: String, apps: [AppIdentifier] = [], android: [AndroidApp] = []) -> Report {
        var request = CheckRequest()
        (request.apps, request.androidApps) = (apps, android)
        return Checker(request, at: 0).check(file: Array(text.utf8), name: "site.json")
    }

    @Test("The conclusion is about Android devices")
    func conclusion() throws {
        let found = report(Self.file, android: [try AndroidApp(Self.app)])
        let yes = "Android devices will associate com.example.app based on site.json."
        #expect(found.conclusion(.device) == yes + " Passwords and passkeys: yes. Links: yes.")
        let linksOnly = Self.file.replacing(AssetLinksCases.passwords, with: "a/b")
        let partly = report(linksOnly, android: [try AndroidApp(Self.app)])
        #expect(
            partly.conclusion(.device) == yes + " Passwords and passkeys: no, get_login_creds is missing. Links: yes.")
        for (relation, verdict) in [(AssetLinks.Relation.links, Verdict.associated), (.credentials, .denied)] {
            var request = CheckRequest()
            (request.androidApps, request.relation) = ([try AndroidApp(Self.app)], relation)
            let found = Checker(request, at: 0).check(file: Array(linksOnly.utf8), name: "site.json")
            #expect(found.verdict(.device) == verdict)
        }
        #expect(found.conclusion(.documented).hasPrefix("According to Google's documentation, Android devices will"))
        #expect(found.conclusion(.ios9).hasPrefix("Devices with iOS 9 to 13 will not"))
        #expect(report("[\(AssetLinksCases.app())]").assetLinks == nil)
    }

    @Test("A request about Apple's devices, or Apple's location, gets Apple's rules")
    func apple() throws {
        for text in [Self.file, AssetLinksCases.statement()] {
            let asked = report(text, apps: [try AppIdentifier(demoApp)])
            #expect(asked.assetLinks == nil && asked.verdict(.device) == .denied)
        }
        let fetch = FileFetch(path: .wellKnown, steps: [try SiteBuilder.good(SiteBuilder.wellKnown, Self.file)])
        let site = Checker(CheckRequest(), at: 0).check(fetches: [fetch], site: "example.com", host: "example.com")
        #expect(site.assetLinks == nil && site.issues.map(\.code).contains("file-assetlinks"))
        #expect(site.issues.allSatisfy { !$0.code.hasPrefix("assetlinks-") })
    }

    @Test("An issue points at its value, and its fix has the correct one")
    func fix() throws {
        let text = Self.file.replacing(Self.print, with: Self.print.lowercased())
        let issue = try #require(report(text).issues.first)
        #expect(issue.fix == "Write \(Self.print).")
        let location = try #require(issue.location)
        #expect(text.utf8.dropFirst(location.offset).starts(with: "\"00:01:02:03:a4".utf8))
        let base64 = Self.file.replacing(Self.print, with: "AAECA6SlpqeoqaChoqOkpaanqKmgoaKjpKWmp6ipoKE=")
        #expect(report(base64).issues.first?.fix == "Write the same fingerprint in hexadecimal: \(Self.print).")
        let both = text.replacing(AssetLinksCases.links, with: "links").replacing(AssetLinksCases.passwords, with: "x")
        let severities = report(both).issues.filter { $0.code.hasPrefix("assetlinks-") }.map {
            ($0.code, $0.severity())
        }
        #expect(severities.allSatisfy { ($0.1 == .warning) == ($0.0 == "assetlinks-fingerprint-form") })
        let list = "[{\"include\":\"https://example.com/list\"}]"
        #expect(report(list).issues.first?.fix == "Put the statements of the list into this file.")
    }

    @Test(
        "The fix for an app that is not listed has its package and the given fingerprint",
        arguments: [
            ("com.example.b=\(print)", "com.example.b and the fingerprint \(print). Use the fingerprint of the app"),
            ("com.example.b", "com.example.b. Use the fingerprint of the app signing key"),
            (
                "com.example.app.debug=\(AssetLinksCases.otherPrint)",
                "com.example.app.debug and the fingerprint \(AssetLinksCases.otherPrint). Such a build is usually "
                    + "signed with the debug key. To print its fingerprint, run keytool "
            ),
            ("com.example.app.debug", "com.example.app.debug. Such a build is usually signed with the debug key. To"),
        ])
    func notListed(_ app: String, _ fix: String) throws {
        let app = try AndroidApp(app, needsFingerprint: false)
        let issue = try #require(report(Self.file, android: [app]).issues.first)
        #expect(issue.fix.hasPrefix("Add a statement with the package name \(fix)"), "\(issue.fix)")
        #expect(issue.fix.contains("upload key") != app.package.contains("debug"))
    }

    @Test("The file of a host is at one path, and a URL is requested unchanged")
    func location() throws {
        for text in ["example.com", "https://example.com/", "https://EXAMPLE.com/.well-known/assetlinks.json"] {
            let site = try SiteTarget.locate(assetLinks: text)
            #expect(site.files.map(\.url.description) == ["https://example.com/.well-known/assetlinks.json"])
        }
        #expect(try SiteTarget.locate("https://example.com/.well-known/assetlinks.json").isAssetLinks)
        #expect(try !SiteTarget.locate("https://example.com/.well-known/assetlinks.json?v=1").isAssetLinks)
        #expect(try !SiteTarget.locate("example.com").isAssetLinks)
        let own = try SiteTarget.locate(assetLinks: "https://example.com:8443/list.json")
        #expect(own.files.map(\.url.description) == ["https://example.com:8443/list.json"])
        #expect(own.foreignSentence(on: try WebURL("https://example.com:8443/buy")) == nil)
        #expect(try #require(own.foreignSentence(on: try WebURL("https://a.example.com:8443/"))).hasSuffix("to it"))
    }

    @Test("An included list may list the app, so the verdict on an app that the file does not list is unproven")
    func included() throws {
        let app = try AndroidApp("com.example.c", needsFingerprint: false)
        for (list, isUnproven) in [(#"{"include":"https://example.com/list"},"#, true), ("", false)] {
            let found = report("[\(list)\(AssetLinksCases.statement())]", android: [app])
            #expect(found.verdict(.device) == .denied)
            #expect([Profile.device, .documented].map(found.isUnproven) == [isUnproven, isUnproven])
        }
    }

    @Test("A check of a staging host accepts its port, but no other path")
    func staging() throws {
        var request = CheckRequest()
        request.assumesPublic = true
        let standard = "https://example.com:8443/.well-known/assetlinks.json"
        for (url, verdict) in [(standard, Verdict.associated), ("https://example.com:8443/a.json", .denied)] {
            let fetch = FileFetch(path: .assetLinks, steps: [try SiteBuilder.good(url, Self.file)])
            let found = Checker(request, at: 0).check(fetches: [fetch], site: url, host: "example.com")
            #expect(found.verdict(.device) == verdict)
            #expect(verdict == .associated || found.issues.first?.fix == "Serve the file at \(standard).")
        }
    }

    @Test("handle_all_urls decides which app may open links")
    func opener() throws {
        let passwords = AssetLinksCases.statement(
            AssetLinksCases.app("com.example.b"), relation: "[\"\(AssetLinksCases.passwords)\"]")
        let site = AssetLinksCases.statement("{\"namespace\":\"web\",\"site\":\"https://example.com\"}")
        let links = try #require(report("[\(site),\(passwords),\(AssetLinksCases.statement())]").assetLinks)
        #expect(links.opener(of: [])?.package == "com.example.app")
        #expect(links.opener(of: [try AndroidApp(Self.app)])?.package == "com.example.app")
        for other in ["com.example.b", "com.example.c", "com.example.app=\(AssetLinksCases.otherPrint)"] {
            #expect(links.opener(of: [try AndroidApp(other, needsFingerprint: false)]) == nil)
        }
    }

    @Test("A comparison shows what changed for which package and relation")
    func comparison() throws {
        let other = AssetLinksCases.statement(
            AssetLinksCases.app("com.example.app", "[\"\(AssetLinksCases.otherPrint)\"]"),
            relation: "[\"\(AssetLinksCases.links)\"]")
        let url = try WebURL("https://example.com/buy")
        let found = Comparison(report(Self.file), report("[\(other)]"), urls: [url]).changes.map { change in
            "\(change.kind.rawValue) \(change.subject): \(change.before ?? "nil") -> \(change.after ?? "nil")"
        }
        #expect(
            found == [
                "service \(AssetLinksCases.passwords): present -> nil",
                "app \(AssetLinksCases.passwords): \(Self.app) -> nil",
                "app \(AssetLinksCases.links): \(Self.app) -> nil",
                "app \(AssetLinksCases.links): nil -> com.example.app=\(AssetLinksCases.otherPrint)",
            ])
        #expect(Comparison(report(Self.file), report(Self.file)).changes.isEmpty)
        let gone = Comparison(report(Self.file), report("[\(AssetLinksCases.statement("7")),{}]"), urls: [url]).changes
        #expect(gone.contains { $0.kind == .url && $0.before == "matched" && $0.after == "unmatched" })
    }

    @Test("A malicious file costs little")
    func malicious() throws {
        let relations = (0..<8_000).map { "\"a/\($0)\"" }.joined(separator: ",")
        let prints = Array(repeating: "\"\(Self.print)\"", count: 8_000).joined(separator: ",")
        let text = AssetLinksCases.statement(
            AssetLinksCases.app("com.example.app", "[\(prints)]"),
            relation: "[\(relations),\"\(AssetLinksCases.links)\"]")
        let found = report("[\(text)]", android: [try AndroidApp(Self.app)])
        #expect(found.verdict(.device) == .associated)
        #expect(found.assetLinks?.targets(of: .links) == [Self.app])
    }
}
