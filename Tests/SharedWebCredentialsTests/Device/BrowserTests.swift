import AssociatedDomains
import HTTPSClient
import Testing
import UniversalLinks

import struct AssociationChecker.LinkObstacle

@testable import SharedWebCredentials

@Suite("Where URLs open, and what the browser saves")
struct BrowserTests {
    struct Opening: Sendable, CustomStringConvertible {
        let name: String
        var entries = ["applinks:\(Bench.host)"]
        var links = #"[{"/":"/admin/*","exclude":true},{"/":"/buy/*"}]"#
        var appID = "D3KQX62K1A.com.example.DemoApp"
        var url = "https://\(Bench.host)/buy/42"
        let opensApp: Bool
        /// The obstacle that prevented the app from opening.
        var obstacle = ""

        var description: String { name }

        var site: SiteResponse {
            .json(#"{"applinks":{"details":[{"appIDs":["\#(appID)"],"components":\#(links)}]}}"#)
        }
    }

    static let openings: [Opening] = [
        .init(name: "a component matches", opensApp: true),
        .init(name: "http is the same", url: "http://\(Bench.host):443/buy/42", opensApp: true),
        .init(name: "the host in capital letters", url: "https://ULTRA-motivator.test/buy/42", opensApp: true),
        .init(name: "no component matches", url: "https://\(Bench.host)/sell", opensApp: false, obstacle: "no-rule"),
        .init(
            name: "a component excludes", url: "https://\(Bench.host)/admin/x", opensApp: false, obstacle: "excluded"),
        .init(name: "another host", url: "https://other.test/buy/42", opensApp: false, obstacle: "no-entry"),
        .init(name: "a subdomain", url: "https://www.\(Bench.host)/buy/42", opensApp: false, obstacle: "no-entry"),
        .init(name: "another port", url: "https://\(Bench.host):8443/buy/42", opensApp: false, obstacle: "no-entry"),
        .init(
            name: "the entry's port", entries: ["applinks:\(Bench.host):8443"], url: "https://\(Bench.host):8443/buy/4",
            opensApp: true),
        .init(
            name: "a wildcard covers subdomains", entries: ["applinks:*.\(Bench.host)"],
            url: "https://a.b.\(Bench.host)/buy/42", opensApp: true),
        .init(
            name: "a wildcard covers its root", entries: ["applinks:*.\(Bench.host)"], opensApp: true),
        .init(
            name: "a wildcard does not serve an explicit entry",
            entries: ["applinks:*.\(Bench.host)", "applinks:www.\(Bench.host)"],
            url: "https://www.\(Bench.host)/buy/42",
            opensApp: false, obstacle: "network-unknown-host"),
        .init(
            name: "the file names another app", appID: "D3KQX62K1A.com.example.Other", opensApp: false,
            obstacle: "app-not-listed"),
        .init(
            name: "another service", entries: ["webcredentials:\(Bench.host)"], opensApp: false, obstacle: "no-entry"),
    ]

    @Test("A URL opens in the app when entry, approval and links agree, else in the browser", arguments: openings)
    func opening(_ test: Opening) async throws {
        let bench = try await Bench(entries: test.entries, answers: [Bench.host: [test.site]])
        switch await bench.device.openURL(try WebURL(test.url)) {
        case .app(let app, let match):
            #expect(test.opensApp && app == bench.app && match.outcome == .matched, "\(test)")
        case .browser(let obstacles):
            #expect(!test.opensApp, "\(test)")
            #expect(obstacles.map(\.word) == (test.obstacle.isEmpty ? [] : [test.obstacle]), "\(test)")
        case .appClip: Issue.record("\(test): the device has no App Clip")
        }
    }

    static let denials: [(entry: String, system: DeviceSystem, fix: String)] = [
        ("applinks:example.com", .current, "check example.com --entitlement applinks:example.com --app"),
        ("applinks:*.example.com", .current, "check example.com --entitlement 'applinks:*.example.com' --app"),
        ("applinks:*.example.com", .iOS9, "check www.example.com --entitlement 'applinks:*.example.com' --app"),
        ("applinks:example.com", .iOS9, "Other --profile ios9"),
        ("appclips:example.com", .current, "check example.com --entitlement appclips:example.com --app"),
        (
            "applinks:example.com?mode=managed", .current,
            "check example.com --entitlement 'applinks:example.com?mode=managed' --app"
        ),
    ]

    @Test("The fix of a denial is a check of the entry's domain with the entry", arguments: denials)
    func denialFix(_ entry: String, _ system: DeviceSystem, _ fix: String) async throws {
        let bench = try await Bench(system, entries: [], answers: ["example.com": [.missing]])
        let other = try AppIdentifier("D3KQX62K1A.com.example.Other")
        try await bench.device.install(app: other, entries: [entry], isAppClip: entry.hasPrefix("appclips"))
        let opened = await bench.device.openURL(
            try WebURL(entry.contains("*") ? "https://www.example.com/" : "https://example.com/"))
        guard case .browser(let obstacles) = opened else { throw Unexpected() }
        #expect(obstacles.map(\.kind) == [.notApproved])
        let command = obstacles[0].fix.firstRange(of: "To find the cause, run: motivator association ")?.upperBound
        #expect(command.map { obstacles[0].fix[$0...].contains(fix) } == true, "\(obstacles[0].fix)")
        let again =
            system.isBeforeIOS14
            ? "again when you install the app again. To"
            : "at 2027-01-15T11:00:00Z (motivator device advance 3h), or when you"
        #expect(
            obstacles[0].fix.hasPrefix(
                "If you repaired the site after 2027-01-15T08:00:00Z, the device checks it again "))
        #expect(obstacles[0].fix.contains(again), "\(obstacles[0].fix)")
    }

    static let modes: [(entry: String, fix: String)] = [
        (
            "applinks:example.com?mode=developer",
            "Turn on Settings > Developer > Associated Domains Development (motivator device developer-mode on), or "
                + "remove ?mode=developer from the entry and install the app again"
        ),
        (
            "applinks:example.com?mode=managed",
            "Install a management profile on the device (motivator device managed on), or remove ?mode=managed from "
                + "the entry and install the app again"
        ),
        (
            "applinks:example.com?mode=developer+managed",
            "Turn on Settings > Developer > Associated Domains Development (motivator device developer-mode on) and "
                + "install a management profile on the device (motivator device managed on), or remove "
                + "?mode=developer+managed from the entry and install the app again"
        ),
        (
            "applinks:localhost?mode=developer",
            "Turn on Settings > Developer > Associated Domains Development (motivator device developer-mode on)"
        ),
    ]

    @Test("The fix of an entry whose mode is off is the setting, or no mode for a public host", arguments: modes)
    func modeFix(_ entry: String, _ fix: String) async throws {
        let domain = try AssociatedDomain(entry)
        let bench = try await Bench(entries: [entry], answers: [domain.host: [.denied(.modeOff(domain))]])
        let opened = await bench.device.openURL(try WebURL("https://\(domain.host)/"))
        guard case .browser(let obstacles) = opened else { throw Unexpected() }
        #expect(obstacles.map(\.fix) == [fix] && obstacles.map(\.code) == ["device-mode-off"])
        let credentials = try await Bench(
            entries: [entry.replacing("applinks", with: "webcredentials")],
            answers: [domain.host: [.denied(.modeOff(try AssociatedDomain("webcredentials\(entry.dropFirst(8))")))]])
        let result = await credentials.functions.request(domain: nil, account: nil)
        guard case .failure(let error) = result else { throw Unexpected() }
        #expect(error.fix == fix)
    }

    @Test("Of two wildcard entries that cover a URL, the longer one decides, unless its site has no matching component")
    func twoWildcards() async throws {
        func site(_ components: String) -> SiteResponse {
            .json(
                #"{"applinks":{"details":[{"appIDs":["D3KQX62K1A.com.example.DemoApp"],"components":\#(components)}]}}"#
            )
        }
        let entries = ["applinks:*.e.test", "applinks:*.b.e.test"]
        for entries in [entries, entries.reversed()] {
            let sites = [
                "e.test": [site(#"[{"/":"*"}]"#)],
                "b.e.test": [site(#"[{"/":"/buy/*","exclude":true},{"/":"/sell/*"}]"#)],
            ]
            let bench = try await Bench(entries: entries, answers: sites)
            func opened(_ path: String) async throws -> [String] {
                switch await bench.device.openURL(try WebURL("https://a.b.e.test\(path)")) {
                case .app(_, let match): ["app", match.outcome.rawValue]
                case .appClip: ["clip"]
                case .browser(let obstacles): obstacles.map(\.word)
                }
            }
            #expect(try await opened("/buy/1") == ["excluded"])
            #expect(try await opened("/sell/1") == ["app", "matched"])
            #expect(try await opened("/other") == ["app", "matched"])
        }
    }

    @Test("A URL opens in the app with an entry for the host, not in another app that the file lists")
    func otherApp() async throws {
        let other = try AppIdentifier("D3KQX62K1A.com.example.Other")
        let site = SiteResponse.json(
            #"{"applinks":{"details":[{"appIDs":["D3KQX62K1A.com.example.DemoApp","\#(other)"],"components":[{"/":"*"}]}]}}"#
        )
        let bench = try await Bench(entries: [], answers: [Bench.host: [site]])
        try await bench.device.install(app: other, entries: ["applinks:\(Bench.host)"])
        guard case .app(other, _) = await bench.device.openURL(try WebURL("https://\(Bench.host)/")) else {
            throw Unexpected()
        }
    }

    @Test("A site without approval for an App Clip does not prevent another of its entries from opening it")
    func twoClipEntries() async throws {
        let clip = try AppIdentifier("D3KQX62K1A.com.example.DemoApp.Clip")
        let good = SiteResponse.json(#"{"appclips":{"apps":["\#(clip)"]}}"#)
        for (sites, opens) in [(["e.test": [good]], true), (["b.e.test": [good]], true), ([:], false)] {
            let bench = try await Bench(entries: [], answers: sites)
            let entries = ["appclips:*.e.test", "appclips:*.b.e.test"]
            try await bench.device.install(app: clip, entries: entries, isAppClip: true)
            let opened = await bench.device.openURL(try WebURL("https://a.b.e.test/"))
            #expect((opened == .appClip(clip)) == opens, "\(sites.keys)")
        }
    }

    @Test("The device remembers for a host that the user opened a link in the browser")
    func userChoice() async throws {
        let bench = try await Bench(entries: ["applinks:\(Bench.host)"], answers: [Bench.host: [Self.openings[0].site]])
        let url = try WebURL("https://\(Bench.host)/buy/42")
        await bench.device.chooseBrowser(true, for: try WebURL("https://www.\(Bench.host)/buy/42"))
        guard case .app = await bench.device.openURL(url) else { throw Unexpected() }
        await bench.device.chooseBrowser(true, for: try WebURL("https://\(Bench.host)/"))
        guard case .browser(let obstacles) = await bench.device.openURL(url) else { throw Unexpected() }
        #expect(obstacles.map(\.kind) == [.userChoice])
        await bench.device.chooseBrowser(false, for: url)
        guard case .app = await bench.device.openURL(url) else { throw Unexpected() }
        #expect(await bench.device.state.browserHosts == ["www.\(Bench.host)"])
    }

    @Test("An app's links are forgotten when the site denies it")
    func forgotten() async throws {
        let good = Self.openings[0].site
        let bench = try await Bench(entries: ["applinks:\(Bench.host)"], answers: [Bench.host: [good, .missing]])
        let url = try WebURL("https://\(Bench.host)/buy/42")
        guard case .app = await bench.device.openURL(url) else { throw Unexpected() }
        try await bench.device.advance(5 * 86_400)
        guard case .browser = await bench.device.openURL(url) else { throw Unexpected() }
        #expect(try await bench.record.links.isEmpty)
    }

    @Test("An App Clip opens what no app does")
    func appClip() async throws {
        let clip = try AppIdentifier("D3KQX62K1A.com.example.DemoApp.Clip")
        let site =
            #"{"appclips":{"apps":["\#(clip)"]},"applinks":{"details":[{"appIDs":["\#("D3KQX62K1A.com.example.DemoApp")"],"components":[{"/":"/buy/*"}]}]}}"#
        let bench = try await Bench(entries: ["applinks:\(Bench.host)"], answers: [Bench.host: [.json(site)]])
        try await bench.device.install(app: clip, entries: ["appclips:\(Bench.host)"], isAppClip: true)
        #expect(await bench.device.openURL(try WebURL("https://\(Bench.host)/sell")) == .appClip(clip))
        guard case .app(let app, _) = await bench.device.openURL(try WebURL("https://\(Bench.host)/buy/42")) else {
            throw Unexpected()
        }
        #expect(app == bench.app)
        guard case .browser(let obstacles) = await bench.device.openURL(try WebURL("https://other.test/")) else {
            throw Unexpected()
        }
        #expect(obstacles.map(\.kind) == [.noEntry, .noEntry])
    }

    @Test("An App Clip that the file does not list does not open")
    func unlistedAppClip() async throws {
        let clip = try AppIdentifier("D3KQX62K1A.com.example.DemoApp.Clip")
        let site = SiteResponse.json(#"{"appclips":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#)
        let bench = try await Bench(entries: [], answers: [Bench.host: [site]])
        try await bench.device.install(app: clip, entries: ["appclips:\(Bench.host)"], isAppClip: true)
        guard case .browser(let obstacles) = await bench.device.openURL(try WebURL("https://\(Bench.host)/")) else {
            throw Unexpected()
        }
        #expect(obstacles.map(\.word) == ["app-not-listed"])
    }

    struct Saving: Sendable, CustomStringConvertible {
        let name: String
        var saved: [SharedCredential] = []
        var autoFill = true
        var never: [String] = []
        var url = "https://\(Bench.host)/signup"
        var answer = Prompt.Answer.yes
        let prompts: [Prompt.Kind]
        let after: [SharedCredential]
        let result: Bool

        var description: String { name }
    }

    static let savings: [Saving] = [
        .init(name: "new, yes", prompts: [.save], after: [.demo("ray")], result: true),
        .init(name: "new, no", answer: .no, prompts: [.save], after: [], result: false),
        .init(name: "same", saved: [.demo("ray")], prompts: [], after: [.demo("ray")], result: true),
        .init(
            name: "changed, yes", saved: [.demo("ray", "old")], prompts: [.update], after: [.demo("ray")], result: true),
        .init(
            name: "changed, no", saved: [.demo("ray", "old")], answer: .no, prompts: [.update],
            after: [.demo("ray", "old")], result: false),
        .init(name: "AutoFill off", autoFill: false, prompts: [], after: [], result: false),
        .init(name: "never", never: [Bench.host], prompts: [], after: [], result: false),
        .init(
            name: "another port", url: "https://\(Bench.host):8443/", prompts: [.save],
            after: [.demo("ray", port: 8443)], result: true),
    ]

    @Test("The browser asks before it saves what was typed into a form", arguments: savings)
    func saving(_ test: Saving) async throws {
        let bench = try await Bench(answer: test.answer) { state in
            (state.credentials, state.autoFill, state.neverSaved) = (test.saved, test.autoFill, test.never)
        }
        let result = await bench.device.saveInBrowser(try WebURL(test.url), account: "ray", password: "secret")
        #expect(result == test.result)
        #expect(bench.prompter.asked.map(\.kind) == test.prompts)
        #expect(bench.prompter.asked.allSatisfy { $0.app == nil })
        #expect(await bench.device.state.credentials.map(\.whole) == test.after.map(\.whole))
    }

    @Test("The site's app gets a password that the browser saved")
    func webToApp() async throws {
        let bench = try await Bench(answer: .yes)
        _ = await bench.device.saveInBrowser(try WebURL("https://\(Bench.host)/"), account: "ray", password: "secret")
        #expect(await bench.functions.request(domain: nil, account: nil) == .success([.demo("ray")]))
    }
}

private struct Unexpected: Error {}

extension LinkObstacle {
    fileprivate var word: String { code ?? kind.rawValue }
}
