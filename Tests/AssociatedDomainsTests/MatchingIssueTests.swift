import AssociationDiagnostics
import Testing

@testable import SourceJSON
@testable import UniversalLinks

@Suite("Issues on universal links") struct MatchingIssueTests {
    typealias Kind = UniversalLinks.LinkIssue.Kind

    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let json: String
        let kinds: [Kind]
        var testDescription: String { "\(name): \(json.prefix(200))" }

        init(_ name: String, _ json: String, _ kinds: [Kind]) {
            (self.name, self.json, self.kinds) = (name, json, kinds)
        }
    }

    private static func component(_ component: String) -> String {
        "{\"details\":[{\"appID\":\"A\",\"components\":[\(component)]}]}"
    }

    private static func path(_ pattern: String, _ more: String = "") -> String {
        component("{\"/\":\"\(pattern)\"\(more)}")
    }

    private static func paths(_ list: String) -> String { "{\"details\":[{\"appID\":\"A\",\"paths\":[\(list)]}]}" }

    private static func lost(
        _ path: String, isRestricted: Bool = false, isExcluded: Bool = false
    ) -> UniversalLinks.LinkIssue.LostPath {
        .init(path: path, isRestricted: isRestricted, isExcluded: isExcluded)
    }

    private static func both(_ components: String, _ paths: String...) -> String {
        "{\"details\":[{\"appID\":\"A\",\"components\":[\(components)],\"paths\":\(paths)}]}"
    }

    private static func variables(_ definitions: String, _ pattern: String) -> String {
        "{\"substitutionVariables\":\(definitions),\"details\":[{\"appID\":\"A\",\"components\":[{\"/\":\"\(pattern)\"}]}]}"
    }

    private static let decoded = ",\"percentEncoded\":false"

    static let structure: [Case] = [
        Case("a good file", path("/buy/*"), []),
        Case(
            "a good file with apps", "{\"apps\":[],\"details\":[{\"appIDs\":[\"A\"],\"paths\":[\"NOT /a\",\"*\"]}]}", []
        ),
        Case("no leading slash", path("buy/*"), [.noLeadingSlash("buy/*")]),
        Case("no leading slash twice is said once", paths("\"buy/*\",\"NOT a/*\""), [.noLeadingSlash("buy/*")]),
        Case("a star needs no slash", path("*/a"), []),
        Case("a good comment", component("{\"comment\":\"x\"}"), []),
        Case("no details", "{}", [.noDetails]), Case("empty details", "{\"details\":[]}", [.noDetails]),
        Case("empty legacy details", "{\"details\":{}}", [.noDetails]),
        Case(
            "details of another kind", "{\"details\":1}", [.wrongKind(key: "details", found: .number, expected: .array)]
        ),
        Case(
            "a detail of another kind", "{\"details\":[[]]}",
            [.wrongKind(key: "details", found: .array, expected: .object)]),
        Case(
            "a legacy detail of another kind", "{\"details\":{\"A\":1}}",
            [.detailsDictionary, .wrongKind(key: "A", found: .number, expected: .object)]),
        Case(
            "a detail instead of an array", "{\"details\":{\"appIDs\":[\"A\"],\"components\":[{}]}}",
            [.wrongKind(key: "details", found: .object, expected: .array)]),
        Case("a legacy dictionary", "{\"details\":{\"A\":{\"paths\":[\"*\"]}}}", [.detailsDictionary]),
        Case(
            "legacy apps", "{\"apps\":[\"A\",\"B\"],\"details\":[{\"appID\":\"A\",\"components\":[{}]}]}",
            [.legacyApps(count: 2)]),
        Case(
            "legacy apps of another kind", "{\"apps\":\"A\",\"details\":[{\"appID\":\"A\",\"components\":[{}]}]}",
            [.wrongKind(key: "apps", found: .string, expected: .array)]),
        Case("no apps", "{\"details\":[{\"components\":[{}]}]}", [.noApps]),
        Case("empty appIDs", "{\"details\":[{\"appIDs\":[],\"components\":[{}]}]}", [.noApps]),
        Case(
            "both app keys", "{\"details\":[{\"appIDs\":[\"A\"],\"appID\":\"B\",\"components\":[{}]}]}",
            [.appIDBesideAppIDs]),
        Case(
            "appIDs of another kind", "{\"details\":[{\"appIDs\":\"A\",\"components\":[{}]}]}",
            [.wrongKind(key: "appIDs", found: .string, expected: .array)]),
        Case(
            "an app of another kind", "{\"details\":[{\"appIDs\":[\"A\",null],\"components\":[{}]}]}",
            [.wrongKind(key: "appIDs", found: .null, expected: .string)]),
        Case("both generations", both("{}", "*"), [.bothGenerations()]),
        Case("no component for a path", both(#"{"/":"/a/*"}"#, "a/?", "b*"), [.bothGenerations(lost: lost("b*"))]),
        Case("a shorter component", both(#"{"/":"/a/?"}"#, "/a/*"), [.bothGenerations(lost: lost("/a/*"))]),
        Case("an excluded path", both(#"{"/":"/a/*"}"#, "NOT /b", "/a/*"), [.bothGenerations()]),
        Case(
            "an exclusion", both(#"{"/":"/b","exclude":true},{"/":"/a"}"#, "NOT /c", "/b"),
            [.bothGenerations(lost: lost("/b", isRestricted: true, isExcluded: true))]),
        Case(
            "both app keys for both", both("{}", "*").replacing("{\"appID", with: "{\"appIDs\":[\"A\"],\"appID"),
            [.bothGenerations()]),
        Case(
            "both app keys for both, for two apps",
            both("{}", "*").replacing("{\"appID", with: "{\"appIDs\":[\"B\"],\"appID"),
            [.appIDBesideAppIDs, .bothGenerations()]),
        Case("neither generation", "{\"details\":[{\"appID\":\"A\"}]}", [.noPatterns]),
        Case("empty components", component(""), [.emptyPatterns(key: "components")]),
        Case("empty paths", paths(""), [.emptyPatterns(key: "paths")]),
        Case(
            "components of another kind", "{\"details\":[{\"appID\":\"A\",\"components\":{}}]}",
            [.wrongKind(key: "components", found: .object, expected: .array)]),
        Case(
            "a component of another kind", component("\"/buy\""),
            [.wrongKind(key: "components", found: .string, expected: .object)]),
        Case("a path of another kind", paths("5"), [.patternNotString(key: "paths", found: .number)]),
        Case(
            "defaults of another kind", "{\"defaults\":[],\"details\":[{\"appID\":\"A\",\"paths\":[\"*\"]}]}",
            [.wrongKind(key: "defaults", found: .array, expected: .object)]),
        Case(
            "a key in the wrong case", component("{\"/\":\"/a\",\"casesensitive\":false}"),
            [.misspeltKey("casesensitive", meant: "caseSensitive")]),
        Case(
            "a letter too many", component("{\"/\":\"/a\",\"excludes\":true}"),
            [.misspeltKey("excludes", meant: "exclude")]),
        Case(
            "two letters missing", component("{\"/\":\"/a\",\"percentEncod\":true}"),
            [.misspeltKey("percentEncod", meant: "percentEncoded")]),
        Case("a space in a key", component("{\"/ \":\"/a\"}"), [.misspeltKey("/ ", meant: "/")]),
        Case("a word for a sign", component("{\"path\":\"/a\"}"), [.misspeltKey("path", meant: "/")]),
        Case("an anchor", component("{\"anchor\":\"top\"}"), [.misspeltKey("anchor", meant: "#")]),
        Case("one path", "{\"details\":[{\"appID\":\"A\",\"path\":[]}]}", [.misspeltKey("path", meant: "paths")]),
        Case("another key", component("{\"/\":\"/a\",\"priority\":1}"), [.unknownKey("priority")]),
        Case(
            "a key of a detail in applinks", "{\"appIDs\":[],\"details\":[{\"appID\":\"A\",\"paths\":[\"*\"]}]}",
            [.misspeltKey("appIDs", meant: "appIDs")]),
        Case(
            "a key of a component in a detail", "{\"details\":[{\"appID\":\"A\",\"paths\":[\"*\"],\"exclude\":true}]}",
            [.misspeltKey("exclude", meant: "exclude")]),
        Case("another kind of comment", component("{\"/\":\"/a\",\"_comment\":1}"), [.unknownKey("_comment")]),
        Case(
            "a misspelt key of a detail", "{\"details\":[{\"appIds\":[\"A\"],\"appID\":\"A\",\"paths\":[\"*\"]}]}",
            [.misspeltKey("appIds", meant: "appIDs")]),
        Case(
            "a misspelt key explains what is missing", "{\"details\":[{\"appIds\":[\"A\"],\"component\":[{}]}]}",
            [.misspeltKey("appIds", meant: "appIDs"), .misspeltKey("component", meant: "components")]),
        Case(
            "a misspelt key explains why there are no details", "{\"detail\":[]}",
            [.misspeltKey("detail", meant: "details")]),
        Case(
            "a misspelt key of applinks", "{\"detail\":[],\"details\":[{\"appID\":\"A\",\"paths\":[\"*\"]}]}",
            [.misspeltKey("detail", meant: "details")]),
        Case(
            "exclude as text", component("{\"/\":\"/a\",\"exclude\":\"true\"}"),
            [.excludeNotBoolean(found: .string, meantTrue: true, pattern: "/a")]),
        Case(
            "exclude as the path", component("{\"exclude\":\"/a/*\"}"),
            [.excludeNotBoolean(found: .string, meantTrue: true, pattern: nil, path: "/a/*")]),
        Case(
            "exclude as the text false", component("{\"/\":\"/a\",\"exclude\":\"false\"}"),
            [.excludeNotBoolean(found: .string, meantTrue: false, pattern: "/a")]),
        Case(
            "exclude as a number without a path", component("{\"#\":\"a\",\"exclude\":1}"),
            [.excludeNotBoolean(found: .number, meantTrue: true, pattern: nil)]),
        Case(
            "caseSensitive as number", component("{\"/\":\"/a\",\"caseSensitive\":0}"),
            [.flagNotBoolean(key: "caseSensitive", found: .number)]),
        Case(
            "percentEncoded as null", component("{\"/\":\"/a\",\"percentEncoded\":null}"),
            [.flagNotBoolean(key: "percentEncoded", found: .null)]),
        Case("a path pattern of another kind", component("{\"/\":5}"), [.patternNotString(key: "/", found: .number)]),
        Case("a query of another kind", component("{\"?\":[]}"), [.patternNotString(key: "?", found: .array)]),
        Case("a fragment as dictionary", component("{\"#\":{}}"), [.patternNotString(key: "#", found: .object)]),
        Case(
            "a voided query", component("{\"?\":{\"a\":\"b\",\"c\":true}}"), [.queryVoided(item: "c", found: .boolean)]),
        Case(
            "a default in the wrong kind is said once",
            "{\"defaults\":{\"exclude\":1},\"details\":[{\"appID\":\"A\",\"components\":[{\"/\":\"/a\"},{\"/\":\"/b\"}]}]}",
            [.excludeNotBoolean(found: .number, meantTrue: true, pattern: nil)]),
    ]

    static let patterns: [Case] = [
        Case("NOT without space", paths("\"NOT/a\""), [.malformedNot("NOT/a")]),
        Case("NOT alone", paths("\"NOT\""), [.malformedNot("NOT")]),
        Case("not in lower case", paths("\"not /a\""), [.malformedNot("not /a")]),
        Case("NOT and nothing", paths("\"NOT \""), [.malformedNot("NOT ")]),
        Case("NOT and two spaces is one slip", paths("\"NOT  /a\""), [.malformedNot("NOT  /a")]),
        Case("a raw letter in a legacy path", paths("\"/é\""), [.neverAsWritten("/é", "é", isLegacy: true)]),
        Case("NOTES is a word", paths("\"NOTES/*\""), [.noLeadingSlash("NOTES/*")]),
        Case("! in a legacy path", paths("\"!/a\""), [.malformedNot("!/a")]),
        Case("! in a component", path("!/a"), [.notInComponent("!/a")]),
        Case("NOT in a component", path("NOT /a"), [.notInComponent("NOT /a")]),
        Case("a URL", path("https://example.com/a"), [.hostInPath("https://example.com/a", path: "/a")]),
        Case("a host", path("example.com/a/*"), [.hostInPath("example.com/a/*", path: "/a/*")]),
        Case(
            "a host as first segment", path("/example.com/a/*"),
            [.hostInPath("/example.com/a/*", path: "/a/*", folder: "example.com")]),
        Case("a file is no host", path("/index.php/a"), []), Case("an app is no host", path("/my.app"), []),
        Case("a host with www", path("www.example.com"), [.hostInPath("www.example.com", path: "/")]),
        Case("a host behind a slash", path("//example.com/a"), [.hostInPath("//example.com/a", path: "/a")]),
        Case("a file name is no host", path("/index.html"), []),
        Case("a file name without slash is no host", path("index.html"), [.noLeadingSlash("index.html")]),
        Case("a query in a path", path("/a?id=*"), [.queryInPath("/a?id=*")]),
        Case("one or more is no query", path("/a/?*"), []),
        Case("a fragment in a path", path("/a#top"), [.fragmentInPath("/a#top")]),
        Case("a raw letter", path("/é"), [.neverAsWritten("/é", "é")]),
        Case("a raw letter, decoded", path("/é", decoded), []),
        Case("a raw space", path("/a b"), [.neverAsWritten("/a b", " ")]),
        Case("a brace", path("/{id"), [.neverAsWritten("/{id", "{")]),
        Case("spaces around a star", paths("\" * \""), [.surroundingSpace(" * ", trimmed: "*")]),
        Case("a space after an exclusion", paths("\"NOT /a \""), [.surroundingSpace("NOT /a ", trimmed: "NOT /a")]),
        Case("a space before NOT", paths("\" NOT /a\""), [.surroundingSpace(" NOT /a", trimmed: "NOT /a")]),
        Case("a tab in a query", component("{\"?\":{\"a\":\"b\\t\"}}"), [.surroundingSpace("b\t", trimmed: "b")]),
        Case("a space, decoded", path("/a ", decoded), [.surroundingSpace("/a ", trimmed: "/a")]),
        Case("a backslash", path("/a\\\\b"), [.neverAsWritten("/a\\b", "\\")]),
        Case("an escape", path("/%C3%A9"), []),
        Case("an escape, decoded", path("/%C3%A9", decoded), [.escapeWhenDecoded("/%C3%A9")]),
        Case("one escape at the end, decoded", path("/a%20", decoded), [.escapeWhenDecoded("/a%20")]),
        Case("a lone per cent sign, decoded", path("/100%", decoded), []),
        Case("a raw letter in a query", component("{\"?\":{\"a\":\"ü\"}}"), [.neverAsWritten("ü", "ü")]),
        Case("a raw letter in a fragment", component("{\"#\":\"ü\"}"), [.neverAsWritten("ü", "ü")]),
        Case("a hash in a fragment", component("{\"#\":\"a#b\"}"), []),
        Case("a query of one or more characters", component("{\"?\":\"?*\"}"), []),
        Case("two characters before a query", component("{\"?\":\"??a=1\"}"), []),
        Case("one character before a word", component("{\"?\":\"?a\"}"), []),
        Case("one character before a value", component("{\"?\":{\"a\":\"?b=c\"}}"), []),
    ]

    static let variableCases: [Case] = [
        Case("a good variable", variables("{\"v\":[\"a\"]}", "/$(v)"), []),
        Case("an unknown variable", path("/$(food)/$(food)"), [.unknownVariable("food")]),
        Case("a variable in another case", path("/$(Lang)"), [.unknownVariable("Lang")]),
        Case("an unclosed variable", path("/$(lang"), []),
        Case("an unused variable", variables("{\"v\":[\"a\"]}", "/a"), [.unusedVariable("v")]),
        Case("a built-in name", variables("{\"lang\":[\"de\"]}", "/$(lang)"), [.builtInName("lang")]),
        Case("no array", variables("{\"v\":\"a\"}", "/$(v)"), [.variableNotStrings("v", found: .string)]),
        Case(
            "an element that is no string", variables("{\"v\":[\"a\",1]}", "/$(v)"),
            [.variableNotStrings("v", found: .number)]),
        Case("no values", variables("{\"v\":[]}", "/$(v)"), [.emptyVariable("v")]),
        Case(
            "a variable inside", variables("{\"v\":[\"$(lang)\"]}", "/$(v)"),
            [.variableInVariable("v", value: "$(lang)")]),
        Case(
            "variables of another kind", variables("[]", "/a"),
            [.wrongKind(key: "substitutionVariables", found: .array, expected: .object)]),
        Case(
            "used by a default only",
            "{\"substitutionVariables\":{\"v\":[\"a\"]},\"defaults\":{\"#\":\"$(v)\"},\"details\":[{\"appID\":\"A\",\"paths\":[\"*\"],"
                + "\"components\":[{\"/\":\"/a\"}]}]}", [.bothGenerations(lost: lost("*"))]),
    ]

    @Test(
        "Each file has exactly the expected issues", arguments: structure + patterns + variableCases
    )
    func kinds(_ test: Case) throws {
        let issues = try UniversalLinks(json: test.json).issues
        #expect(issues.map(\.kind) == test.kinds)
        for issue in issues {
            #expect(!issue.problem.isEmpty && !issue.problem.hasSuffix(".") && !issue.fix.hasSuffix("."))
            #expect(issue.fix.first?.isUppercase == true && issue.problem.first?.isUppercase != true)
        }
    }

    @Test(
        "An issue states why two rules are the same, and the fix",
        arguments: [
            (
                component("{\"/\":\"/a\"},{\"/\":\"/a\",\"?\":{\"url\":\"*\"}}"),
                ["the component can never", "\"*\" in \"?\" also matches an absent"], "\"?*\""
            ),
            (
                component("{\"/\":\"/a\",\"#\":\"*\"},{\"/\":\"/a\"}"), ["also matches when the fragment is absent"],
                "\"?*\""
            ),
            (component("{\"/\":\"/open\"},{\"/\":\"/open/\"}"), ["matches the same URLs"], "Remove"),
            (paths("\"/open/\",\"/open\""), ["the path can never", "matches the same URLs"], "Remove"),
            (component("{\"/\":\"/open\"},{\"/\":\"//open\"}"), ["matches the same URLs"], "Remove"),
            (component("{\"/\":\"/a\"},{\"/\":\"/a\",\"comment\":\"b\"}"), ["matches the same URLs"], "Remove"),
            (paths("\"*\",\"/a\""), ["this path can never take effect"], "Remove it"),
            (paths("\"!/a\""), ["excludes nothing"], "Write it as \"NOT /a\""),
            (path("!/a"), ["begins with \"!\""], "add \"exclude\": true"),
            (path("/a,/b"), ["contains several paths"], "each of \"/a\", \"/b\""),
            (paths("\"NOT  /a\""), ["one space"], "Write it as \"NOT /a\""),
            (paths("\"not /a\""), ["one space"], "Write it as \"NOT /a\""),
            (paths("\"NOT \""), ["one space"], "Write it as \"NOT /path\""),
            (path("/a b"), ["contains a space, which is percent-encoded"], "Write the space as %20, or"),
            (paths("\"/é\""), ["percent-encoded in every URL"], "Write the character percent-encoded"),
        ])
    func words(json: String, problem: [String], fix: String) throws {
        let issues = try UniversalLinks(json: json).issues
        let issue = try #require(issues.first)
        #expect(issues.count == 1)
        for part in problem { #expect(issue.problem.contains(part)) }
        #expect(issue.fix.contains(fix))
        #expect(!json.contains("paths") || !issue.fix.contains("percentEncoded"))
    }

    @Test("Issues are in file order, each with its location")
    func order() throws {
        let json = """
            {"substitutionVariables":{"v":[]},
            "details":[{"appID":"A","components":[
            {"/":"/é"},
            {"exclude":1,"/":"/b"}]}],
            "apps":["x"],
            "extra":1}
            """
        let issues = try UniversalLinks(json: json).issues
        #expect(issues.map(\.location.line) == [1, 1, 3, 4, 5, 6])
        #expect(issues.map(\.location.column) == [27, 31, 6, 12, 8, 1])
    }

    @Test(
        "A pattern of another language gets the patterns that its author meant",
        arguments: [
            ("/buy/{id}", "{id}", ["/buy/*"]), ("/buy/:id", ":id", ["/buy/*"]), ("/:a/b/:c?", ":a", ["/*/b/*"]),
            ("/buy/:id(\\\\d+)", ":id(\\d+)", ["/buy/*"]), ("/<int:id>/a", "<int:id>", ["/*/a"]),
            ("/[slug]", "[slug]", ["/*"]), ("/docs/[...path]", "[...path]", ["/docs/*"]),
            ("/buy/[0-9]+", "[0-9]+", ["/buy/*"]), ("/buy/[0-9]{4}", "[0-9]{4}", ["/buy/????"]),
            ("/buy/\\\\d{2,4}/x", "\\d{2,4}", ["/buy/??*/x"]), ("/buy/\\\\d", "\\d", ["/buy/?"]),
            ("/buy/.*", ".*", ["/buy/*"]), (".*", ".*", ["*"]), ("/buy/(.+)", "(.+", ["/buy/*"]),
            ("^/buy/.*$", "^", ["/buy/*"]), ("^/buy", "^", ["/buy*"]), ("/buy$", "$", ["/buy"]),
            ("^/buy/?$", "^", ["/buy"]), ("/buy/([^/]+)/?", "[^/]+", ["/buy/*/?"]),
            ("/(buy|sell)/*", "(buy|sell)", ["/buy/*", "/sell/*"]),
            ("/(?:en|de)/(a|b)", "(?:en|de)", ["/en/a", "/en/b", "/de/a", "/de/b"]),
            ("/a/*,/b/*", ",", ["/a/*", "/b/*"]), ("/a, NOT /b", ",", ["/a", "NOT /b"]),
            ("/a\\\\.html", "\\.", ["/a.html"]), ("/(?<id>[a-z]+)/x", "<id>", ["/*/x"]),
        ])
    func foreign(pattern: String, construct: String, patterns: [String]) throws {
        let issue = try #require(try UniversalLinks(json: Self.path(pattern)).issues.first)
        guard case .foreignSyntax(_, let found, let meant) = issue.kind else {
            Issue.record("\(issue.kind)")
            return
        }
        #expect(found == construct && meant == patterns, "\(found) \(meant)")
        #expect(patterns.allSatisfy { issue.fix.contains($0) })
    }

    @Test(
        "Patterns that look like another language, but are not, have no issue",
        arguments: [
            "/wiki/Special:Search", "/index.*", "/wiki/a_(b)", "/.well-known/*", "/a.b/*", "/a|b", "/items[]",
            "/$(lang)/*",
            "/a+b", "/?*", "/a,b;c=d", "/@user/*", "/~user/*", "/a:b/*", "/v1.0/*",
        ])
    func notForeign(pattern: String) throws {
        #expect(try UniversalLinks(json: Self.path(pattern)).issues.isEmpty)
    }

    @Test("The host of the file is not the first segment of a path")
    func ownHost() throws {
        let json = try JSONDocument(Array(Self.path("/shop.museum/a").utf8)).root
        let applinks = try #require(json.object)
        #expect(
            UniversalLinks(applinks, host: "shop.museum").issues.map(\.kind) == [
                .hostInPath("/shop.museum/a", path: "/a")
            ])
        #expect(UniversalLinks(applinks, host: "example.com").issues.isEmpty)
    }

    @Test(
        "A star that also matches an absent item has an issue, unless it changes nothing",
        arguments: [
            (#"{"?":{"x":"*"},"exclude":true},{"/":"/a"}"#, true), (#"{"?":"*"},{"/":"/a"}"#, true),
            (##"{"#":"*"},{"/":"/a"}"##, true), (#"{"/":"/a","?":{"x":"*"}},{"/":"/b"}"#, true),
            (#"{"/":"/b"},{"/":"/a","?":{"x":"*"},"exclude":true}"#, true),
            (#"{"/":"/b"},{"/":"/a/*","?":{"x":"*"}},{"/":"/a/b"}"#, true),
            (#"{"?":{"x":"*"}}"#, false), (#"{"/":"/b"},{"/":"/a","?":{"x":"*"}}"#, false),
            (#"{"/":"/b","?":"*"},{"/":"/a"}"#, false), (#"{"?":{"x":"?*"},"exclude":true},{"/":"/a"}"#, false),
        ])
    func stars(components: String, isReported: Bool) throws {
        let kinds = try UniversalLinks(json: Self.component(components)).issues.map(\.kind)
        #expect(kinds.count == (isReported ? 1 : 0))
        guard isReported else { return }
        guard case .matchesAbsentItem = kinds[0] else {
            Issue.record("\(kinds)")
            return
        }
    }

    @Test(
        "A file whose rules open no URL has the issue that explains it",
        arguments: [
            (component(#"{"?":{"x":"*"},"exclude":true},{"/":"/a"}"#), "links-matches-absent-item"),
            (component(#"{"/":"*","exclude":true},{"/":"/a"}"#), "links-rule-unreachable"),
            (component(#"{"/":"/a/*","exclude":true},{"/":"/a/b"}"#), "links-rule-unreachable"),
            (paths(#""NOT *","/a""#), "links-rule-unreachable"), (paths(#""NOT /a""#), "links-only-exclusions"),
            (path("/é"), "links-never-matches"), (path("https://example.com/a"), "links-whole-url"),
            (path("/{id}"), "links-foreign-syntax"), (path(" * "), "links-surrounding-space"),
            (paths(#""index.php/*""#), nil), (component(""), "links-detail-without-rules"),
            (component(#""/a""#), "links-value-of-wrong-kind"),
            ("{}", "links-without-details"), (#"{"details":[{"components":[{}]}]}"#, "links-detail-without-apps"),
            (variables(#"{"v":[]}"#, "/$(v)"), "links-variable"), (path("/$(food)"), "links-unknown-variable"),
            (component(#"{"/":"/é","exclude":true},{"/":"/a"}"#), nil), (component(#"{"/":"/é"},{"/":"/a"}"#), nil),
            (#"{"details":[{"appID":"A","paths":["NOT *"]},{"appIDs":["A","B"],"paths":["/a"]}]}"#, nil),
        ])
    func obstacle(json: String, code: String?) throws {
        let links = try UniversalLinks(json: json)
        #expect(links.obstacle()?.kind.entry.diagnostic.code == code)
        #expect(code != nil || links.obstacle(for: "B") == nil)
        guard code == nil, json.contains("NOT *") else { return }
        #expect(links.obstacle(for: "A")?.kind.entry.diagnostic.code == "links-rule-unreachable")
    }
}
