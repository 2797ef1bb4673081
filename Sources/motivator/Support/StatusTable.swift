package import MotivatorPlatform

/// The instruction that fixes a problem.
package struct Fix: Equatable, ExpressibleByStringInterpolation {
    /// The instruction without a full stop; empty if no action is needed.
    let text: String
    /// The exact command to run, or the exact line to add to a file.
    var line: String?

    package init(_ text: String, line: String? = nil) {
        (self.text, self.line) = (text, line)
    }

    package init(stringLiteral value: String) {
        self.init(value)
    }

    package static let none: Fix = ""

    /// The instruction with a full stop, or with a colon before its line.
    var sentence: String { text.isEmpty ? "" : text + (line == nil ? "." : ":") }
    package var clause: String { line.map { "\(text): \($0)" } ?? text }

    /// The members of a JSON object.
    package var json: [(key: String, value: JSONNode)] {
        [(key: "fix", value: text.isEmpty ? .null : .text(sentence)), (key: "line", value: .optional(line))]
    }
}

/// A table of results. Each row has a colored status, a subject, and a message with a fix below it.
package struct StatusTable {
    /// The severity of a row, which determines the color of its status.
    package enum Level {
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

    package struct Row {
        let level: Level
        /// The status, such as `installed`.
        let status: String
        let subject: String
        let message: String
        /// The fix. A command gets its own line and never wraps.
        let fix: Fix

        package init(level: Level, status: String, subject: String, message: String, fix: Fix = .none) {
            (self.level, self.status, self.subject, self.message, self.fix) = (level, status, subject, message, fix)
        }
    }

    /// A group of rows with a title.
    package struct Section {
        /// The title; empty for rows without a title.
        let title: String
        let rows: [Row]

        package init(title: String = "", rows: [Row]) {
            (self.title, self.rows) = (title, rows)
        }
    }

    let sections: [Section]
    let isColored: Bool
    /// The width of the terminal in columns.
    let width: Int

    package init(sections: [Section], isColored: Bool = false, width: Int = 80) {
        (self.sections, self.isColored, self.width) = (sections, isColored, width)
    }

    /// The text of the table. Columns are aligned, and long messages wrap. Each line ends with a line break.
    package var text: String {
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
            let status = padded(row.status, statusWidth)
            let shown = isColored ? row.level.escape + status + "\u{1B}[0m" : status
            let subject = row.subject.printable
            // A long subject gets its own line.
            let start =
                subject.count > subjectWidth
                ? "\(shown)  \(subject)\n" + String(repeating: " ", count: indentation)
                : "\(shown)  \(padded(subject, subjectWidth))  "
            let fix = row.fix.sentence
            let lines =
                wrapped(row.message, indentation) + (fix.isEmpty ? [] : wrapped("Fix: \(fix)", indentation))
                + (row.fix.line.map { ["  " + $0.printable] } ?? [])
            return start + lines.joined(separator: "\n" + String(repeating: " ", count: indentation)) + "\n"
        }.joined()
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(width - text.count, 0))
    }

    private func wrapped(_ text: String, _ indentation: Int) -> [String] {
        let available = max(width - indentation, 30)
        var lines: [String] = []
        var line = ""
        for word in text.printable.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > available {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? word : " " + word
        }
        return lines + [line]
    }
}
