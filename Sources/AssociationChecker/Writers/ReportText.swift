public import AssociatedDomains
import MotivatorPlatform
package import SourceJSON

/// A report for a terminal: the conclusion, then each issue with its excerpt and fix.
public struct ReportText: Sendable {
    /// The appearance of the text.
    public struct Style: Sendable {
        /// The number of terminal columns. The minimum is 40.
        public var width = 80
        /// Whether the text has colors.
        public var isColored = false
        /// Whether notes, reasons and sources are shown.
        public var isVerbose = false

        /// Creates a style with 80 columns and without color.
        public init() {}
    }

    private let report: Report
    private let profiles: [Profile]
    private let style: Style

    /// Creates a writer.
    /// - Parameter profiles: The profiles to show, at least one. The conclusion is for the first profile.
    public init(_ report: Report, profiles: [Profile], style: Style = Style()) {
        (self.report, self.profiles, self.style) = (report, profiles, style)
    }

    /// The text, with a line feed after each line.
    public var text: String { (conclusions + issueLines).joined(separator: "\n") + "\n" }

    /// The lines of the issues and the hints, without the conclusion.
    var issueLines: [String] {
        var lines: [String] = []
        let issues = report.issues(in: profiles)
        let shown = Severity.allCases.reversed().flatMap { rank in
            issues.filter { self.rank($0) == rank && (style.isVerbose || (rank != .note && !$0.isIgnored)) }
        }
        for issue in shown { lines += [""] + block(issue) }
        let ignored = style.isVerbose ? 0 : issues.count(where: \.isIgnored)
        let hidden = issues.count - shown.count - ignored
        var hints: [String] = []
        for (count, name) in [(hidden, "note"), (ignored, "ignored issue")] where count > 0 {
            let verb = count == 1 ? " is hidden. Show it" : "s are hidden. Show them"
            hints.append("\(count) \(name)\(verb) with --verbose.")
        }
        if !shown.isEmpty { hints.append("To learn more about an issue, run: motivator association explain CODE") }
        if !hints.isEmpty { lines += [""] + hints.map { paint($0, .dim) } }
        return lines
    }

    /// The severity that decides the order. Without `--verbose`, notes are hidden. With two profiles, the second one
    /// only confirms the first one, and its own issues are shown like notes.
    private func rank(_ issue: Issue) -> Severity {
        issue.severity(in: profiles.count > 2 ? profiles : Array(profiles.prefix(1))) ?? .note
    }

    /// The conclusions of the first profile and of the profiles with a different verdict. With more than two profiles,
    /// includes all conclusions.
    private var conclusions: [String] {
        guard let first = profiles.first else { return [] }
        let others = profiles.dropFirst().filter { profiles.count > 2 || report.verdict($0) != report.verdict(first) }
        return ([first] + others).flatMap { profile -> [String] in
            let lines = wrap(report.conclusion(profile).printable, indentation: "")
            return lines.map { paint($0, report.verdict(profile) == .associated ? .green : .bold) }
        }
    }

    private func block(_ issue: Issue) -> [String] {
        let severity = issue.severity(in: profiles) ?? .note
        // The conclusion counts the issues of its own profile.
        let owner = profiles.first { issue.severity(in: $0) == severity }
        let label =
            (issue.isIgnored ? "ignored " : "")
            + (owner.map { $0 == profiles.first ? "" : "\($0.rawValue) " } ?? "") + severity.rawValue
        let head = "\(paint(label, severity.color))\(paint("[\(issue.code)]", .dim)) "
        let length = label.count + issue.code.count + 3
        var lines = wrap(issue.text.printable, indentation: "", firstOffset: length)
        lines = lines.map { paint($0, .bold) }
        lines[0] = head + lines[0]
        let location = issue.location.map { ":\($0.line):\($0.column)" } ?? ""
        lines.append("  in \(issue.subject.printable)\(location)\(deviation(issue))")
        if let location = issue.location, let text = report.texts[issue.subject] {
            lines += ReportText.excerpt(of: text, at: location, width: max(style.width, 40) - 4).map {
                "  " + paint($0, .dim)
            }
        }
        if !issue.fix.isEmpty { lines += wrap("Fix: \(issue.fix.printable)", indentation: "  ") }
        if let before = issue.replacement?.before, let after = issue.replacement?.after {
            lines += ["  - \(before.printable)", "  + \(after.printable)"].map { paint($0, .dim) }
        }
        if style.isVerbose {
            lines += wrap("Reason: \(issue.diagnostic.reason)", indentation: "  ").map { paint($0, .dim) }
            lines += wrap("Source: \(issue.diagnostic.source)", indentation: "  ").map { paint($0, .dim) }
        }
        return lines
    }

    /// Returns the severity in each profile, or an empty string if all severities are equal.
    private func deviation(_ issue: Issue) -> String {
        let severities = profiles.map { issue.severity(in: $0) }
        guard profiles.count > 1, Set(severities).count > 1 else { return "" }
        let parts = zip(profiles, severities).map { "\($0.rawValue): \($1?.rawValue ?? "no issue")" }
        return " (\(parts.joined(separator: ", ")))"
    }

    private func wrap(_ text: String, indentation: String, firstOffset: Int = 0) -> [String] {
        text.wrapped(to: max(style.width, 40), indentation: indentation, firstOffset: firstOffset)
    }

    /// Returns the line of a location, with a caret below its column. Truncates a long line around the column.
    /// - Parameter front: the maximum number of characters before the column; nil to center the column.
    package static func excerpt(
        of text: [UInt8], at location: SourceLocation, width: Int, front limit: Int? = nil
    ) -> [String] {
        let number = "\(location.line)"
        let available = width - number.count - 5
        // A line can be as long as the file, and each of its issues has an excerpt. Read only what can appear.
        let offset = min(max(location.offset, 0), text.count)
        let window = max(offset - 4 * width, 0)..<min(offset + 4 * width, text.count)
        let isEnd = { (byte: UInt8) in byte == .lineFeed || byte == .carriageReturn }
        let lineStart = text[window.lowerBound..<offset].lastIndex(where: isEnd).map { $0 + 1 }
        let lineEnd = text[offset..<window.upperBound].firstIndex(where: isEnd)
        let front = scalars(text[(lineStart ?? window.lowerBound)..<offset])
        let line = front + scalars(text[offset..<(lineEnd ?? window.upperBound)])
        let column = front.count
        let start = max(0, limit.map { column - $0 } ?? min(column - available / 2, line.count - available))
        let end = min(start + available, line.count)
        let shown = line[start..<end].map(\.onOneLine)
        let before = shown.prefix(column - start).reduce(start > 0 ? 1 : 0) { $0 + $1.terminalWidth }
        let margin = String(repeating: " ", count: number.count)
        return [
            "\(number) | \(start > 0 ? "…" : "")\(shown.joined())\(end < line.count ? "…" : "")",
            "\(margin) | \(String(repeating: " ", count: before))^",
        ]
    }

    private static func scalars(_ bytes: ArraySlice<UInt8>) -> [Unicode.Scalar] {
        Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    }

    fileprivate enum Paint: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case yellow = 33
        case cyan = 36
    }

    private func paint(_ text: String, _ paint: Paint) -> String {
        style.isColored ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension Severity {
    fileprivate var color: ReportText.Paint {
        switch self {
        case .error: .red
        case .warning: .yellow
        case .note: .cyan
        }
    }
}

extension String {
    fileprivate var terminalWidth: Int { unicodeScalars.reduce(0) { $0 + $1.terminalWidth } }

    /// Returns the text as lines of a width in terminal columns. Lines end only at spaces.
    package func wrapped(to width: Int, indentation: String = "", firstOffset: Int = 0) -> [String] {
        var lines: [String] = []
        var line = indentation
        var used = indentation.count + firstOffset
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let length = word.unicodeScalars.reduce(0) { $0 + $1.terminalWidth }
            if line.count > indentation.count, used + 1 + length > width {
                lines.append(line)
                (line, used) = (indentation, indentation.count)
            }
            if line.count > indentation.count {
                line += " "
                used += 1
            }
            line += word
            used += length
        }
        return lines + [line]
    }
}

extension Unicode.Scalar {
    /// The printable form of the character. A tab becomes one space, to keep columns aligned.
    fileprivate var onOneLine: String { self == "\t" ? " " : String(self).printable }

    /// The number of terminal columns: two for East Asian wide characters and emoji (UAX #11), zero for marks.
    fileprivate var terminalWidth: Int {
        if [.nonspacingMark, .enclosingMark, .format].contains(properties.generalCategory) { return 0 }
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        case _: return 1
        }
    }
}
