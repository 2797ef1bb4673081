import AssociationDiagnostics
import Foundation
import TestSupport
import Testing

@testable import HTTPSClient
@testable import SourceJSON
@testable import UniversalLinks

/// `LINK_INCLUSION_PATTERNS=1000` compares 1,000,000 pairs, and `LINK_RULE_SETS=10000` tries 10,000 rule sets.
@Suite("A rule is unreachable exactly if an earlier rule matches all its URLs")
struct RuleInclusionTests {
    private static func count(_ name: String, _ usual: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
    }

    private static let variables = ["v": ["a", "ba"], "w": ["b*", ""]]
    private static let pieces = ["a", "b", "/", "*", "?", "a", "/", "*", "?", "$(v)", "$(w)", "?*"]

    /// The normalized paths of at most six characters after the slash, with one letter that no pattern contains.
    private static let paths: [String] = {
        var paths = ["/"]
        var longest = [""]
        for _ in 0..<6 {
            longest = longest.flatMap { text in ["a", "b", "c", "/"].map { text + $0 } }.filter {
                !$0.hasPrefix("/") && !$0.contains("//")
            }
            paths += longest.filter { !$0.hasSuffix("/") }.map { "/" + $0 }
        }
        return paths
    }()

    @Test("The decision on two patterns agrees with the enumeration of short paths")
    func enumeration() throws {
        var generator = SeededGenerator(seed: 31)
        var compiler = try compiler()
        var matched: [[UInt64]] = []
        var patterns: [String] = []
        let count = Self.count("LINK_INCLUSION_PATTERNS", 60)
        compiler.beginDetail(of: count)
        for index in 0..<count {
            let pattern = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                Self.pieces[Int.random(in: Self.pieces.indices, using: &generator)]
            }.joined()
            patterns.append(pattern)
            matched.append(bits(pattern))
            let location = SourceJSON.SourceLocation(line: 1, column: 1, offset: 0)
            compiler.addPath(
                pattern, RuleCompiler.Values(own: nil, defaults: [:]),
                CompiledLinks.Origin(index: index, detail: 0, location: location, isLegacy: true))
        }
        _ = compiler.endDetail()
        let links = compiler.links
        var found = 0
        for (inner, set) in matched.enumerated() {
            var inclusion = RuleInclusion(workLimit: .max)
            for (outer, other) in matched.enumerated() {
                let expected = zip(set, other).allSatisfy { $0 & ~$1 == 0 }
                let decided = inclusion.contains(links.rules[inner], in: links.rules[outer], links)
                if decided { found += 1 }
                if decided != expected { #expect(decided == expected, "\(patterns[inner]) in \(patterns[outer])") }
            }
        }
        #expect(found > count)
    }

    private func compiler() throws -> RuleCompiler {
        let lists = Self.variables.map { name, values in
            "\"\(name)\":[\(values.map { "\"\($0)\"" }.joined(separator: ","))]"
        }
        let object = try JSONDocument(Array("{\(lists.joined(separator: ","))}".utf8)).root
        return RuleCompiler(SubstitutionVariables(object), host: nil)
    }

    /// Returns which of the paths a pattern matches, as bits.
    private func bits(_ pattern: String) -> [UInt64] {
        var words = [UInt64](repeating: 0, count: Self.paths.count / 64 + 1)
        for (index, path) in Self.paths.enumerated()
        where MatchingReference.matches(path: path, pattern: pattern, variables: Self.variables) {
            words[index / 64] |= 1 << UInt64(index % 64)
        }
        return words
    }

    // MARK: Rules

    @Test(
        "The parts, their defaults and their cases count",
        arguments: [
            (#"{"/":"/a/*"}"#, #"{"/":"/a/b","?":{"x":"1"}}"#, true),
            (#"{"/":"/a/*","?":{"x":"?*"}}"#, #"{"/":"/a/b"}"#, false),
            (#"{"/":"/a/*","?":{"x":"?*"}}"#, #"{"/":"/a/b","?":{"x":"1","y":"2"}}"#, true),
            (#"{"/":"/a/*","?":{"x":"?*"}}"#, #"{"/":"/a/b","?":"x=1"}"#, false),
            (#"{"/":"/a/*","?":"x=*"}"#, #"{"/":"/a/b","?":"x=1"}"#, true),
            (##"{"/":"/a/*","#":"?*"}"##, ##"{"/":"/a/b","#":"top"}"##, true),
            (##"{"/":"/a/*","#":"top"}"##, ##"{"/":"/a/b","#":"t*"}"##, false),
            (#"{"/":"/a/*"}"#, #"{"/":"/A/b","caseSensitive":false}"#, false),
            (#"{"/":"/h"}"#, #"{"/":"/h","caseSensitive":false}"#, false),
            (#"{"/":"/A/*","caseSensitive":false}"#, #"{"/":"/a/b"}"#, true),
            (#"{"/":"/A/*","caseSensitive":false}"#, #"{"/":"/a/B","caseSensitive":false}"#, true),
            (#"{"/":"/$(lang)/*"}"#, #"{"/":"/de/help"}"#, true), (#"{"/":"/$(lang)/*"}"#, #"{"/":"/xx/help"}"#, false),
            (#"{"/":"/??/*"}"#, #"{"/":"/$(region)/help"}"#, true),
            (#"{"/":"/$(alnum)*"}"#, #"{"/":"/$(digit)/b"}"#, true),
            (#"{"/":"/$(digit)*"}"#, #"{"/":"/$(alnum)/b"}"#, false),
            (#"{"/":"/a/*","percentEncoded":false}"#, #"{"/":"/a/b"}"#, false),
            (#"{"/":"/?*"}"#, #"{"/":"/*"}"#, false), (#"{"/":"/?*"}"#, #"{"/":"/a*"}"#, true),
            (#"{"/":"/a/?*"}"#, #"{"/":"/a/*"}"#, false), (#"{"/":"/*/b"}"#, #"{"/":"/?*/b"}"#, true),
            (#"{"/":"/?*/b"}"#, #"{"/":"/*/b"}"#, true),
        ])
    func rules(_ earlier: String, _ later: String, _ isUnreachable: Bool) throws {
        let links = try UniversalLinks(json: "{\"details\":[{\"appID\":\"A\",\"components\":[\(earlier),\(later)]}]}")
        let kinds = links.issues.map(\.kind)
        let location = links.apps.isEmpty ? nil : links.issues.first?.location
        #expect((location != nil && kinds.count == 1) == isUnreachable, "\(kinds)")
        guard isUnreachable else { return }
        guard case .repeated = kinds.first else {
            Issue.record("\(kinds)")
            return
        }
    }

    @Test("An exclusion after a rule that matches more URLs is unreachable, also in a later detail of the app")
    func exclusions() throws {
        let one = try UniversalLinks(json: #"{"details":[{"appID":"A","paths":["/room/*","NOT /room/admin/*"]}]}"#)
        let two = try UniversalLinks(
            json: #"{"details":[{"appID":"A","paths":["/room/*"]},{"appID":"A","paths":["NOT /room/admin/*"]}]}"#)
        for links in [one, two] {
            let issue = try #require(links.issues.first)
            #expect(issue.problem.contains("the rule at") && issue.problem.hasSuffix("matches all its URLs"))
            #expect(issue.fix == "Move it before that rule")
            #expect(issue.kind.entry.diagnostic.code == "links-rule-unreachable")
        }
        let other = try UniversalLinks(
            json: #"{"details":[{"appID":"A","paths":["/room/*"]},{"appID":"B","paths":["NOT /room/admin/*"]}]}"#)
        #expect(other.issues.isEmpty)
    }

    @Test("A rule that can never take effect has an issue at its location")
    func reach() throws {
        let json = """
            {"details":[
            {"appIDs":["A","B"],"components":[
            {"/":"/a"},
            {"/":"/a/","exclude":true},
            {"/":"/a","?":"b"},
            {"/":"*"},
            {"/":"/c"},
            {}]},
            {"appID":"A","paths":["/d"]},
            {"appIDs":["A","C"],"paths":["/d"]}]}
            """
        let issues = try UniversalLinks(json: json).issues
        #expect(issues.map(\.location.line) == [4, 5, 7, 9])
        let lines = [3, 3, 6, 6]
        for (issue, line) in zip(issues, lines) {
            switch issue.kind {
            case .repeated(let place, _, _), .detailAfterCatchAll(let place, _): #expect(place.line == line)
            case .afterCatchAll(let place, let count, _, _): #expect(place.line == line && count == 2)
            case _: Issue.record("\(issue.kind) is not an issue about reachability")
            }
        }
    }

    @Test(
        "The fix of rules after a rule that matches every URL keeps the exclusions",
        arguments: [
            (#""paths":["*","/b","NOT /a"]"#, "Put narrower rules first, and the path that matches every URL last"),
            (
                #""components":[{"exclude":true},{"/":"/a"}]"#,
                "Put narrower rules first, and the component that matches every URL last"
            ),
            (#""paths":["NOT *","NOT /a"]"#, "Remove it; the outcome for every URL stays the same"),
            (#""components":[{},{"/":"/a"},{"/":"/b"}]"#, "Remove them; the outcome for every URL stays the same"),
        ])
    func afterCatchAll(rules: String, fix: String) throws {
        let issues = try UniversalLinks(json: "{\"details\":[{\"appID\":\"A\",\(rules)}]}").issues
        #expect(issues.first { $0.problem.hasSuffix("matches every URL") }?.fix == fix)
    }

    @Test(
        "An exclusion that comes too late for some of its apps names them",
        arguments: [
            (#"["A"],"components":[{"/":"/*"}]"#, #"{"/":"/x/*","exclude":true},{"/":"/*"}"#, "for A:"),
            (
                #"["C","A"],"paths":["/x*"]"#, #"{"/":"/x/*","exclude":true},{"/":"/y"}"#,
                "for A and 1 more of its apps:"
            ),
            // The author probably wants the same URLs to open one app and not another.
            (#"["A"],"paths":["/x/*"]"#, #"{"/":"/x/*","exclude":true},{"/":"/*"}"#, nil),
            (#"["A"],"paths":["/x/y"]"#, #"{"/":"/x/*","exclude":true},{"/":"/*"}"#, nil),
            (#"["A"],"paths":["NOT /x/*","*"]"#, #"{"/":"/x/*","exclude":true},{"/":"/*"}"#, nil),
            (#"["D"],"paths":["*"]"#, #"{"/":"/x/*","exclude":true},{"/":"/*"}"#, nil),
            (#"["A"],"paths":["*"]"#, #"{"/":"/x/*"}"#, nil),
        ] as [(String, String, String?)])
    func lateExclusion(earlier: String, components: String, apps: String?) throws {
        let json = #"""
            {"details":[
            {"appIDs":\#(earlier)},
            {"appIDs":["A","B","C"],"components":[\#(components)]}]}
            """#
        let issues = try UniversalLinks(json: json).issues
        #expect(issues.map(\.location.line) == (apps == nil ? [] : [3]))
        #expect(issues.allSatisfy { $0.problem.contains(" \(apps ?? "") the rule at line 2, column") })
    }

    @Test("Thousands of rules, long patterns and large variables do not delay the decision")
    func hostile() throws {
        let rules = (0..<1_000).map { "{\"/\":\"/*\($0)*a*b*\",\"?\":{\"x\":\"*\($0)\"}}" }
        let stars = (0..<60).map { "{\"/\":\"/\(String(repeating: "*a?", count: 200 + $0))\"}" }
        let codes = (0..<200).map { "{\"/\":\"/$(lang)/$(region)/$(lang)*$(region)/\($0)*\"}" }
        for components in [rules, stars, codes] {
            let links = try UniversalLinks(
                json: "{\"details\":[{\"appID\":\"A\",\"components\":[\(components.joined(separator: ","))]}]}")
            #expect(links.issues.count < components.count)
        }
    }

    @Test("Beyond the work limit, the issues are the same each time")
    func limit() throws {
        let rules = (0..<100).map { number in
            let parts = (0..<20).map { ["a", "b", "?"][(number >> $0) % 3] + ((number + $0) % 2 == 0 ? "" : "*") }
            return "{\"/\":\"/a*\",\"?\":{\"x\":\"*\(parts.joined())\"}}"
        }
        let components = rules.map { "\($0),\($0)" }.joined(separator: ",")
        let json = "{\"details\":[{\"appID\":\"A\",\"components\":[\(components)]}]}"
        let counts = try (0..<4).map { _ in try UniversalLinks(json: json).issues.count }
        #expect(Set(counts).count == 1 && (1..<100).contains(counts[0]), "\(counts)")
    }

    // MARK: Rule sets

    private static let segments = [
        "buy", "room", "admin", "help", "*", "?*", "$(lang)", "42", "item-*", "$(digit)*", "a?c", "*.html", "new",
    ]

    @Test("No rule that is reported as unreachable decides the outcome for a URL")
    func ruleSets() throws {
        var generator = SeededGenerator(seed: 32)
        var reported = 0
        for _ in 0..<Self.count("LINK_RULE_SETS", 200) {
            let rules = (0..<Int.random(in: 2...8, using: &generator)).map { _ in rule(&generator) }
            let json = "{\"details\":[{\"appID\":\"A\",\"components\":[\(rules.joined(separator: ","))]}]}"
            let links = try UniversalLinks(json: json)
            let unreachable = Set(
                links.issues.compactMap { issue -> SourceJSON.SourceLocation? in
                    guard case .repeated = issue.kind else { return nil }
                    return issue.location
                })
            reported += unreachable.count
            for _ in 0..<20 {
                let url = try WebURL("https://example.com\(address(&generator))")
                let match = links.match(url)
                if let location = match.location, unreachable.contains(location) {
                    Issue.record("\(json) reports \(location), which decides \(url)")
                }
            }
        }
        #expect(reported > 0)
    }

    private func rule(_ generator: inout SeededGenerator) -> String {
        let path = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            "/" + (Self.segments.randomElement(using: &generator) ?? "")
        }.joined()
        var members = ["\"/\":\"\(path)\""]
        let query = ["1", "?*", "42", "*1"].randomElement(using: &generator) ?? ""
        if Int.random(in: 0..<3, using: &generator) == 0 { members.append("\"?\":{\"id\":\"\(query)\"}") }
        if Int.random(in: 0..<4, using: &generator) == 0 { members.append("\"#\":\"\(query)\"") }
        if Int.random(in: 0..<3, using: &generator) == 0 { members.append("\"exclude\":true") }
        if Int.random(in: 0..<5, using: &generator) == 0 { members.append("\"caseSensitive\":false") }
        return "{\(members.joined(separator: ","))}"
    }

    private func address(_ generator: inout SeededGenerator) -> String {
        let path = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
            let segment = Self.segments.randomElement(using: &generator) ?? ""
            return "/"
                + segment.replacing("$(lang)", with: "de").replacing("$(digit)", with: "7").replacing("?", with: "b")
                .replacing("*", with: ["", "x", "1/2"].randomElement(using: &generator) ?? "")
        }.joined()
        let query = ["", "?id=1", "?id=42", "?id=", "?x=1&id=11"].randomElement(using: &generator) ?? ""
        return path + query + (["", "#1", "#42"].randomElement(using: &generator) ?? "")
    }
}
