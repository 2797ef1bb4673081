import AssociationChecker
import MotivatorPlatform

/// The instruction that fixes a problem.
struct Fix: Equatable, ExpressibleByStringInterpolation {
    /// The instruction without a full stop; empty if no action is needed.
    let text: String
    /// The exact command to run, or the exact line to add to a file.
    var line: String?

    init(_ text: String, line: String? = nil) {
        (self.text, self.line) = (text, line)
    }

    init(stringLiteral value: String) {
        self.init(value)
    }

    init(_ error: any ExplainedError) {
        self = (error as? SystemTool.Failure)?.instruction ?? Fix(error.fix)
    }

    /// The instruction with a full stop, or with a colon before its line.
    var sentence: String { text.isEmpty ? "" : text + (line == nil ? "." : ":") }
    var clause: String { line.map { "\(text): \($0)" } ?? text }
}

extension JSONNode {
    /// Returns the object with the members of a fix at its end.
    func adding(_ fix: Fix) -> JSONNode {
        adding("fix", fix.text.isEmpty ? .null : .text(fix.sentence)).adding("line", .optional(fix.line))
    }
}

/// A table of results. Each row has a colored status, a subject, and a message with a fix below it.
struct StatusTable {
    /// The severity of a row, which determines the color of its status.
    enum Level {
        case good, neutral, warning, bad

        fileprivate var escape: String {
            switch self {
            case .good: "\u{1B}[32m"
            case .neutral: "\u{1B}[2m"
            case .warning: "\u{1B}[33m"
            case .bad: "\u{1B}[31m"
            }
        }
    }

    struct Row {
        let level: Level
        /// The status, such as `installed`.
        let status: String
        let subject: String
        let message: String
        /// The fix. A command gets its own line and never wraps.
        var fix: Fix = ""
    }

    struct Section {
        /// The title; empty for rows without a title.
        var title = ""
        let rows: [Row]
    }

    let sections: [Section]
    var isColored = false
    var width = 80

    /// The text of the table. Columns are aligned, and long messages wrap. Each line ends with a line break.
    var text: String {
        let rows = sections.flatMap(\.rows)
        let statusWidth = rows.map(\.status.count).max() ?? 0
        let subjectWidth = min(rows.map(\.subject.printable.count).max() ?? 0, 28)
        return sections.map { section in
            let title = isColored ? "\u{1B}[1m\(section.title)\u{1B}[0m\n" : section.title + "\n"
            return (section.title.isEmpty ? "" : title) + text(of: section.rows, statusWidth, subjectWidth)
        }.joined(separator: "\n")
    }

    private func text(of rows: [Row], _ statusWidth: Int, _ subjectWidth: Int) -> String {
        let indentation = statusWidth + subjectWidth + 4
        return rows.map { row in
            let status = row.status.padded(to: statusWidth)
            let shown = isColored ? row.level.escape + status + "\u{1B}[0m" : status
            let subject = row.subject.printable
            // A long subject gets its own line.
            let start =
                subject.count > subjectWidth
                ? "\(shown)  \(subject)\n" + String(repeating: " ", count: indentation)
                : "\(shown)  \(subject.padded(to: subjectWidth))  "
            let fix = row.fix.sentence
            let lines =
                wrapped(row.message, indentation) + (fix.isEmpty ? [] : wrapped("Fix: \(fix)", indentation))
                + (row.fix.line.map { ["  " + $0.printable] } ?? [])
            return start + lines.joined(separator: "\n" + String(repeating: " ", count: indentation)) + "\n"
        }.joined()
    }

    private func wrapped(_ text: String, _ indentation: Int) -> [String] {
        text.printable.wrapped(to: max(width - indentation, 30))
    }
}

extension [[String]] {
    /// Returns a line with aligned columns for each row.
    /// - Parameter limit: the maximum width of a column; longer cells move the cells after them.
    func aligned(limit: Int = .max) -> String {
        let widths = (first ?? []).indices.map { column in Swift.min(map { $0[column].count }.max() ?? 0, limit) }
        return map { row in
            zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ").trimming { $0 == " " } + "\n"
        }.joined()
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}
