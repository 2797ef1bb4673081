import AssociatedDomains
import AssociationChecker
import Platform
import SourceJSON

/// A report in the forms that continuous integration shows beside a change.
struct ReportForCI {
    let report: Report
    /// The reading whose verdict counts.
    let readings: [Reading]
    /// The file that was checked; nil for a site and for standard input.
    let file: String?

    /// JUnit's XML: a test case for each reading, failed where the site is not associated.
    var junit: String {
        let cases = readings.map { reading -> String in
            let verdict = report.verdict(reading)
            let head = "  <testcase classname=\(attribute(report.target)) name=\(attribute(reading.rawValue))"
            let told = told(in: reading)
            guard verdict != .associated else {
                return told.isEmpty
                    ? "\(head)/>" : "\(head)>\n    <system-out>\(escaped(told))</system-out>\n  </testcase>"
            }
            return "\(head)>\n    <failure type=\(attribute(verdict.rawValue)) "
                + "message=\(attribute("\(reading.rawValue): \(verdict.rawValue)"))>\(escaped(told))</failure>\n  </testcase>"
        }
        let failures = readings.filter { report.verdict($0) != .associated }.count
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="motivator association check" tests="\(readings.count)" failures="\(failures)" errors="0" skipped="0">
            \(cases.joined(separator: "\n"))
            </testsuite>
            """
    }

    private func told(in reading: Reading) -> String {
        report.findings.compactMap { finding -> String? in
            guard let severity = finding.severity(in: reading) else { return nil }
            let place = finding.place.map { ":\($0.line):\($0.column)" } ?? ""
            let remedy = finding.remedy.isEmpty ? "" : " \(finding.remedy)."
            return "\(severity.rawValue) \(finding.code) \(finding.subject)\(place): \(finding.message).\(remedy)"
        }.joined(separator: "\n")
    }

    /// GitHub's workflow commands: one line for each finding.
    var github: String {
        report.findings.compactMap { finding -> String? in
            guard let severity = readings.compactMap({ finding.severity(in: $0) }).max() else { return nil }
            let command = severity == .note ? "notice" : severity.rawValue
            var properties: [(String, String)] = []
            // Only a file of the repository can be pointed at: what has no place in any is of the one that is checked.
            let file = finding.place == nil ? self.file : self.file.map { _ in finding.subject }
            if let file {
                properties.append(("file", file))
                if let place = finding.place {
                    properties += [("line", String(place.line)), ("col", String(place.column))]
                }
            }
            properties.append(("title", finding.code))
            let list = properties.map { "\($0.0)=\(property($0.1))" }.joined(separator: ",")
            let remedy = finding.remedy.isEmpty ? "" : " \(finding.remedy)."
            let subject = file == finding.subject ? "" : "\(finding.subject): "
            return "::\(command) \(list)::\(data("\(subject)\(finding.message).\(remedy)"))"
        }.joined(separator: "\n")
    }

    /// Line ends as GitHub decodes them; whatever else commands a terminal as an escape, because logs are shown on one.
    private func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A").printable
    }

    private func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }

    private func attribute(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// XML 1.0 has no place for most control characters, not even as references.
    private func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
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
