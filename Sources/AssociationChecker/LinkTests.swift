import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import SourceJSON
import UniversalLinks

/// The URL tests of a site: a file named `links.tests` beside the association file.
///
///     # A comment
///     https://example.com/buy/42 → app
///     https://example.com/help   -> browser
public struct LinkTests: Sendable {
    package static let fileName = "links.tests"
    /// The maximum size in bytes. It fits 10,000 URLs of the usual length.
    package static let maximumSize = 1 << 20

    let name: String
    let bytes: [UInt8]
    private let workLimit: Int

    package init(_ bytes: [UInt8], name: String, workLimit: Int = UniversalLinks.workLimit) {
        (self.bytes, self.name, self.workLimit) = (bytes, name, workLimit)
    }

    /// Returns an issue for each line that is malformed, or whose URL does not open where the line says, and the number
    /// of the other lines.
    func run(on report: Report, for request: CheckRequest, site: SiteTarget?) -> (issues: [Issue], passed: Int) {
        let member = report.file?.root?.object?["applinks"]
        let links = member.flatMap { member in
            member.object.map { UniversalLinks($0, location: member.location, workLimit: workLimit) }
        }
        var offset = 0
        var issues: [Issue] = []
        var passed = 0
        for (index, bytes) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let location = SourceLocation(line: index + 1, column: 1, offset: offset)
            offset += bytes.count + 1
            let line = String(decoding: bytes, as: UTF8.self)
            guard line.contains(where: { !$0.isWhitespace }), !line.drop(while: \.isWhitespace).hasPrefix("#") else {
                continue
            }
            if let issue = LinkTestIssue(line, report, links, request, site) {
                issues.append(Issue(issue, in: name, at: location))
            } else {
                passed += 1
            }
        }
        return (issues, passed)
    }
}

enum LinkTestIssue: CatalogIssue {
    case malformed(line: String)
    case malformedURL(WebURL.Malformed)
    case failed(url: String, expected: String, reason: String, fix: String? = nil)

    static let examples: [LinkTestIssue] = [
        .malformed(line: "/buy"), .failed(url: "https://example.com/", expected: "app", reason: "no rule matches"),
    ]

    /// Tests a line. Returns nil if the URL opens where the line says.
    init?(_ line: String, _ report: Report, _ links: UniversalLinks?, _ request: CheckRequest, _ site: SiteTarget?) {
        let parts = line.replacing("→", with: "->").split(separator: "->", omittingEmptySubsequences: false)
        let expected = parts.last?.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard let expected, parts.count > 1, ["app", "browser"].contains(expected) else {
            self = .malformed(line: line)
            return
        }
        let text = parts.dropLast().joined(separator: "->").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        do throws(WebURL.Malformed) {
            let url = try WebURL.entered(text)
            let (app, entries, denial) = (request.apps.first?.description, request.domains, report.denial(.device))
            // With entries, the entries determine the hosts.
            let foreign = request.entries.isEmpty ? site?.foreignSentence(on: url) : nil
            let otherFix = "Correct the host, or test the URL with the file of its own host"
            let obstacle =
                foreign.map { LinkObstacle(kind: .noEntry, app: app, reason: $0, fix: otherFix) }
                ?? LinkObstacle.first(
                    for: url, app: app, entries: entries.isEmpty ? nil : entries,
                    denial: denial.map { ($0.code, $0.message) }, denialFix: denial?.fix.clause, links: links)
            guard (obstacle == nil) != (expected == "app") else { return nil }
            let tried = links?.explain(url, app: app) ?? []
            let rule = obstacle == nil ? tried.last { $0.outcome == .matched } : nil
            let decision = rule.map { "the rule at \($0.location) decides: \($0.sentence)" }
            var (reason, fix) = (obstacle?.reason ?? decision ?? "", String?.none)
            if let rule, let (path, location) = tried.lazy.compactMap(\.excludedFolder).first {
                reason += "; the exclusion at \(location) matches only \(path)"
                let pattern = JSONText.quote((rule.isLegacy ? "NOT " : "") + path + "/*")
                let added = rule.isLegacy ? pattern : "{\"/\":\(pattern),\"exclude\":true}"
                fix = "Add \(added) before the rule at \(rule.location)"
            } else if let rule, let (part, name) = rule.absentPart(in: url) {
                reason += "; the URL has no \(name), and * also matches an absent one"
                let pattern = JSONText.quote(part.pattern)
                fix = "Write \"?*\" instead of \(pattern) for the \(name) in the rule at \(rule.location)"
            } else if let rule, let late = report.lateExclusion(of: url, after: rule.location) {
                reason += "; the exclusion at \(late) comes too late"
                fix = "Put the exclusion at \(late) before the rule at \(rule.location)"
            } else if let obstacle, obstacle.kind != .excluded {
                fix = obstacle.fix
            }
            self = .failed(url: text, expected: expected, reason: reason, fix: fix)
        } catch {
            self = .malformedURL(error)
        }
    }

    var entry: CatalogEntry {
        switch self {
        case .malformed(let line): malformed("\(line.excerpt) is not a URL test", "Write: URL → app, or: URL → browser")
        case .malformedURL(let error): malformed(error.problem, error.fix)
        case .failed(let url, let expected, let reason, let fix):
            row(
                "links-test-failed", "Each URL in links.tests opens where its line says.",
                "The author of the file expects it.", "https://example.com/help → app",
                fixed: "https://example.com/help → browser",
                problem: "\(url) does not open in the \(expected): \(reason)",
                fix: fix ?? "Change the rule, or the expectation in \(LinkTests.fileName)")
        }
    }

    private func malformed(_ problem: String, _ fix: String) -> CatalogEntry {
        row(
            "links-test-malformed", "Each line of links.tests has a URL, an arrow, and app or browser.",
            "Other lines cannot be tested.", "https://example.com/buy/1 app", fixed: "https://example.com/buy/1 → app",
            problem: problem, fix: fix)
    }

    private func row(
        _ code: String, _ text: String, _ reason: String, _ example: String, fixed: String, problem: String, fix: String
    ) -> CatalogEntry {
        CatalogEntry(
            code, text, because: reason, .all(.denial), .linkTests, example: example, fixed: fixed, problem: problem,
            fix: fix)
    }
}

extension Report {
    /// Returns the location of an exclusion of the URL that has no effect after the deciding rule of the same detail.
    fileprivate func lateExclusion(of url: WebURL, after rule: SourceLocation) -> SourceLocation? {
        let unreachable = Set(issues.filter { $0.code == "links-rule-unreachable" }.compactMap(\.location))
        let details = file?.root?.object?["applinks"]?.object?["details"]?.array ?? []
        let lists = details.compactMap { $0.object?["components"]?.array }
        let components = lists.first { $0.contains { $0.location == rule } } ?? []
        // The limit bounds the work for a malicious file.
        return components.filter { $0.location > rule && unreachable.contains($0.location) }.prefix(20)
            .first { url.outcome(of: $0.canonical()) == .blocked }?.location
    }
}

extension UniversalLinks.Explanation {
    /// Returns a part of the rule that matches only because the URL does not have it, and the name of the part.
    fileprivate func absentPart(in url: WebURL) -> (part: Part, name: String)? {
        let names = (url.query ?? "").split(separator: "&").map { String($0.prefix { $0 != "=" }) }
        return parts.lazy.compactMap { part in
            let isStar = !part.pattern.isEmpty && part.pattern.allSatisfy { $0 == "*" }
            guard part.key != "/", part.value.isEmpty, isStar else { return nil }
            if let item = part.item { return names.contains(item) ? nil : (part, "query item \(item.bare)") }
            return part.key == "?" ? (part, "query") : (part, "fragment")
        }.first
    }

    /// The path of an exclusion that does not match the URL, and its location, if the URL is below the path.
    fileprivate var excludedFolder: (path: String, SourceLocation)? {
        let path = "/" + (parts.last?.pattern.trimming { $0 == "/" } ?? "")
        let isAbove = parts.last.map { $0.key == "/" && !$0.matched && $0.value.hasPrefix(path + "/") } ?? false
        return excludes && isAbove ? (path, location) : nil
    }
}
