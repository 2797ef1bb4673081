import AssociationDiagnostics
import HTTPSClient
import Testing

@testable import UniversalLinks

/// Fixes that depend on what a file contains.
@Suite("Fixes of universal links") struct LinkFixTests {
    private static let fixes: [(rules: String, fix: String)] = [
        (
            #""components":[{"/":"/swagger.io/*"}]"#,
            #"If "swagger.io" is a folder of the site, no change is required. Otherwise, write only the path, "/*"; "#
                + "the rule applies to the host that serves the file"
        ),
        (
            #""components":[{"/":"example.com/a"}]"#,
            #"Write only the path, "/a"; the rule applies to the host that serves the file"#
        ),
        (
            #""components":[{"/":"/a?id=*"}]"#,
            #"Move the query to the "?" key of a component, and keep only the path in "/""#
        ),
        (
            #""paths":["/a?id=*","/b"]"#,
            #"Replace "paths" with "components": write each path as {"/": PATH}, a path after NOT also with "#
                + #""exclude": true, and this query in "?" beside its path"#
        ),
        (
            #""paths":["/a#top","/b"]"#,
            #"Replace "paths" with "components": write each path as {"/": PATH}, a path after NOT also with "#
                + ##""exclude": true, and this fragment in "#" beside its path"##
        ),
        (#""paths":[{"/":"/a"}]"#, #"Write its path as a string; a query or a fragment requires "components""#),
        (#""paths":[["/a"]]"#, "Remove the inner brackets"), (#""paths":[null,"/a"]"#, "Remove it"),
        (#""paths":[1]"#, "Put the pattern in straight double quotes"),
        (#""components":[{"/":["/a","/b"]}]"#, "Write one component for each pattern"),
        (#""components":[{"/":"/a","?":["x=1"]}]"#, #"Write a dictionary, such as {"id":"?*"}"#),
        (##""components":[{"/":"/a","#":{"x":"y"}}]"##, #"Write a string, such as "?*", or remove the key"#),
        (#""components":[{"/":null}]"#, #"Write a string, such as "/buy/*", or remove the key"#),
        (#""components":"/a""#, #"Write an array of objects, such as [{"/":"/buy/*"}]"#),
        (#""paths":{"/":"/a"}"#, #"Rename the key to "components", and put the object in an array"#),
        (
            #""components":[{"/":"/a"}],"paths":["/b"]"#,
            #"Add {"/": "/b"} to "components""#
        ),
        (
            #""components":[{"/":"/b","exclude":true},{"/":"/a"}],"paths":["/b"]"#,
            #"Add {"/": "/b"} to "components", before the exclusion"#
        ),
        (
            #""components":[{"/":"/a"}],"paths":["NOT /b/c","/b/*"]"#,
            #"Add the "paths" to "components" in their order, each as {"/": PATH}, after NOT also with "#
                + #""exclude": true"#
        ),
        (#""components":[{"/":"/a/*"},{"/":"/a/*"}]"#, "Remove one of the two rules"),
        (
            #""components":[{"/":"/a/*"},{"/":"/a/*","exclude":true}]"#,
            "Remove this rule to keep the outcome, or the earlier rule to reverse it"
        ),
    ]

    @Test("The fix of an issue fits the value that causes it", arguments: fixes)
    func fix(rules: String, fix: String) throws {
        let links = try UniversalLinks(json: "{\"details\":[{\"appID\":\"A\",\(rules)}]}")
        #expect(links.issues.map(\.fix).first == fix, "\(links.issues.map(\.problem))")
    }

    @Test(
        "A segment that looks like a host, or a URL within a path, does not keep a rule from matching",
        arguments: ["/swagger.io/*", "/get.app/*", "/proxy/https://*", "/a/www.b.com"])
    func folder(pattern: String) throws {
        let links = try UniversalLinks(json: #"{"details":[{"appID":"A","components":[{"/":"\#(pattern)"}]}]}"#)
        #expect(links.obstacle() == nil)
        let url = try WebURL("https://example.com" + pattern.replacing("*", with: "b"))
        #expect(links.match(url).outcome == .matched)
    }

    @Test(
        "A star is the reason for an unreachable rule only if \"?*\" makes the rule reachable",
        arguments: [
            (#"{"/":"/a/*","?":{"x":"*"}},{"/":"/a/b","exclude":true}"#, true),
            (#"{"/":"/a/*","?":{"x":"*"}},{"/":"/a/b","?":{"x":"1"},"exclude":true}"#, false),
            (##"{"/":"/c"},{"/":"/a/*","#":"*"},{"/":"/a/b","#":"top"}"##, false),
        ])
    func star(components: String, isReason: Bool) throws {
        let issues = try UniversalLinks(json: "{\"details\":[{\"appID\":\"A\",\"components\":[\(components)]}]}").issues
        #expect(issues.contains { $0.kind.entry.diagnostic.code == "links-rule-unreachable" } == !isReason)
    }
}
