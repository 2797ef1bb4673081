/// Cases that test which detail and component in a file determine the result.
enum MatchingFileCases {
    static let all: [MatchingCase] = order + apps + defaults + legacy

    private static let a = MatchingCase.app
    private static let b = "FGHIJ67890.com.example.b"

    private static func of(
        _ source: String,
        _ rows: [(name: String, applinks: String, path: String, app: String?, expected: MatchingCase.Expectation)]
    ) -> [MatchingCase] {
        rows.map { row in
            MatchingCase(
                row.name, source: source, applinks: row.applinks, url: "https://example.com" + row.path, app: row.app,
                row.expected)
        }
    }

    private static func details(_ entries: String...) -> String { "{\"details\":[\(entries.joined(separator: ","))]}" }

    private static func detail(_ app: String, _ components: String) -> String {
        "{\"appIDs\":[\"\(app)\"],\"components\":[\(components)]}"
    }

    private static let order: [MatchingCase] = {
        let (buy, notBuy, all) = ("{\"/\":\"/buy/*\"}", "{\"/\":\"/buy/*\",\"exclude\":true}", "{\"/\":\"*\"}")
        return of(
            "Details in order, components in order; the first component whose every key matches decides; `exclude` then "
                + "means blocked, with no fall-through. Per app the first detail that decides wins",
            [
                (
                    "the second component", details(detail(a, "\(buy),{\"/\":\"/sell\"}")), "/sell", nil,
                    .matched(component: 1)
                ),
                ("the first of two", details(detail(a, "\(all),\(buy)")), "/buy/1", nil, .matched()),
                ("exclude first", details(detail(a, "\(notBuy),\(all)")), "/buy/1", nil, .blocked()),
                (
                    "exclude does not match", details(detail(a, "\(notBuy),\(all)")), "/sell", nil,
                    .matched(component: 1)
                ),
                ("exclude too late", details(detail(a, "\(all),\(notBuy)")), "/buy/1", nil, .matched()),
                ("exclude alone", details(detail(a, notBuy)), "/sell", nil, .unmatched),
                ("exclude false", details(detail(a, "{\"exclude\":false}")), "/", nil, .matched()),
                ("exclude no boolean", details(detail(a, "{\"exclude\":\"true\"}")), "/", nil, .matched()),
                ("exclude everything", details(detail(a, "{\"exclude\":true}")), "/", nil, .blocked()),
                ("the second detail", details(detail(a, buy), detail(a, all)), "/x", nil, .matched(detail: 1)),
                ("blocked in the first detail", details(detail(a, notBuy), detail(a, all)), "/buy", nil, .blocked()),
                ("the first detail decides", details(detail(a, all), detail(a, notBuy)), "/buy", nil, .matched()),
                (
                    "another app matches", details(detail(a, notBuy), detail(b, all)), "/buy", nil,
                    .matched(b, detail: 1)
                ),
                (
                    "the app that is asked for is blocked", details(detail(a, notBuy), detail(b, all)), "/buy", a,
                    .blocked()
                ),
                (
                    "the app that is asked for matches", details(detail(a, notBuy), detail(b, all)), "/buy", b,
                    .matched(b, detail: 1)
                ),
                (
                    "blocked for the first of two", details(detail(a, notBuy), detail(b, buy)), "/buy", nil,
                    .matched(b, detail: 1)
                ),
                (
                    "blocked for the second", details(detail(a, "{\"/\":\"/x\"}"), detail(b, notBuy)), "/buy", nil,
                    .blocked(b, detail: 1)
                ),
                ("blocked for both", details(detail(b, notBuy), detail(a, notBuy)), "/buy", nil, .blocked(b)),
                ("nothing for either", details(detail(a, buy), detail(b, buy)), "/sell", nil, .unmatched),
                (
                    "a component that is no object is skipped", details(detail(a, "5,\"/x\",\(all)")), "/x", nil,
                    .matched(component: 2)
                ),
                ("a detail that is no object is skipped", details("5", detail(a, all)), "/x", nil, .matched(detail: 1)),
                ("the same component twice", details(detail(a, "\(buy),\(notBuy),\(all)")), "/buy", nil, .matched()),
                (
                    "a repeated component that fails", details(detail(a, "\(buy),\(notBuy),\(all)")), "/x", nil,
                    .matched(component: 2)
                ),
                ("no components", details(detail(a, "")), "/x", nil, .unmatched),
                ("no details", "{\"details\":[]}", "/x", nil, .unmatched),
                ("nothing at all", "{}", "/x", nil, .unmatched),
                ("details of another kind", "{\"details\":\"x\"}", "/x", nil, .unmatched),
            ])
    }()

    private static let apps: [MatchingCase] = {
        let all = "\"components\":[{}]"
        return of(
            "`appIDs` (an array wins, even empty) or `appID`; the prefix is compared upper-cased, the bundle id exactly; split "
                + "at the first dot only if it stands at index 10",
            [
                ("appIDs", details("{\"appIDs\":[\"\(a)\"],\(all)}"), "/", a, .matched()),
                ("the second of appIDs", details("{\"appIDs\":[\"\(b)\",\"\(a)\"],\(all)}"), "/", a, .matched()),
                (
                    "the first of appIDs without a request", details("{\"appIDs\":[\"\(b)\",\"\(a)\"],\(all)}"), "/",
                    nil, .matched(b)
                ),
                ("appID", details("{\"appID\":\"\(a)\",\(all)}"), "/", a, .matched()),
                ("appIDs wins", details("{\"appIDs\":[\"\(b)\"],\"appID\":\"\(a)\",\(all)}"), "/", a, .unmatched),
                (
                    "appIDs wins, even behind", details("{\"appID\":\"\(a)\",\"appIDs\":[\"\(b)\"],\(all)}"), "/", b,
                    .matched(b)
                ),
                ("appIDs wins, even empty", details("{\"appIDs\":[],\"appID\":\"\(a)\",\(all)}"), "/", nil, .unmatched),
                (
                    "appIDs that is no array", details("{\"appIDs\":\"\(b)\",\"appID\":\"\(a)\",\(all)}"), "/", nil,
                    .matched()
                ),
                ("an element that is no string", details("{\"appIDs\":[5,\"\(a)\"],\(all)}"), "/", nil, .matched()),
                ("appID that is no string", details("{\"appID\":[\"\(a)\"],\(all)}"), "/", nil, .unmatched),
                ("no app", details("{\(all)}"), "/", nil, .unmatched),
                ("an app that is not there", details(detail(a, "{}")), "/", b, .unmatched),
                (
                    "prefix in lower case, file", details(detail("abcde12345.com.example.a", "{}")), "/", a,
                    .matched("abcde12345.com.example.a")
                ),
                (
                    "prefix in lower case, request", details(detail(a, "{}")), "/", "abcde12345.com.example.a",
                    .matched()
                ),
                (
                    "prefix with the last letter in lower case", details(detail("azby019xc2.com.example.a", "{}")), "/",
                    "AZBY019XC2.com.example.a", .matched("azby019xc2.com.example.a")
                ),
                (
                    "bundle identifier in another case", details(detail(a, "{}")), "/", "ABCDE12345.com.example.A",
                    .unmatched
                ),
                ("prefix too short is compared exactly", details(detail("abc.a", "{}")), "/", "ABC.a", .unmatched),
                ("a malformed identifier is a text", details(detail("abc.a", "{}")), "/", "abc.a", .matched("abc.a")),
                ("no wildcards", details(detail("ABCDE12345.*", "{}")), "/", a, .unmatched),
                ("a space is part of it", details(detail("\(a) ", "{}")), "/", a, .unmatched),
                (
                    "the same app twice in a detail", details("{\"appIDs\":[\"\(a)\",\"\(a)\"],\(all)}"), "/", nil,
                    .matched()
                ),
                ("the legacy apps are none", "{\"apps\":[\"\(a)\"],\"details\":[]}", "/", a, .unmatched),
            ])
    }()

    private static let defaults: [MatchingCase] = {
        func file(_ outer: String, _ inner: String, _ component: String) -> String {
            """
            {"defaults":{\(outer)},"details":[{"appIDs":["\(a)"],"defaults":{\(inner)},"components":[\(component)]}]}
            """
        }
        let (no, yes) = ("\"caseSensitive\":false", "\"caseSensitive\":true")
        return of(
            "`defaults`: component, then detail, then applinks. Any key may be defaulted",
            [
                ("of applinks", file(no, "", "{\"/\":\"/A\"}"), "/a", nil, .matched()),
                ("of the detail", file("", no, "{\"/\":\"/A\"}"), "/a", nil, .matched()),
                ("the detail over applinks", file(no, yes, "{\"/\":\"/A\"}"), "/a", nil, .unmatched),
                ("the component over the detail", file("", no, "{\"/\":\"/A\",\(yes)}"), "/a", nil, .unmatched),
                ("the component over applinks", file(yes, "", "{\"/\":\"/A\",\(no)}"), "/a", nil, .matched()),
                ("percentEncoded", file("\"percentEncoded\":false", "", "{\"/\":\"/é\"}"), "/%C3%A9", nil, .matched()),
                (
                    "percentEncoded, of a path with NOT",
                    "{\"defaults\":{\"percentEncoded\":false},\"details\":[{\"appID\":\"\(a)\",\"paths\":[\"NOT /é\",\"*\"]}]}",
                    "/%C3%A9", nil, .blocked()
                ),
                ("exclude", file("\"exclude\":true", "", "{}"), "/", nil, .blocked()),
                ("exclude, taken back", file("\"exclude\":true", "", "{\"exclude\":false}"), "/", nil, .matched()),
                ("the first of two equal keys", file("\(no),\(yes)", "", "{\"/\":\"/A\"}"), "/a", nil, .matched()),
                ("path", file("\"/\":\"/a\"", "", "{}"), "/b", nil, .unmatched),
                ("path, matching", file("\"/\":\"/a\"", "", "{}"), "/a", nil, .matched()),
                (
                    "path, compared as each component says", file("\"/\":\"/A\"", "", "{\"?\":\"q\"},{\(no)}"), "/a",
                    nil, .matched(component: 1)
                ),
                ("path, overridden", file("\"/\":\"/a\"", "", "{\"/\":\"/b\"}"), "/b", nil, .matched()),
                ("query", file("\"?\":\"q\"", "", "{\"/\":\"/a\"}"), "/a", nil, .unmatched),
                ("query, matching", file("\"?\":\"q\"", "", "{\"/\":\"/a\"}"), "/a?q", nil, .matched()),
                ("query as a dictionary", file("", "\"?\":{\"q\":\"1\"}", "{\"/\":\"/a\"}"), "/a?q=2", nil, .unmatched),
                (
                    "a dictionary replaces the whole default", file("", "\"?\":{\"q\":\"1\"}", "{\"?\":{\"r\":\"2\"}}"),
                    "/?r=2", nil, .matched()
                ),
                ("fragment", file("\"#\":\"f\"", "", "{}"), "/#g", nil, .unmatched),
                (
                    "different levels for different keys", file("\"/\":\"/A\"", no, "{\"?\":\"Q\"}"), "/a?q", nil,
                    .matched()
                ),
                ("defaults of another kind", "{\"defaults\":5,\"details\":[\(detail(a, "{}"))]}", "/", nil, .matched()),
                (
                    "a key of another kind hides the default", file("\"/\":\"/a\"", "", "{\"/\":5}"), "/b", nil,
                    .matched()
                ),
                (
                    "the defaults of one detail do not reach another",
                    "{\"details\":[{\"appID\":\"\(b)\",\"defaults\":{\(no)},\"components\":[]},\(detail(a, "{\"/\":\"/A\"}"))]}",
                    "/a", nil, .unmatched
                ),
            ])
    }()

    private static let legacy: [MatchingCase] = {
        func paths(_ list: String, more: String = "") -> String {
            "{\"apps\":[],\(more)\"details\":[{\"appID\":\"\(a)\",\"paths\":[\(list)]}]}"
        }
        let folded = "\"defaults\":{\"caseSensitive\":false},"
        return of(
            "Legacy `paths`: path only; `NOT ` in front excludes (and forces case sensitivity); `*` is the whole site; "
                + "`components` wins; details may be the legacy dictionary keyed by app ID",
            [
                ("a path", paths("\"/buy\""), "/buy", nil, .matched()),
                ("another path", paths("\"/buy\""), "/sell", nil, .unmatched),
                ("the whole site", paths("\"*\""), "/any/thing?q#f", nil, .matched()),
                ("the whole site, root", paths("\"*\""), "", nil, .matched()),
                ("a directory", paths("\"/buy/*\""), "/buy", nil, .matched()),
                ("NOT", paths("\"NOT /buy/*\",\"*\""), "/buy/1", nil, .blocked()),
                ("NOT, other path", paths("\"NOT /buy/*\",\"*\""), "/sell", nil, .matched(component: 1)),
                ("NOT too late", paths("\"*\",\"NOT /buy/*\""), "/buy/1", nil, .matched()),
                ("NOT everything", paths("\"NOT *\""), "/x", nil, .blocked()),
                ("NOT without a space is a path", paths("\"NOT/buy\""), "/NOT/buy", nil, .matched()),
                ("not in lower case is no NOT", paths("\"not /buy\",\"/buy\""), "/buy", nil, .matched(component: 1)),
                ("NOT without a leading slash", paths("\"NOT buy\""), "/buy", nil, .blocked()),
                ("path only, with query", paths("\"/buy\""), "/buy?a=b", nil, .matched()),
                ("folded by the defaults", paths("\"/BUY\"", more: folded), "/buy", nil, .matched()),
                (
                    "NOT forces case sensitivity", paths("\"NOT /BUY\",\"/BUY\"", more: folded), "/buy", nil,
                    .matched(component: 1)
                ),
                (
                    "no defaults for the query", paths("\"/buy\"", more: "\"defaults\":{\"?\":\"q\"},"), "/buy", nil,
                    .matched()
                ),
                ("one that is no string is skipped", paths("5,\"/buy\""), "/buy", nil, .matched(component: 1)),
                ("a request mark", paths("\"/b?y\""), "/buy", nil, .matched()),
                (
                    "components win",
                    "{\"details\":[{\"appID\":\"\(a)\",\"paths\":[\"*\"],\"components\":[{\"/\":\"/x\"}]}]}", "/y",
                    nil, .unmatched
                ),
                (
                    "components win, even empty",
                    "{\"details\":[{\"appID\":\"\(a)\",\"paths\":[\"*\"],\"components\":[]}]}", "/y", nil,
                    .unmatched
                ),
                (
                    "components of another kind do not",
                    "{\"details\":[{\"appID\":\"\(a)\",\"paths\":[\"*\"],\"components\":{}}]}", "/y",
                    nil, .matched()
                ),
                ("dictionary", "{\"details\":{\"\(a)\":{\"paths\":[\"/buy\"]}}}", "/buy", nil, .matched()),
                (
                    "dictionary, the second app",
                    "{\"details\":{\"\(b)\":{\"paths\":[\"NOT *\"]},\"\(a)\":{\"paths\":[\"/buy\"]}}}", "/buy",
                    nil, .matched(detail: 1)
                ),
                (
                    "dictionary, the app that is asked for",
                    "{\"details\":{\"\(b)\":{\"paths\":[\"NOT *\"]},\"\(a)\":{\"paths\":[\"*\"]}}}",
                    "/buy", b, .blocked(b)
                ),
                (
                    "dictionary with an entry of another kind",
                    "{\"details\":{\"\(b)\":5,\"\(a)\":{\"paths\":[\"*\"]}}}", "/", nil, .matched(detail: 1)
                ),
                (
                    "dictionary with components", "{\"details\":{\"\(a)\":{\"components\":[{\"/\":\"/buy\"}]}}}",
                    "/buy", nil, .matched()
                ),
            ])
    }()
}
