import AssociatedDomains
import AssociationChecker

/// The codes on the page of issue codes, for its template.
package struct CodeList: Sendable {
    struct Group: Sendable {
        let id: String
        let title: String
        let count: Int
        /// The first codes, as examples.
        let examples: [String]
        let hasMore: Bool
        let sections: String
    }

    let query: String?
    let groups: [Group]
    /// The number of all codes.
    let total: Int
    let summary: String
}

/// The diagnostic catalog. The HTML of each code and the text for searches are ready in advance.
package final class CodeIndex: Sendable {
    package struct Code: Sendable {
        let row: Diagnostic
        /// The effects, and the profiles that have them.
        let effects: [(effect: String, profiles: String)]
        /// The most severe effect.
        let worst: String

        fileprivate init(_ row: Diagnostic) {
            self.row = row
            effects = Effect.allCases.reversed().compactMap { effect in
                let profiles = Profile.allCases.filter { row.effects[$0] == effect }
                let names = profiles.map { $0.meaning(isAndroid: row.code.hasPrefix("assetlinks-")) }
                let all = profiles == Profile.allCases ? "all profiles" : names.joined(separator: ", ")
                return names.isEmpty ? nil : (effect == .retry ? "retry" : effect.severity.rawValue, all)
            }
            worst = effects.first?.effect ?? "note"
        }
    }

    private struct Entry: Sendable {
        let group: Int
        /// The name, rule, reason, example and subject in lowercase.
        let text: [UInt8]
        let section: String
    }

    /// The maximum number of codes in the result of a search. It limits the page to about 60 kB.
    package static let maximumResults = 50
    /// The maximum number of words in a search. The search ignores further words.
    static let maximumWords = 8

    /// Other words for a subject that developers search for, and the words of the catalog.
    private static let synonyms = [
        "bom": ["byte order mark"], "aasa": ["association file", "apple-app-site-association"],
        "404": ["status"], "provisioning": ["entitlement"], "ssl": ["tls", "certificate"],
    ]

    private let entries: [Entry]

    package init(_ render: (Code) -> String) {
        entries = Diagnostic.groups.enumerated().flatMap { number, group in
            group.diagnostics.map { row in
                let text = "\(row.code) \(row.text) \(row.reason) \(row.example) \(group.title)".lowercased()
                return Entry(group: number, text: Array(text.utf8), section: render(Code(row)))
            }
        }
    }

    /// Returns all codes, or the codes that a search finds.
    /// - Parameter query: the words that a code must contain in its name, rule, reason, example or subject.
    package func list(_ query: String? = nil) -> CodeList {
        let words = (query ?? "").lowercased().split(maxSplits: Self.maximumWords) { $0.isWhitespace }
            .prefix(Self.maximumWords).map { word in
                ([String(word)] + Self.synonyms[String(word), default: []]).map { Array($0.utf8) }
            }
        let found = entries.filter { entry in
            words.allSatisfy { $0.contains { Self.contains($0, in: entry.text) } }
        }
        let shown = words.isEmpty ? found[...] : found.prefix(Self.maximumResults)
        let groups = Diagnostic.groups.enumerated().compactMap { number, group -> CodeList.Group? in
            let sections = shown.filter { $0.group == number }.map { Self.mark(words.flatMap(\.self), in: $0.section) }
            guard !sections.isEmpty else { return nil }
            return CodeList.Group(
                id: "group-\(number + 1)", title: group.title, count: sections.count,
                examples: group.diagnostics.prefix(3).map(\.code), hasMore: group.diagnostics.count > 3,
                sections: sections.joined())
        }
        let query = words.isEmpty ? nil : query?.shortened
        var summary = found.count == 1 ? "1 code found." : "\(found.count) codes found."
        if found.isEmpty { summary = "No codes match \"\(query ?? "")\"." }
        if shown.count < found.count { summary += " This page shows the first \(shown.count). Add a word." }
        return CodeList(query: query, groups: groups, total: entries.count, summary: summary)
    }

    /// Marks words of three or more bytes in the text of an HTML section, but not in its tags and character references.
    private static func mark(_ words: [[UInt8]], in section: String) -> String {
        let words = words.filter { $0.count > 2 && !$0.contains { "<&".utf8.contains($0) } }
        let bytes = Array(section.utf8)
        let lowercase = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        var (marked, start): ([UInt8], Int) = ([], 0)
        while start < bytes.count {
            let isText = !"<&".utf8.contains(bytes[start])
            let closing = UInt8(ascii: bytes[start] == UInt8(ascii: "<") ? ">" : ";")
            let word = words.filter { isText && lowercase[start...].starts(with: $0) }.max { $0.count < $1.count }
            let end = isText ? start + (word?.count ?? 1) : (bytes[start...].firstIndex(of: closing) ?? start) + 1
            let part = Array(bytes[start..<end])
            marked += word == nil ? part : Array("<mark>".utf8) + part + "</mark>".utf8
            start = end
        }
        return String(decoding: marked, as: UTF8.self)
    }

    private static func contains(_ word: [UInt8], in text: [UInt8]) -> Bool {
        text.indices.contains { text[$0] == word[0] && text[$0...].starts(with: word) }
    }
}
