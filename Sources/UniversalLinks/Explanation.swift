import HTTPSClient
import MotivatorPlatform
public import SourceJSON

extension UniversalLinks {
    /// The result of one rule.
    public struct Explanation: Sendable, Hashable {
        /// A compared part of the URL. Parts after the first mismatch are not compared.
        public struct Part: Sendable, Hashable {
            /// `/`, `?` or `#`.
            public let key: String
            /// The name of the query item, if `?` is a dictionary.
            public let item: String?
            /// The pattern as written in the file.
            public let pattern: String
            /// The part of the URL as compared. A path is normalized. The part is decoded if the component requires it.
            public let value: String
            /// Whether the value matches the pattern.
            public let matched: Bool
            /// The number of characters before the first mismatch. If the value matches, this is its length.
            public let furthest: Int
        }

        /// The app, as written in the file.
        public let app: String
        /// The index of the detail, from 0.
        public let detail: Int
        /// The index of the component or legacy path in its detail, from 0.
        public let component: Int
        /// The location of the component.
        public let location: SourceLocation
        /// `matched` or `blocked` if the rule matches, `unmatched` if not, `undecided` if the evaluation stopped here.
        public let outcome: Outcome
        /// Whether the rule excludes the URLs that it matches.
        public let excludes: Bool
        /// The reason, without a full stop.
        public let sentence: String
        /// The compared parts, in this order: path, query, fragment.
        public let parts: [Part]
        /// Whether the rule would match if no part of the URL were case-sensitive.
        package let differsOnlyInCase: Bool
        /// Whether the rule is an element of `paths`.
        package let isLegacy: Bool
    }
}

struct ExplanationWriter {
    private let links: CompiledLinks
    private let trace: LinkEvaluation.Trace
    private var caseless: LinkEvaluation
    /// The explanations for conditions, by index. Many rules can share a condition.
    private var written: [Int: Written] = [:]

    private typealias Part = UniversalLinks.Explanation.Part

    private struct Written {
        var parts: [Part] = []
        /// The reason for the mismatch, if any.
        var mismatch: String?
    }

    init(_ links: CompiledLinks, _ trace: LinkEvaluation.Trace, _ caseless: LinkEvaluation) {
        (self.links, self.trace, self.caseless) = (links, trace, caseless)
    }

    mutating func explanations() -> [UniversalLinks.Explanation] { trace.entries.map { explanation(of: $0) } }

    private mutating func explanation(of entry: LinkEvaluation.Trace.Entry) -> UniversalLinks.Explanation {
        let rule = links.rules[entry.rule]
        var all = Written()
        for case let condition? in [rule.path, rule.query, rule.fragment] where all.mismatch == nil {
            let one = written[condition] ?? write(condition)
            written[condition] = one
            all.parts += one.parts
            all.mismatch = one.mismatch
        }
        let differsOnlyInCase = entry.outcome == .unmatched && caseless.matches(entry.rule)
        return UniversalLinks.Explanation(
            app: links.apps[entry.app].identifier, detail: rule.origin.detail, component: rule.origin.index,
            location: rule.origin.location, outcome: entry.outcome, excludes: rule.excludes,
            sentence: Self.sentence(all, entry.outcome, rule.origin.isLegacy ? "path" : "component")
                + (differsOnlyInCase ? "; only the letter case differs" : ""), parts: all.parts,
            differsOnlyInCase: differsOnlyInCase, isLegacy: rule.origin.isLegacy)
    }

    private static func sentence(_ written: Written, _ outcome: UniversalLinks.Outcome, _ rule: String) -> String {
        switch outcome {
        case .undecided: return "the evaluation stopped here because it exceeded the work limit"
        case .unmatched: return written.mismatch ?? "the \(rule) does not match"
        case .matched, .blocked:
            let parts = written.parts.map { part in
                let subject = part.item.map { "query item \($0.bare)" } ?? "\(word(part.key)) \(part.value.bare)"
                return "the \(subject) matches \(part.pattern.bare)"
            }
            let match = parts.isEmpty ? "the \(rule) matches every URL" : parts.joined(separator: ", ")
            return outcome == .blocked ? "\(match), and the \(rule) excludes it" : match
        }
    }

    private static func word(_ key: String) -> String {
        [URLPart.path, .query, .fragment].first { $0.key == key }?.word ?? key
    }

    private func write(_ index: Int) -> Written {
        let condition = links.conditions[index]
        var written = Written()
        for comparison in trace.comparisons[index] ?? [] {
            let (pattern, value) = (comparison.item.pattern, comparison.text?.shown ?? "")
            let mismatch = comparison.mismatch
            written.parts.append(
                Part(
                    key: condition.part.key, item: comparison.item.name?.text, pattern: pattern.text, value: value,
                    matched: mismatch == nil, furthest: mismatch?.position ?? comparison.text?.count ?? 0))
            guard let mismatch else { continue }
            let reason = reason(mismatch, pattern, condition.part, value)
            written.mismatch = "\(subject(comparison, condition.part)) does not match \(pattern.text.bare): \(reason)"
        }
        return written
    }

    private func subject(_ comparison: LinkEvaluation.Trace.Comparison, _ part: URLPart) -> String {
        guard let name = comparison.item.name else {
            let value = comparison.text?.shown ?? ""
            return value.isEmpty ? "the empty \(part.word)" : "the \(part.word) \(value.bare)"
        }
        guard let text = comparison.text else {
            return "the query item \(name.text.bare), which is absent and counts as \"\","
        }
        return "the query item \(name.text.bare) with the value \(text.shown.bare)"
    }

    private func reason(
        _ mismatch: PatternMatcher.Mismatch, _ pattern: Pattern, _ part: URLPart, _ value: String
    ) -> String {
        let atoms = PatternAtom.atoms(of: pattern.text, part: part, names: links.variableNames)
        let before = PatternAtom.text(atoms.prefix(mismatch.atom))
        let lead = before.isEmpty ? "expected" : "after \(before.bare), expected"
        let found =
            value.unicodeScalars.dropFirst(mismatch.position).first
            .map { "found \($0.shown) at character \(mismatch.position + 1)" } ?? "found the end"
        switch mismatch.kind {
        case .atom: return "\(lead) \(expected(atoms[mismatch.atom...])), \(found)"
        case .nowhere:
            let start = mismatch.position == 0 ? "" : " from character \(mismatch.position + 1) on"
            return "\(lead) \(expected(atoms[mismatch.atom...])), which does not occur\(start)"
        case .notAtEnd: return "expected \(PatternAtom.text(atoms[mismatch.atom...]).bare) at the end"
        case .leftover: return "\(lead) the end, \(found)"
        case .neitherSlashNorEnd: return "\(lead) / or the end, \(found)"
        }
    }

    /// Returns a phrase for the next atoms: a run of literal characters, or one atom of another kind.
    private func expected(_ atoms: ArraySlice<PatternAtom>) -> String {
        switch atoms.first {
        case nil: return "the end"
        case .any: return "one more character"
        case .star: return "anything"
        case .scalar: return PatternAtom.text(atoms.prefix { if case .scalar = $0 { true } else { false } }).bare
        case .variable(let name):
            return switch BuiltInVariable(name) {
            case .one(let characters): characters.phrase
            case .codes: "a code of $(\(name))"
            case nil: "a value of \("$(\(name))".bare)"
            }
        }
    }
}

extension String {
    /// The text unchanged if it cannot be misread, otherwise an excerpt in quotes.
    package var bare: String {
        let isPlain = !isEmpty && utf8.count <= 80 && utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
        return isPlain ? self : excerpt
    }
}
