/// A row of the diagnostic catalog. Each row describes one kind of issue.
///
/// A detector supplies only the row and the values for its message. To add a rule, add a case and its row to the
/// enumeration for the subject. Then add a detector.
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

    /// The rows of one subject.
    public struct Group: Sendable {
        /// The subject, as a heading.
        public let title: String
        /// The rows. Each row belongs to exactly one group.
        public let diagnostics: [Diagnostic]

        init(_ title: String, _ group: (some DiagnosticGroup).Type) {
            self.title = title
            diagnostics = group.allCases.map(\.diagnostic)
        }
    }

    /// All rows, grouped by subject in the order of evaluation.
    public static let groups = [
        Group("The file as a whole", ContainerDiagnostic.self), Group("JSON", JSONDiagnostic.self),
        Group("Services", ServiceDiagnostic.self), Group("Apps", AppDiagnostic.self),
        Group("Universal links", LinkDiagnostic.self), Group("Network", NetworkDiagnostic.self),
        Group("Certificates and TLS", TLSDiagnostic.self), Group("HTTP", HTTPDiagnostic.self),
        Group("Signatures", SignatureDiagnostic.self), Group("Entitlement", EntitlementDiagnostic.self),
        Group("Digital Asset Links (Android)", AssetLinksDiagnostic.self),
    ]

    /// All rows, in the order of their groups.
    public static let all = groups.flatMap(\.diagnostics)

    /// Returns the row with the given code.
    ///
    /// - Parameter code: The code, in upper or lower case.
    public static func named(_ code: String) -> Diagnostic? {
        let wanted = code.lowercased()
        return all.first { $0.code == wanted }
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
            message: row.message, fix: row.fix, example: row.example)
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

        init(
            _ text: String, because reason: String, _ effects: SeverityByProfile, _ source: Source,
            message: String? = nil, fix: String? = nil, example: String
        ) {
            self.text = text
            self.reason = reason
            self.effects = effects
            self.source = source
            self.message = message
            self.fix = fix
            self.example = example
        }
    }
}
