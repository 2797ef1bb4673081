import HTTPSClient
import SourceJSON
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker

@Suite("Why a link opens the browser") struct LinkObstacleTests {
    private static let links = AssociationFile(Array(LinkTestCases.file.utf8), name: "", at: 0).links

    static let entries: [(url: String, entries: [String], profile: Profile, nearest: String?)] = [
        ("https://example.com/buy/1", ["applinks:example.com"], .device, nil),
        ("https://example.com/buy/1", ["applinks:*.example.com"], .device, nil),
        ("https://www.example.com/buy/1", ["applinks:*.example.com"], .ios9, nil),
        ("https://example.com:8443/buy/1", ["applinks:example.com:8443"], .device, nil),
        (
            "https://example.com/buy/1", ["webcredentials:example.com"], .device,
            "applinks:example.com; the entry webcredentials:example.com is for another service"
        ),
        (
            "https://example.com/buy/1", ["applinks:www.example.com"], .device,
            "applinks:example.com; the entry applinks:www.example.com is for another host"
        ),
        (
            "https://www.example.com/buy/1", ["applinks:example.com"], .device,
            "applinks:www.example.com; the entry applinks:example.com is for another host"
        ),
        (
            "https://example.com:8443/buy/1", ["applinks:example.com"], .device,
            "applinks:example.com:8443; the entry applinks:example.com is for port 443"
        ),
        (
            "https://example.com/buy/1", ["applinks:*.example.com"], .ios9,
            "applinks:example.com; the wildcard applinks:*.example.com does not cover example.com"
        ),
        (
            "https://shop.example.com/buy/1", ["applinks:*.api.example.com"], .device,
            "applinks:shop.example.com; the wildcard applinks:*.api.example.com does not cover shop.example.com"
        ),
        (
            "https://shop.example.com/buy/1", ["applinks:example.com"], .device,
            "applinks:shop.example.com; the entry applinks:example.com covers only its own host"
        ),
        ("https://example.com/buy/1", ["applinks:other.test"], .device, "applinks:example.com"),
        ("https://[::1]:8443/buy/1", [], .device, "applinks:[::1]:8443"),
    ]

    @Test("The entry that a link needs is named, with the nearest one", arguments: entries)
    func entry(_ url: String, _ texts: [String], _ profile: Profile, _ nearest: String?) throws {
        let entries = try texts.map { try AssociatedDomain($0) }
        let obstacle = LinkObstacle.first(
            for: try WebURL(url), app: demoApp, entries: entries, in: profile, links: Self.links)
        #expect(obstacle?.kind == nearest.map { _ in .noEntry })
        #expect(obstacle?.reason == nearest.map { "the app has no entry \($0)" })
    }

    @Test(
        "The entry to add is one that a device accepts",
        arguments: [
            ("https://example.com:8443/", "applinks:example.com:8443"),
            ("https://localhost:8443/", "applinks:localhost:8443?mode=developer"),
            ("https://127.0.0.1/", "applinks:127.0.0.1?mode=developer"),
            ("https://[::1]:8443/", "applinks:[::1]:8443?mode=developer"),
        ])
    func addedEntry(_ text: String, _ entry: String) throws {
        let url = try WebURL(text)
        #expect(LinkObstacle.noApp(url).fix == "Install an app with the entry \(entry)")
        let obstacle = LinkObstacle.first(for: url, app: demoApp, entries: [], links: nil)
        #expect(obstacle?.fix == "Add the entry \(entry) to the app's entitlement")
    }

    static let rules: [(url: String, kind: LinkObstacle.Kind?, line: Int?, words: String)] = [
        ("https://example.com/buy/1", nil, nil, ""),
        ("https://example.com/buy/secret", .excluded, 2, "at line 2, column"),
        ("https://example.com/bug", .noRule, 3, "the nearest is at line 3"),
        // The exclusion on line 2 matches as many characters.
        ("https://example.com/bu", .noRule, 3, "the nearest is at line 3"),
        ("https://example.com/x", .noRule, nil, "matches the URL"),
    ]

    @Test("The deciding rule is named, or the rule that nearly matched", arguments: rules)
    func rule(_ url: String, _ kind: LinkObstacle.Kind?, _ line: Int?, _ words: String) throws {
        let obstacle = LinkObstacle.first(for: try WebURL(url), app: demoApp, links: Self.links)
        #expect(obstacle?.kind == kind && obstacle?.location?.line == line)
        #expect(obstacle?.reason.contains(words) ?? words.isEmpty)
    }

    @Test("A rule that differs only in letter case is the nearest, with its cause and its fix")
    func letterCase() throws {
        let json = #"""
            {"applinks":{"details":[{"appIDs":["\#(demoApp)"],"components":[
            {"/":"/products/all"},
            {"/":"/PRODUCTS/*","exclude":true,"?":"a"},
            {"/":"/PRODUCTS/*"}]}]}}
            """#
        let links = AssociationFile(Array(json.utf8), name: "", at: 0).links
        let obstacle = LinkObstacle.first(for: try WebURL("https://example.com/products/1"), app: demoApp, links: links)
        #expect(obstacle?.location?.line == 4 && obstacle?.reason.hasSuffix("; only the letter case differs") == true)
        #expect(obstacle?.fix.contains("caseSensitive") == true)
    }

    static let queries: [(query: String, component: String, fix: String)] = [
        (
            "id=4&utm=mail", #"{"/":"/r","?":"utm=mail&id=*"}"#,
            #"write the query as a dictionary: "?":{"utm":"mail","id":"*"}"#
        ),
        ("utm=mail&id=4", #"{"/":"/r","?":"id=?*"}"#, #"dictionary: "?":{"id":"?*"}"#),
        ("id=5&utm=mail", #"{"/":"/r","?":"utm=mail&id=4"}"#, "or change this rule"),
        ("id=4", #"{"/":"/r","?":{"ID":"?*"}}"#, #"Write "id", or remove "ID""#),
        ("id=4", #"{"/":"/r","?":{"id":"?*","ID":"?*"}}"#, #"Write "id", or remove "ID""#),
        ("id=4&ID=", #"{"/":"/r","?":{"ID":"?*"}}"#, "or change this rule"),
        ("flag&a=1", #"{"/":"/r","?":"a=1&flag"}"#, #"dictionary: "?":{"a":"1","flag":""}"#),
        ("b=1&a=", #"{"/":"/r","?":"a="}"#, #"dictionary: "?":{"a":""}"#),
        // A dictionary cannot contain "a" twice.
        ("b&a=2&a=1", #"{"/":"/r","?":"a=*&a=*"}"#, "or change this rule"),
    ]

    @Test("A query that does not match because of the order or the names of its items has its fix", arguments: queries)
    func query(_ query: String, _ component: String, _ fix: String) throws {
        let json = #"{"applinks":{"details":[{"appIDs":["\#(demoApp)"],"components":[\#(component)]}]}}"#
        let links = AssociationFile(Array(json.utf8), name: "", at: 0).links
        let obstacle = LinkObstacle.first(for: try WebURL("https://example.com/r?\(query)"), app: demoApp, links: links)
        #expect(obstacle?.fix.contains(fix) == true, "\(obstacle?.fix ?? "")")
    }

    /// URL, expectation, component, and the component of the fix.
    private static let absent: [(url: String, expected: String, component: String, fixed: String)] = [
        ("/r", "browser", #"{"/":"/r","?":{"id":"*"}}"#, #"{"/":"/r","?":{"id":"?*"}}"#),
        ("/r?x=1", "browser", #"{"?":{"x":"?*","id":"**"}}"#, #"{"?":{"x":"?*","id":"?*"}}"#),
        ("/r", "browser", #"{"/":"/r","?":"*"}"#, #"{"/":"/r","?":"?*"}"#),
        ("/r", "browser", ##"{"/":"/r","#":"*"}"##, ##"{"/":"/r","#":"?*"}"##),
        ("/#/orders/5", "app", #"{"/":"/orders/*"}"#, ##"{"/":"/","#":"/orders/*"}"##),
        ("/app#!/orders/5", "app", #"{"/":"/orders/*"}"#, ##"{"/":"/app","#":"!/orders/*"}"##),
        ("/#/orders", "app", #"{"/":"/orders/*"}"#, ##"{"/":"/","#":"/orders*"}"##),
        ("/#/orders/5", "app", #"{"/":"orders/*"}"#, ##"{"/":"/","#":"/orders/*"}"##),
        ("/#/orders?id=1", "app", #"{"/":"/orders"}"#, ##"{"/":"/","#":"/orders*"}"##),
    ]

    @Test("A failing URL test names the absent part or the route in the fragment, and its fix", arguments: absent)
    func absentPart(_ url: String, _ expected: String, _ component: String, _ fixed: String) throws {
        func report(_ component: String) -> Report {
            let file = #"{"applinks":{"details":[{"appIDs":["\#(demoApp)"],"components":[\#(component)]}]}}"#
            return LinkTestCases.report(file, "https://example.com\(url) → \(expected)")
        }
        let issue = try #require(report(component).issues.first { $0.code == "links-test-failed" })
        #expect(issue.fix.contains(expected == "app" ? fixed : "Write \"?*\" instead of \"*"), "\(issue.fix)")
        let cause = expected == "app" ? "is in the fragment" : "the URL has no "
        #expect(issue.message.contains(cause), "\(issue.message)")
        #expect(!report(fixed).hasFailedTests)
    }

    @Test(
        "Without an absent part, a component for the fragment or a late exclusion, the fix is general or of the denial",
        arguments: [
            ("/r?id= → browser", #""components":[{"/":"/r","?":{"id":"*"}}]"#, "or the expectation"),
            ("/r → browser", ##""components":[{"/":"/r","#":""}]"##, "or the expectation"),
            ("/#/x → app", #""components":[{"/":"/r","?":{"id":"*"}}]"#, "Add a rule for the URL"),
            ("/#/r → app", #""paths":["/r"]"#, "Add a rule for the URL"),
            ("/#/R → app", #""components":[{"/":"/r","caseSensitive":false}]"#, "Add a rule for the URL"),
            ("/b → browser", #""components":[{"/":"/*"},{"/":"/a/*","exclude":true}]"#, "or the expectation"),
            ("/b → app", #""components":[{"/":"/a","exclude":true}]"#, "Add a rule that matches after the exclusions"),
        ])
    func generalFix(_ line: String, _ rules: String, _ fix: String) throws {
        let file = #"{"applinks":{"details":[{"appIDs":["\#(demoApp)"],\#(rules)}]}}"#
        let issues = LinkTestCases.report(file, "https://example.com\(line)").issues
        let issue = try #require(issues.first { $0.code == "links-test-failed" })
        #expect(issue.fix.contains(fix), "\(issue.fix)")
    }

    @Test("A missing approval comes after the entry and before the rules, with its code and a command")
    func approval() throws {
        let url = try WebURL("https://example.com/x")
        func first(_ entries: [AssociatedDomain], _ links: Bool = true) -> LinkObstacle? {
            .first(
                for: url, app: demoApp, entries: entries, denial: (code: "http-refused", message: "No."),
                links: links ? Self.links : nil)
        }
        #expect(first([])?.kind == .noEntry)
        let obstacle = try #require(first([try AssociatedDomain("applinks:example.com")], false))
        #expect(obstacle.kind == .notApproved && obstacle.code == "http-refused")
        #expect(obstacle.fix.contains("association check example.com --service applinks --app \(demoApp)"))
        #expect(LinkObstacle.first(for: url, app: demoApp, links: nil)?.kind == .noLinks)
        #expect(LinkObstacle.noApp(url).fix.contains("applinks:example.com"))
    }

    @Test("A URL with another scheme is named as such")
    func scheme() throws {
        let error = #expect(throws: WebURL.Malformed.self) { try WebURL("myapp://buy/1") }
        let obstacle = try #require(error.flatMap { LinkObstacle($0) })
        #expect(
            obstacle.kind == .scheme && obstacle.reason.contains("only http and https links can be universal links"))
        #expect(#expect(throws: WebURL.Malformed.self) { try WebURL("https://") }.flatMap { LinkObstacle($0) } == nil)
    }

    @Test(
        "A failing URL test names the exclusion that ends too early, and its fix excludes the URL",
        arguments: [
            (#""components":[{"/":"/a","exclude":true},{"/":"/*"}]"#, 84, #"{"/":"/a/*","exclude":true}"#),
            (#""components":[{"/":"a/","exclude":true},{"/":"/*"}]"#, 84, #"{"/":"/a/*","exclude":true}"#),
            (#""paths":["NOT /a","NOT /b","*"]"#, 79, #""NOT /a/*""#),
            (#""components":[{"/":"/","exclude":true},{"/":"/ab","exclude":true},{"/":"/*"}]"#, nil, nil),
            (#""components":[{"/":"/a"},{"/":"/*"},{"/":"/a","exclude":true}]"#, nil, nil),
        ])
    func shortExclusion(rules: String, column: Int?, rule: String?) throws {
        func report(_ rules: String) -> Report {
            let file = #"{"applinks":{"details":[{"appIDs":["\#(demoApp)"],\#(rules)}]}}"#
            return LinkTestCases.report(file, "https://example.com/a/b → browser")
        }
        let issue = try #require(report(rules).issues.first { $0.code == "links-test-failed" })
        let text = "\(issue.message) \(issue.fix)"
        let exclusion = column.map { "; the exclusion at line 1, column \($0) matches only /a. Add" }
        #expect(exclusion.map(text.contains) ?? !text.contains("exclusion"), "\(text)")
        #expect(issue.fix.contains(rule ?? "the expectation"), "\(text)")
        guard let rule else { return }
        let location = try #require(issue.message.firstMatch(of: #/the rule at line 1, column \d+/#)?.0)
        #expect(issue.fix.hasSuffix("before \(location)."), "\(text)")
        let last = try #require(rules.ranges(of: ",").last.map { rules[..<$0.lowerBound] })
        let fixed = report("\(last),\(rule)\(rules[last.endIndex...])")
        #expect(!fixed.hasFailedTests && fixed.conclusion(.device).hasSuffix("1 URL test passed."))
    }

    @Test("A failing URL test names the exclusion that comes too late, and its fix excludes the URL")
    func lateExclusion() throws {
        func report(_ first: String, _ second: String) -> Report {
            let file = #"{"applinks":{"details":[{"appIDs":["\#(demoApp)"],"components":[\#(first),\#(second)]}]}}"#
            return LinkTestCases.report(file, "https://example.com/a/b → browser")
        }
        let (all, late) = (#"{"/":"/*"}"#, #"{"/":"/a/*","exclude":true}"#)
        let issue = try #require(report(all, late).issues.first { $0.code == "links-test-failed" })
        #expect(issue.message.hasSuffix("; the exclusion at line 1, column 95 comes too late."), "\(issue.message)")
        #expect(issue.fix == "Put the exclusion at line 1, column 95 before the rule at line 1, column 84.")
        #expect(!report(late, all).hasFailedTests)
    }

    @Test(
        "A failing URL test explains that the file or the entries do not apply to the host",
        arguments: [
            ("example.com", nil, "the file of example.com does not apply to it", "the file of its own host"),
            (nil, "applinks:example.com", "no entry applinks:other.test", "Add the entry applinks:other.test"),
        ] as [(String?, String?, String, String)])
    func otherHost(_ domain: String?, _ entry: String?, _ reason: String, _ fix: String) throws {
        let tests = "https://other.test/buy/1 → app"
        let report = LinkTestCases.report(LinkTestCases.file, tests, domain: domain, entry: entry)
        let issue = try #require(report.issues.first { $0.code == "links-test-failed" })
        #expect(issue.message.contains(reason) && issue.fix.contains(fix), "\(issue.message) \(issue.fix)")
    }

    @Test("A failing URL test names its line, its URL and the rule that decided")
    func failedTest() throws {
        let tests = "# buy\nhttps://example.com/buy/1 → browser\nhttps://example.com/buy/secret → app"
        let report = LinkTestCases.report(LinkTestCases.file, tests)
        let issues = report.issues.filter { $0.code == "links-test-failed" }
        #expect(report.hasFailedTests && report.verdict(.device) == .associated)
        #expect(issues.map { $0.location?.line } == [2, 3] && issues.allSatisfy { $0.subject == "links.tests" })
        #expect(zip(issues, [3, 2]).allSatisfy { $0.message.contains("line \($1), column") })
        #expect(!LinkTestCases.report(LinkTestCases.file, "").hasFailedTests)
        let passed = LinkTestCases.report(LinkTestCases.file, "https://example.com/buy/1 → app\n")
        #expect(!passed.hasFailedTests && passed.conclusion(.device).hasSuffix(": 1 URL test passed."))
        let two = LinkTestCases.report(
            LinkTestCases.file, "https://example.com/buy/1 → app\nhttps://example.com/help → browser\n")
        #expect(two.conclusion(.device).hasSuffix(": 2 URL tests passed."))
        var request = CheckRequest()
        request.linkTests = LinkTests(Array("https://example.com/buy/1 → app".utf8), name: "t", workLimit: 1)
        let limited = Checker(request, at: 0).check(file: Array(LinkTestCases.file.utf8), name: "site.json")
        #expect(limited.issues.contains { $0.message.contains("too complex") })
    }
}
