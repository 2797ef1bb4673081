/// The issues with universal links. The cases for matching are in separate tables.
enum LinkCases {
    static let all: [CheckCase] = [
        links("a good detail", detail("{\"/\":\"/buy/*\"}"), []),
        links("no details", "", ["links-without-details"], verdicts: "DDDD"),
        links(
            "a detail without apps", "{\"components\":[{\"/\":\"*\"}]}", ["links-detail-without-apps"],
            verdicts: "DDDD"),
        links(
            "appID beside appIDs",
            "{\"appID\":\"\(demoApp)\",\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"/a\"}]}",
            ["links-app-id-ignored"]),
        links(
            "an app twice", "{\"appIDs\":[\"\(demoApp)\",\"\(demoApp)\"],\"components\":[{\"/\":\"/a\"}]}",
            ["app-twice"]),
        links(
            "paths beside components",
            "{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"/a\"}],\"paths\":[\"/a\"]}",
            ["links-both-generations"]),
        links(
            "neither components nor paths", "{\"appIDs\":[\"\(demoApp)\"]}", ["links-detail-without-rules"],
            verdicts: "DDDD"),
        links(
            "a dictionary", "", ["links-details-dictionary"],
            whole: "{\"\(demoApp)\":{\"paths\":[\"/a\"]}}"),
        links("no slash", detail("{\"/\":\"a/*\"}"), ["links-no-leading-slash"]),
        links("spaces", detail("{\"/\":\" * \"},{\"/\":\"/\"}"), ["links-surrounding-space"]),
        links("only spaces", detail("{\"/\":\" * \"}"), ["links-surrounding-space"], verdicts: "DDDD"),
        links("a parameter", detail("{\"/\":\"/a/:id\"}"), ["links-foreign-syntax"]),
        links("a parameter in braces", detail("{\"/\":\"/a/{user_id}\"}"), ["links-foreign-syntax"], verdicts: "DDDD"),
        links(
            "a star that excludes every URL",
            detail("{\"?\":{\"x\":\"*\"},\"exclude\":true},{\"/\":\"/a\"}"),
            ["links-matches-absent-item"], verdicts: "DDDD"),
        links(
            "a star that opens every URL", detail("{\"#\":\"*\"},{\"/\":\"/a\",\"exclude\":true}"),
            ["links-matches-absent-item"]),
        links(
            "an exclusion of every URL first", detail("{\"/\":\"*\",\"exclude\":true},{\"/\":\"/a\"}"),
            ["links-rule-unreachable"], verdicts: "DDDD"),
        links(
            "an exclusion after its folder", "{\"appID\":\"\(demoApp)\",\"paths\":[\"/a/*\",\"NOT /a/b/*\"]}",
            ["links-rule-unreachable"]),
        links("a number as pattern", detail("{\"/\":7}"), ["links-pattern-not-a-string"]),
        links("a number in a query", detail("{\"/\":\"/a\",\"?\":{\"id\":7}}"), ["links-query-void"]),
        links("an unknown variable", detail("{\"/\":\"/$(food)\"}"), ["links-unknown-variable"], verdicts: "DDDD"),
        links(
            "variables in the detail",
            detail("{\"/\":\"/$(a)\"}").dropLast() + ",\"substitutionVariables\":{\"a\":[\"b\"]}}",
            ["links-unknown-variable", "links-key-unknown"], verdicts: "DDDD"),
        links(
            "a variable that nothing uses", detail("{\"/\":\"/a\"}"), ["links-variable"],
            more: ",\"substitutionVariables\":{\"food\":[\"soup\"]}"),
        links("a misspelt key", detail("{\"/\":\"/a\",\"exlude\":true}"), ["links-key-misspelt"]),
        links("an unknown key", detail("{\"/\":\"/a\",\"owner\":\"me\"}"), ["links-key-unknown"]),
        links("a rule behind one that takes all", detail("{\"/\":\"*\"},{\"/\":\"/a\"}"), ["links-rule-unreachable"]),
        links("NOT without a space", "{\"appID\":\"\(demoApp)\",\"paths\":[\"NOT/a\"]}", ["links-not-misused"]),
        links("a whole URL", detail("{\"/\":\"https://example.com/a\"}"), ["links-whole-url"], verdicts: "DDDD"),
        links("a # before the fragment", detail("{\"/\":\"/a\",\"#\":\"#b\"}"), ["links-leading-delimiter"]),
        links("a ? before the query", detail("{\"/\":\"/a\",\"?\":\"?b=c\"}"), ["links-leading-delimiter"]),
        links(
            "a ? before the query of a default", detail("{\"/\":\"/a\"}"), ["links-leading-delimiter"],
            more: ",\"defaults\":{\"?\":\"?b=*\"}"),
        links("a query in a path", detail("{\"/\":\"/a?b=c\"}"), ["links-query-in-path"]),
        links(
            "a letter that URLs have only encoded", detail("{\"/\":\"/é\"}"), ["links-never-matches"], verdicts: "DDDD"),
        links("a text for a truth value", detail("{\"/\":\"/a\",\"exclude\":\"true\"}"), ["links-value-of-wrong-kind"]),
        links(
            "apps that are not empty", detail("{\"/\":\"/a\"}"), ["links-apps-not-empty"],
            more: ",\"apps\":[\"\(demoApp)\"]"),
    ]

    private static func detail(_ components: String) -> String {
        "{\"appIDs\":[\"\(demoApp)\"],\"components\":[\(components)]}"
    }

    private static func links(
        _ name: String, _ details: String, _ codes: Set<String>, more: String = "", verdicts: String = "AAAD",
        whole: String? = nil
    ) -> CheckCase {
        .file("links: \(name)", "{\"applinks\":{\"details\":\(whole ?? "[\(details)]")\(more)}}", verdicts, codes)
    }
}
