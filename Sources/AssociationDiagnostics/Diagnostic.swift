/// A row of the diagnostic catalog. Each row describes one kind of issue.
///
/// To add a rule, add a case, its row and an example to the enumeration for the subject. Then add a detector.
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

    public static func == (one: Diagnostic, other: Diagnostic) -> Bool { one.code == other.code }
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

/// A row of the catalog, with the texts of one issue.
package struct CatalogEntry: Sendable {
    package let diagnostic: Diagnostic
    /// The problem, with the values that cause it, as a sentence without its full stop.
    package let problem: String
    /// The fix, as a sentence without its full stop.
    package let fix: String

    package init(
        _ code: String, _ text: String, because reason: String, _ effects: SeverityByProfile, _ source: Source,
        example: String, fixed: String, intent: Diagnostic.Intent? = nil, problem: String, fix: String
    ) {
        diagnostic = Diagnostic(
            code: code, text: text, reason: reason, effects: effects, source: source,
            example: example, fixed: fixed, intent: intent)
        (self.problem, self.fix) = (problem, fix)
    }

    package func with(problem: String) -> CatalogEntry { CatalogEntry(diagnostic, problem: problem, fix: fix) }

    /// Creates an entry of a row that another issue has too.
    package init(_ diagnostic: Diagnostic, problem: String, fix: String) {
        (self.diagnostic, self.problem, self.fix) = (diagnostic, problem, fix)
    }
}

/// The issues of one subject, declared beside their detector: a case with its values for each row of the catalog.
///
/// The compiler refuses a case without a row, and a row without a text, an effect, an example, a fix or a fixed example.
package protocol CatalogIssue: Sendable {
    /// An issue for each row, with example values, in the order of the catalog.
    static var examples: [Self] { get }
    /// The row of the issue, and its texts.
    var entry: CatalogEntry { get }
}

/// A change of a text that follows a fix and needs no choice.
package struct TextEdit: Sendable, Hashable {
    package let range: Range<Int>
    package let replacement: String

    package init(_ range: Range<Int>, _ replacement: String) {
        (self.range, self.replacement) = (range, replacement)
    }

    package func applied(to text: [UInt8]) -> [UInt8] {
        text[..<range.lowerBound] + Array(replacement.utf8) + text[range.upperBound...]
    }
}
