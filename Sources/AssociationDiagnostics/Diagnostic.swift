/// A row of the diagnostic catalog. Each row describes one kind of issue.
///
/// To add a rule, add a case and its row to the enumeration for the subject. Then add a detector.
public struct Diagnostic: Sendable, Hashable {
    /// The stable code, such as `json-trailing-comma`. Its meaning never changes.
    public let code: String
    /// The rule in one sentence.
    public let text: String
    /// The reason for the rule, or the consequence of breaking it.
    public let reason: String
    /// The effect of breaking the rule in each profile.
    public let effects: SeverityByProfile
    /// The source of the rule.
    public let source: Source
    /// The message template, with value names in braces, or nil if the detector writes the message.
    public let message: String?
    /// The fix template, with value names in braces.
    public let fix: String?
    /// A one-line example that breaks the rule.
    public let example: String
    /// The example after a person followed the fix, and did nothing else.
    public let fixed: String
    /// What the author of an example about links wants, or nil.
    package let intent: Intent?

    /// The result that the author of rules for links wants. The fixed example gives this result.
    package enum Intent: Sendable, Hashable {
        /// The URL opens the app.
        case opens(String)
        /// The URL stays in the browser.
        case excludes(String)
    }

    /// Inserts values into the template of a message or a fix.
    ///
    /// - Parameters:
    ///   - template: The text with names in braces, such as `The response has status {status}.`
    ///   - values: A value for each name.
    package static func render(_ template: String, _ values: [String: String]) -> String {
        var text = ""
        var rest = template[...]
        while let open = rest.firstIndex(of: "{") {
            text += rest[..<open]
            rest = rest[open...]
            let name = rest.dropFirst().prefix { $0 != "}" }
            if let value = values[String(name)] {
                text += value
                rest = rest.dropFirst(name.count + 2)
            } else {
                text += "{"
                rest = rest.dropFirst()
            }
        }
        return text + rest
    }

    public static func == (one: Diagnostic, other: Diagnostic) -> Bool { one.code == other.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// The diagnostics of one subject. Each group is an enumeration, so the compiler detects a case without a row.
package protocol DiagnosticGroup: RawRepresentable<String>, CaseIterable, Sendable {
    /// The row without its code.
    var row: Diagnostic.Row { get }
}

extension DiagnosticGroup {
    package var diagnostic: Diagnostic {
        let row = row
        return Diagnostic(
            code: rawValue, text: row.text, reason: row.reason, effects: row.effects, source: row.source,
            message: row.message, fix: row.fix, example: row.example, fixed: row.fixed, intent: row.intent)
    }
}

extension Diagnostic {
    package struct Row {
        let text: String
        let reason: String
        let effects: SeverityByProfile
        let source: Source
        let message: String?
        let fix: String?
        let example: String
        let fixed: String
        let intent: Intent?

        init(
            _ text: String, because reason: String, _ effects: SeverityByProfile, _ source: Source,
            message: String? = nil, fix: String? = nil, example: String, fixed: String = "", intent: Intent? = nil
        ) {
            self.text = text
            self.reason = reason
            self.effects = effects
            self.source = source
            self.message = message
            self.fix = fix
            self.example = example
            self.fixed = fixed
            self.intent = intent
        }
    }
}

/// A row of the catalog, with the texts of one issue.
package struct CatalogEntry: Sendable {
    package let diagnostic: Diagnostic
    /// The problem, with the values that cause it, as a sentence without its full stop.
    package private(set) var problem: String
    /// The fix, as a sentence without its full stop.
    package let fix: String

    package init(
        _ code: String, _ text: String, because reason: String, _ effects: SeverityByProfile, _ source: Source,
        example: String, fixed: String = "", intent: Diagnostic.Intent? = nil, problem: String, fix: String
    ) {
        diagnostic = Diagnostic(
            code: code, text: text, reason: reason, effects: effects, source: source, message: nil, fix: nil,
            example: example, fixed: fixed, intent: intent)
        self.problem = problem
        self.fix = fix
    }

    /// Returns the entry with another problem.
    package func with(problem: String) -> CatalogEntry {
        var changed = self
        changed.problem = problem
        return changed
    }
}

/// The issues of one subject, declared beside their detector: a case with its values for each row of the catalog.
///
/// The compiler refuses a case without a row, and a row without a text, an effect, an example or a fix.
package protocol CatalogIssue: Sendable {
    /// The subject, as a heading.
    static var title: String { get }
    /// An issue for each row, with example values, in the order of the catalog.
    static var examples: [Self] { get }
    /// The row of the issue, and its texts.
    var entry: CatalogEntry { get }
    /// Returns the change of the text that follows the fix, if it is one edit and needs no choice.
    func edit(in text: [UInt8]) -> TextEdit?
}

extension CatalogIssue {
    package func edit(in text: [UInt8]) -> TextEdit? { nil }
}
