import AssociatedDomains
import AssociationChecker
import Platform
import SourceJSON

/// A report for people: aligned, with the line of each fault and a caret below it.
struct ReportText {
    let report: Report
    /// Whether severities and verdicts are in colour.
    let isColoured: Bool

    var text: String {
        var lines = [report.target.printable]
        let width = Reading.allCases.map(\.rawValue.count).max() ?? 0
        for reading in Reading.allCases {
            let name = reading.rawValue + String(repeating: " ", count: width - reading.rawValue.count)
            lines.append("  \(name)  \(paint(report.verdict(reading)))\(explanation(reading))")
        }
        for finding in report.findings {
            lines.append("")
            lines += block(finding)
        }
        lines.append("")
        lines.append(summary)
        return lines.joined(separator: "\n")
    }

    private func explanation(_ reading: Reading) -> String {
        switch reading {
        case .documented: "  (what Apple's documents say)"
        case .device: "  (what devices do since iOS 14)"
        case .legacy: "  (iOS 8 to 13)"
        }
    }

    private func block(_ finding: Finding) -> [String] {
        let ranks = finding.ranks.map { rank in
            let everywhere = rank.readings.count == Reading.allCases.count
            let readings = everywhere ? "" : " (\(rank.readings.map(\.rawValue).joined(separator: ", ")))"
            return paint(rank.severity) + readings
        }
        var lines = ["\(ranks.joined(separator: ", "))  \(finding.code)"]
        let place = finding.place.map { ":\($0.line):\($0.column)" } ?? ""
        lines.append("  \(finding.subject.printable)\(place)")
        lines.append("  \(finding.message.sentence)")
        if let place = finding.place, let text = report.texts[finding.subject] {
            lines += ReportText.excerpt(of: text, at: place).map { "  " + $0 }
        }
        if !finding.remedy.isEmpty { lines.append("  \(finding.remedy.printable).") }
        lines.append("  [\(finding.rule.source)]")
        return lines
    }

    /// The line of a place with a caret below it; a long line is cut around the place.
    static func excerpt(of text: [UInt8], at place: SourceLocation) -> [String] {
        let width = 100
        let line = Array(place.line(in: text).unicodeScalars)
        let column = min(max(place.column - 1, 0), line.count)
        let start = column > width - 20 ? column - width / 2 : 0
        let cut = start > 0 ? "…" : ""
        let shown = line[start...].prefix(width).map(\.onOneLine)
        let before = shown.prefix(column - start).reduce(cut.count) { $0 + $1.terminalWidth }
        let number = "\(place.line)"
        let margin = String(repeating: " ", count: number.count)
        return [
            "\(number) | \(cut)\(shown.joined())",
            "\(margin) | \(String(repeating: " ", count: before))^",
        ]
    }

    private var summary: String {
        report.findings.isEmpty
            ? "\(report.summary)." : "\(report.summary). More about each: motivator association explain CODE"
    }

    private func paint(_ verdict: Verdict) -> String {
        switch verdict {
        case .associated: coloured(verdict.rawValue, 32)
        case .denied: coloured(verdict.rawValue, 31)
        case .retry: coloured(verdict.rawValue, 33)
        }
    }

    private func paint(_ severity: Severity) -> String {
        switch severity {
        case .error: coloured(severity.rawValue, 31)
        case .warning: coloured(severity.rawValue, 33)
        case .note: coloured(severity.rawValue, 36)
        }
    }

    private func coloured(_ text: String, _ colour: Int) -> String {
        isColoured ? "\u{1B}[\(colour)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// The text on one line, with what commands a terminal or is not seen shown as escapes.
    var printable: String {
        String(quoted.dropFirst().dropLast()).replacing("\\\"", with: "\"")
            .replacing("\\\\", with: "\\")
    }

    /// The text as a sentence of its own.
    var sentence: String {
        guard let first else { return self }
        return (first.isLowercase && !startsWithWord ? first.uppercased() + dropFirst() : self).printable + "."
    }

    /// Whether it begins with a name that has to stay as it is, such as `webcredentials.apps` or `mode=developer`.
    private var startsWithWord: Bool {
        let word = prefix { $0 != " " && $0 != "," }
        return Service(rawValue: String(word)) != nil
            || !word.allSatisfy { ("a"..."z").contains($0) || $0 == "-" || $0 == "\'" }
    }
}

extension Unicode.Scalar {
    /// The character as a line of a terminal may hold it: a tab is one space, so that columns stay columns.
    fileprivate var onOneLine: String { self == "\t" ? " " : String(self).printable }

    /// How many columns a terminal gives it: two to East Asian wide characters and emoji (UAX #11), none to marks.
    fileprivate var terminalWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        case _: break
        }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        case _: return 1
        }
    }
}

extension String {
    fileprivate var terminalWidth: Int { unicodeScalars.reduce(0) { $0 + $1.terminalWidth } }
}
