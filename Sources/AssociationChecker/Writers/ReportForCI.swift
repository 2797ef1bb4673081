public import AssociatedDomains
import Foundation
package import MotivatorPlatform
import SourceJSON

/// A writer that formats reports for continuous integration.
public struct ReportsForCI: Sendable {
    private let reports: [Report]
    private let profiles: [Profile]
    private let version: String

    /// Creates a writer.
    /// - Parameter profiles: The profiles whose issues are reported.
    public init(_ reports: [Report], profiles: [Profile], version: String) {
        (self.reports, self.profiles, self.version) = (reports, profiles, version)
    }

    /// Returns the issues of a report, each with the affected file in the repository, if any.
    private func located(_ report: Report) -> [(issue: Issue, file: String?)] {
        let file = report.fetches.isEmpty && report.target != "standard input" ? report.target : nil
        return report.issues(in: profiles).map { issue in
            (issue, issue.location == nil ? file : file.map { _ in issue.subject })
        }
    }

    /// The severity in the first of two profiles, or the most serious one of more; a note for an ignored issue. With
    /// two profiles, the second one only confirms the first one.
    private func severity(_ issue: Issue) -> Severity {
        issue.isIgnored ? .note : issue.severity(in: profiles.count > 2 ? profiles : Array(profiles.prefix(1))) ?? .note
    }

    // MARK: - JUnit

    /// The reports as JUnit XML, with a suite for each target and a case for each issue code. Errors count as failures.
    public var junit: String {
        let suites = reports.map(suite)
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="motivator association check">
            \(suites.joined(separator: "\n"))
            </testsuites>

            """
    }

    private func suite(_ report: Report) -> String {
        let issues = report.issues(in: profiles)
        let codes = issues.map(\.code).distinct
        var cases = codes.map { code in testCase(code, issues.filter { $0.code == code }, report) }
        if cases.isEmpty { cases = ["    <testcase classname=\(attribute(report.target)) name=\"associated\"/>"] }
        let failures = codes.filter { code in issues.contains { $0.code == code && severity($0) == .error } }.count
        return """
              <testsuite name=\(attribute(report.target)) tests="\(cases.count)" failures="\(failures)" errors="0" skipped="0">
            \(cases.joined(separator: "\n"))
              </testsuite>
            """
    }

    private func testCase(_ code: String, _ issues: [Issue], _ report: Report) -> String {
        let head = "    <testcase classname=\(attribute(report.target)) name=\(attribute(code))"
        let text = issues.map { issue in
            let location = issue.location.map { ":\($0.line):\($0.column)" } ?? ""
            return "\(severity(issue).rawValue): \(issue.subject)\(location): \(issue.text) \(issue.fix)"
        }.joined(separator: "\n")
        guard let error = issues.first(where: { severity($0) == .error }) else {
            return "\(head)>\n      <system-out>\(text.escapedForXML)</system-out>\n    </testcase>"
        }
        return
            "\(head)>\n      <failure type=\(attribute(code)) message=\(attribute(error.message))>\(text.escapedForXML)"
            + "</failure>\n    </testcase>"
    }

    private func attribute(_ text: String) -> String { "\"\(text.escapedForXML)\"" }
}

extension String {
    /// The text escaped for XML 1.0, which does not allow most control characters, even as references.
    package var escapedForXML: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n", "\t": escaped += "&#\(scalar.value);"
            case "\u{0}"..<" ", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            case _: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

// MARK: - GitHub

extension ReportsForCI {
    /// The reports as GitHub workflow commands, with one line for each issue.
    public var github: String {
        reports.flatMap { report in
            located(report).map { issue, file in command(issue, file) + "\n" }
        }.joined()
    }

    private func command(_ issue: Issue, _ file: String?) -> String {
        let name = severity(issue) == .note ? "notice" : severity(issue).rawValue
        var properties: [(String, String)] = []
        if let file {
            properties.append(("file", file))
            if let location = issue.location {
                properties += [("line", "\(location.line)"), ("col", "\(location.column)")]
            }
        }
        properties.append(("title", issue.code))
        let list = properties.map { name, text in
            "\(name)=" + data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
        }.joined(separator: ",")
        let subject = file == issue.subject ? "" : "\(issue.subject): "
        return "::\(name) \(list)::\(data("\(subject)\(issue.text) \(issue.fix)"))"
    }

    /// Returns the text with line endings in GitHub's encoding. Other control characters are escaped for terminals.
    private func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A").printable
    }

    // MARK: - SARIF

    /// The reports as SARIF 2.1.0 with one run. Its rules are the rows of the catalog that have results.
    package var sarif: JSONNode {
        let all = reports.flatMap { report in located(report).map { (report, $0.issue, $0.file) } }
        let rules = all.map(\.1.diagnostic).distinct
        let results = all.map { report, issue, file -> JSONNode in
            let result: JSONNode = [
                "ruleId": .text(issue.code), "ruleIndex": .number(rules.firstIndex(of: issue.diagnostic) ?? 0),
                "level": .text(severity(issue).rawValue), "message": ["text": .text("\(issue.text) \(issue.fix)")],
                "locations": [location(issue, file ?? report.target)],
            ]
            return result.adding("fixes", fixes(issue, file))
        }
        let driver: JSONNode = ["name": "motivator", "version": .text(version), "rules": .list(rules.map(rule))]
        return [
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [["tool": ["driver": driver], "results": .list(results)]],
        ]
    }

    /// Returns the change of a file in the repository, if the fix is one edit.
    private func fixes(_ issue: Issue, _ file: String?) -> JSONNode? {
        guard let file, let replacement = issue.replacement else { return nil }
        let region: JSONNode = [
            "startLine": .number(replacement.start.line), "startColumn": .number(replacement.start.column),
            "endLine": .number(replacement.end.line), "endColumn": .number(replacement.end.column),
        ]
        let change: JSONNode = [
            "artifactLocation": ["uri": .text(uri(file))],
            "replacements": [["deletedRegion": region, "insertedContent": ["text": .text(replacement.text)]]],
        ]
        return [["description": ["text": .text(issue.fix)], "artifactChanges": [change]]]
    }

    private func rule(_ diagnostic: Diagnostic) -> JSONNode {
        let level = (diagnostic.effects.device ?? diagnostic.effects.documented ?? .note).severity.rawValue
        let rule: JSONNode = [
            "id": .text(diagnostic.code), "shortDescription": ["text": .text(diagnostic.text)],
            "fullDescription": ["text": .text(diagnostic.reason)],
        ]
        return rule.adding("helpUri", diagnostic.source.link.map { .text($0) })
            .adding("defaultConfiguration", ["level": .text(level)])
    }

    private func location(_ issue: Issue, _ file: String) -> JSONNode {
        let physical: JSONNode = ["artifactLocation": ["uri": .text(uri(file))]]
        let region = issue.location.map { place -> JSONNode in
            ["startLine": .number(place.line), "startColumn": .number(place.column)]
        }
        return ["physicalLocation": physical.adding("region", region)]
    }

    /// Returns a URL unchanged, or a path with percent-encoding where a URI requires it.
    private func uri(_ file: String) -> String {
        file.contains("://") ? file : file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? file
    }
}
