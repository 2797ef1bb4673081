import HTTPSClient
import Testing

@testable import AssociationChecker

@Suite("The comparison of two files")
struct ComparisonTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let before: String
        let after: String
        let changes: [String]
        var testDescription: String { name }

        init(_ name: String, _ before: String, _ after: String, _ changes: [String]) {
            (self.name, self.before, self.after, self.changes) = (name, before, after, changes)
        }
    }

    private static func links(_ component: String, detail: String = "", applinks: String = "") -> String {
        "{\"applinks\":{\(applinks)\"details\":[{\"appIDs\":[\"\(demoApp)\"],\(detail)\"components\":[\(component)]}]}}"
    }

    private static func paths(_ paths: String, detail: String = "") -> String {
        "{\"applinks\":{\"details\":[{\"appID\":\"\(demoApp)\",\(detail)\"paths\":[\(paths)]}]}}"
    }

    private static func twoDetails(_ apps: String) -> String {
        let first = "{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"/a\"}]}"
        return "{\"applinks\":{\"details\":[\(first),{\"appIDs\":[\(apps)],\"components\":[{\"/\":\"/b\"}]}]}}"
    }

    private static func rule(_ before: String, _ after: String) -> [String] {
        ["rule \(demoApp): \(before) -> nil", "rule \(demoApp): nil -> \(after)"]
    }

    private static let plain = links("{\"/\":\"/a\"}")
    private static let soup = "\"substitutionVariables\":{\"food\":[\"soup\"]},"
    private static let tea = "\"substitutionVariables\":{\"food\":[\"tea\",\"soup\"]},"

    static let defaults: [Case] = [
        Case(
            "a default of the detail excludes", plain,
            links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"exclude\":true},"),
            ["device", "documented", "ios9"].map { "verdict \($0): associated -> denied" }
                + rule("{\"/\":\"/a\"}", "{\"/\":\"/a\",\"exclude\":true}")),
        Case(
            "a default of applinks ends case", plain,
            links("{\"/\":\"/a\"}", applinks: "\"defaults\":{\"caseSensitive\":false},"),
            rule("{\"/\":\"/a\"}", "{\"/\":\"/a\",\"caseSensitive\":false}")),
        Case(
            "a default pattern", links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"?\":{\"b\":\"1\"}},"),
            links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"?\":{\"b\":\"2\"}},"),
            rule("{\"/\":\"/a\",\"?\":{\"b\":\"1\"}}", "{\"/\":\"/a\",\"?\":{\"b\":\"2\"}}")),
        Case(
            "the default of the detail wins", links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"#\":\"x\"},"),
            links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"#\":\"x\"},", applinks: "\"defaults\":{\"#\":\"y\"},"), []),
        Case(
            "a default that the component has itself", links("{\"/\":\"/a\",\"exclude\":true}"),
            links("{\"/\":\"/a\",\"exclude\":true}", detail: "\"defaults\":{\"exclude\":true},"), []),
        Case(
            "a value moves from the component to the defaults", links("{\"/\":\"/a\",\"exclude\":true}"),
            links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"exclude\":true},"), []),
        Case(
            "a value that holds anyway", plain,
            links("{\"/\":\"/a\",\"caseSensitive\":true,\"percentEncoded\":true,\"exclude\":false}"), []),
        Case(
            "a default that is no boolean", plain,
            links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"exclude\":\"true\"},"), []),
        Case(
            "a key that is none of a component's", plain,
            links("{\"/\":\"/a\"}", detail: "\"defaults\":{\"appIDs\":[]},"), []),
        Case(
            "legacy paths have the flags", paths("\"/a\""),
            paths("\"/a\"", detail: "\"defaults\":{\"caseSensitive\":false,\"?\":\"b\"},"),
            rule("\"/a\"", "\"/a\" {\"caseSensitive\":false}")),
        Case(
            "NOT is sensitive to case by itself", paths("\"NOT /a\""),
            paths("\"NOT /a\"", detail: "\"defaults\":{\"caseSensitive\":false,\"exclude\":true},"), []),
        Case(
            "an app that is named twice in a detail", plain,
            plain.replacing("[\"\(demoApp)\"]", with: "[\"\(demoApp)\",\"\(demoApp)\"]"), []),
        Case(
            "an app that is named twice in a later detail", twoDetails("\"\(demoApp)\""),
            twoDetails("\"\(demoApp)\",\"\(demoApp)\""), []),
        Case(
            "a components that is no array leaves the paths", paths("\"/a\""),
            paths("\"/a\"", detail: "\"components\":{},"),
            []),
    ]

    static let variables: [Case] = [
        Case(
            "a value of a variable that is used", links("{\"/\":\"/$(food)\"}", applinks: soup),
            links("{\"/\":\"/$(food)\"}", applinks: tea), ["variable food: [\"soup\"] -> [\"soup\",\"tea\"]"]),
        Case(
            "one that a query item uses", links("{\"?\":{\"a\":\"$(food)\"}}", applinks: soup),
            links("{\"?\":{\"a\":\"$(food)\"}}", applinks: tea), ["variable food: [\"soup\"] -> [\"soup\",\"tea\"]"]),
        Case(
            "one that the defaults use", links("{}", detail: "\"defaults\":{\"#\":\"$(food)\"},", applinks: soup),
            links("{}", detail: "\"defaults\":{\"#\":\"$(food)\"},", applinks: tea),
            ["variable food: [\"soup\"] -> [\"soup\",\"tea\"]"]),
        Case(
            "one that comes to be defined", links("{\"/\":\"/$(food)\"},{\"/\":\"/a\"}"),
            links("{\"/\":\"/$(food)\"},{\"/\":\"/a\"}", applinks: soup), ["variable food: nil -> [\"soup\"]"]),
        Case(
            "one that nothing uses", links("{\"/\":\"/a\"}", applinks: soup), links("{\"/\":\"/a\"}", applinks: tea),
            ["variable food: [\"soup\"] -> [\"soup\",\"tea\"]"]),
        Case(
            "another order of its values",
            links("{\"/\":\"/$(food)\"}", applinks: "\"substitutionVariables\":{\"food\":[\"soup\",\"tea\"]},"),
            links("{\"/\":\"/$(food)\"}", applinks: tea), []),
        Case(
            "one with the name of a built-in one",
            links("{\"/\":\"/$(lang)\"}", applinks: "\"substitutionVariables\":{\"lang\":[\"a\"]},"),
            links("{\"/\":\"/$(lang)\"}", applinks: "\"substitutionVariables\":{\"lang\":[\"b\"]},"), []),
    ]

    static let rules: [Case] = [
        Case(
            "a rule is added at the end", plain, links("{\"/\":\"/a\"},{\"/\":\"/b\"}"),
            ["rule \(demoApp): nil -> {\"/\":\"/b\"}"]),
        Case(
            "a rule is added at the beginning", plain, links("{\"/\":\"/b\"},{\"/\":\"/a\"}"),
            ["rule \(demoApp): nil -> {\"/\":\"/b\"}"]),
        Case(
            "the last rule is removed", links("{\"/\":\"/a\"},{\"/\":\"/b\"}"), plain,
            ["rule \(demoApp): {\"/\":\"/b\"} -> nil"]),
        Case(
            "one of two equal rules is removed", links("{\"/\":\"/a\"},{\"/\":\"/a\"}"), plain,
            ["rule \(demoApp): {\"/\":\"/a\"} -> nil"]),
        Case(
            "two rules change places", links("{\"/\":\"/a\"},{\"/\":\"/b\"}"),
            links("{\"/\":\"/b\"},{\"/\":\"/a\"}"), ["order \(demoApp) {\"/\":\"/a\"}: 1 -> 2"]),
        Case(
            "a rule in the middle is replaced", links("{\"/\":\"/a\"},{\"/\":\"/b\"},{\"/\":\"/c\"}"),
            links("{\"/\":\"/a\"},{\"/\":\"/x\"},{\"/\":\"/c\"}"), rule("{\"/\":\"/b\"}", "{\"/\":\"/x\"}")),
        Case("the same rules", links("{\"/\":\"/a\"},{\"/\":\"/b\"}"), links("{\"/\":\"/a\"},{\"/\":\"/b\"}"), []),
    ]

    @Test("The rules of two files are compared in order", arguments: rules)
    func ruleChanges(_ test: Case) { effect(test) }

    @Test("Up to 1,000 rules, each moved rule is reported, and above only the first", arguments: [1_000, 1_001])
    func orderLimit(_ count: Int) {
        let rules = (0..<count).map { "{\"/\":\"/\($0)\"}" }
        let moved = [rules[count - 1], rules[1]] + rules[2..<count - 1] + [rules[0]]
        let found = changes(Self.links(rules.joined(separator: ",")), Self.links(moved.joined(separator: ",")))
        #expect(found.map(\.kind) == Array(repeating: .order, count: count == 1_000 ? 2 : 1))
    }

    private func comparison(_ before: String, _ after: String) -> Comparison {
        let checker = Checker(CheckRequest(), at: 1_700_000_000)
        return Comparison(
            checker.check(file: Array(before.utf8), name: "before"),
            checker.check(file: Array(after.utf8), name: "after"))
    }

    private func changes(_ before: String, _ after: String) -> [Comparison.Change] {
        comparison(before, after).changes
    }

    private static let drink = soup.replacing("food", with: "drink")

    static let rewritten: [(before: String, after: String, isSame: Bool)] = [
        (paths("\"NOT /a/b\",\"/a/*\""), links("{\"/\":\"/a/b\",\"exclude\":true},{\"/\":\"/a/*\"}"), true),
        (plain, links("{\"/\":\"/a\",\"?\":{\"x\":\"*\"}}"), true),
        (links("{}"), links("{\"/\":\"*\",\"#\":\"*\"}"), true),
        (links("{\"/\":\"/*?\"}"), links("{\"/\":\"/?*\"}"), true),
        (
            links("{\"/\":\"/a\",\"caseSensitive\":false}"), links("{\"/\":\"/A\",\"caseSensitive\":false}"), true
        ),
        (links("{\"/\":\"/$(food)\"}", applinks: soup), links("{\"/\":\"/soup\"}"), true),
        (links("{\"/\":\"/$(food)\"}", applinks: soup), links("{\"/\":\"/$(drink)\"}", applinks: drink), true),
        (
            links("{\"/\":\"/$(food)\"}", applinks: soup),
            links("{\"/\":\"/$(drink)\"}", applinks: drink.replacing("soup", with: "tea")), false
        ),
        (links("{\"/\":\"/$(food)\"}", applinks: tea), links("{\"/\":\"/soup\"}"), false),
        (links("{\"/\":\"/soup\"}"), links("{\"/\":\"/$(food)\"}", applinks: tea), false),
        (plain, links("{\"/\":\"/A\"}"), false), (plain, links("{\"/\":\"/a\",\"exclude\":true}"), false),
        (plain, links("{\"/\":\"/a\"},{\"/\":\"/b\"}"), false), (plain, plain, false),
        (plain, plain.replacing(demoApp, with: "D3KQX62K1A.com.example.Other"), false),
        (links("{\"/\":\"/a/*\"}"), links("{\"/\":\"/a/?*\"}"), false),
        (links("{\"/\":\"/a/?*\"}"), links("{\"/\":\"/a/*\"}"), false),
        (links("{\"/\":\"/a\",\"?\":{\"x\":\"1\"}}"), plain, false),
    ]

    @Test("Rules that are only written differently have the same result", arguments: rewritten)
    func sameResults(before: String, after: String, isSame: Bool) {
        let same = Comparison.Change(kind: .rule, subject: demoApp, before: nil, after: nil)
        #expect(comparison(before, after).unchanged == (isSame ? [same] : []))
    }

    @Test("A comparison covers the effect of the rules, not their spelling", arguments: defaults + variables)
    func effect(_ test: Case) {
        let found = changes(test.before, test.after).map { change in
            "\(change.kind.rawValue) \(change.subject): \(change.before ?? "nil") -> \(change.after ?? "nil")"
        }
        #expect(found == test.changes)
    }

    @Test("Each URL is matched for each app that either file lists")
    func urls() throws {
        let other = "D3KQX62K1A.com.example.Other"
        let after = Self.links("{\"/\":\"/b\"}").replacing("\"\(demoApp)\"", with: "\"\(demoApp)\",\"\(other)\"")
        let checker = Checker(CheckRequest(), at: 1_700_000_000)
        let comparison = Comparison(
            checker.check(file: Array(Self.plain.utf8), name: "before"),
            checker.check(file: Array(after.utf8), name: "after"),
            urls: try ["https://example.com/a", "https://example.com/x"].map { try WebURL($0) })
        func lines(_ changes: [Comparison.Change]) -> [String] {
            changes.filter { $0.kind == .url }.map { "\($0.subject): \($0.before ?? "") -> \($0.after ?? "")" }
        }
        #expect(lines(comparison.changes) == ["https://example.com/a \(demoApp): matched -> unmatched"])
        #expect(
            lines(comparison.unchanged) == [
                "https://example.com/a \(other): unmatched -> unmatched",
                "https://example.com/x \(demoApp): unmatched -> unmatched",
                "https://example.com/x \(other): unmatched -> unmatched",
            ])
    }

    @Test("Large defaults of many rules are stored once, and truncated in messages")
    func largeDefaults() {
        let components = Array(repeating: "{}", count: 2_000).joined(separator: ",")
        let fragments = ["a", "b"].map { letter in
            "\"defaults\":{\"#\":\"\(String(repeating: "x", count: 60_000))\(letter)\"},"
        }
        let found = changes(
            Self.links(components, detail: fragments[0]), Self.links(components, detail: fragments[1]))
        #expect(found.filter { $0.kind == .rule }.count == 4_000)
        #expect(found.allSatisfy { max($0.before?.utf8.count ?? 0, $0.after?.utf8.count ?? 0) < 300 })
    }

    @Test("The comparison of many moved rules has a limit")
    func manyRules() {
        let components = (0..<1_500).map { "{\"/\":\"/\($0)\"}" }
        let found = changes(
            Self.links(components.joined(separator: ",")), Self.links(components.reversed().joined(separator: ",")))
        #expect(found.map(\.kind) == [.order])
        #expect(found.first.map { [$0.before, $0.after] } == ["1", "1500"])
        let others = (0..<1_500).map { "{\"/\":\"/x\($0)\"}" }
        let replaced = changes(
            Self.links(components.joined(separator: ",")), Self.links(others.joined(separator: ",")))
        #expect(replaced.map(\.kind) == Array(repeating: .rule, count: 3_000))
    }
}
