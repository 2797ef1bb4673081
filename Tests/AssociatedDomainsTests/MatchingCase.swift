import Testing

@testable import SourceJSON
@testable import UniversalLinks

/// A URL, a file, and the device's expected decision, with the rule from associated-domains.md.
struct MatchingCase: CustomTestStringConvertible, Sendable {
    enum Expectation: Equatable {
        case matched(String = app, detail: Int = 0, component: Int = 0)
        case blocked(String = app, detail: Int = 0, component: Int = 0)
        case unmatched
    }

    static let app = "ABCDE12345.com.example.a"

    let name: String
    let source: String
    /// The value of the service `applinks`.
    let applinks: String
    let url: String
    let asked: String?
    let expected: Expectation

    var testDescription: String { "\(name) — \(source) — \(applinks.prefix(300)) with \(url)" }

    init(
        _ name: String, source: String, applinks: String, url: String, app: String? = nil, _ expected: Expectation
    ) {
        (self.name, self.source, self.applinks, self.url) = (name, source, applinks, url)
        (asked, self.expected) = (app, expected)
    }

    /// Creates cases for a file with one component.
    static func component(
        _ source: String, _ rows: [(name: String, component: String, url: String, matches: Bool)]
    ) -> [MatchingCase] {
        rows.map { row in
            MatchingCase(
                row.name, source: source, applinks: details("[\(row.component)]"),
                url: "https://example.com" + row.url, row.matches ? .matched() : .unmatched)
        }
    }

    /// Creates cases for a file with one component that contains only a path.
    static func path(
        _ source: String, _ rows: [(name: String, pattern: String, path: String, matches: Bool)]
    ) -> [MatchingCase] {
        component(source, rows.map { ($0.name, "{\"/\":\"\($0.pattern)\"}", $0.path, $0.matches) })
    }

    /// Returns a file for one app.
    static func details(_ components: String) -> String {
        "{\"details\":[{\"appIDs\":[\"\(app)\"],\"components\":\(components)}]}"
    }

    func links() throws -> UniversalLinks {
        UniversalLinks(try #require(try JSONDocument(Array(applinks.utf8)).root.object))
    }
}

extension UniversalLinks {
    /// Parses links from JSON.
    init(json: String, workLimit: Int = UniversalLinks.workLimit) throws {
        self.init(try #require(try JSONDocument(Array(json.utf8)).root.object), workLimit: workLimit)
    }
}

extension MatchingCase.Expectation {
    init(_ match: UniversalLinks.Match) {
        self =
            switch (match.outcome, match.app, match.detail, match.component) {
            case (.matched, let app?, let detail?, let component?):
                .matched(app, detail: detail, component: component)
            case (.blocked, let app?, let detail?, let component?):
                .blocked(app, detail: detail, component: component)
            case (.unmatched, nil, nil, nil): .unmatched
            case _: .blocked("no outcome is like \(match)", detail: -1, component: -1)
            }
    }
}
