import AssociatedDomains

/// The diagnostic catalog, for its template.
package struct CodeList: Sendable {
    struct Group: Sendable {
        let id: String
        let title: String
        let count: Int
        let codes: [Code]
    }

    struct Code: Sendable {
        struct Effect: Sendable {
            let profile: String
            let effect: String
        }

        let code: String
        let rule: String
        let reason: String
        let example: String
        let effects: [Effect]
        let source: String
        let date: String
        let link: String?
    }

    /// The search text.
    let query: String?
    let groups: [Group]
    /// The number of codes, as a sentence.
    let summary: String

    /// - Parameter query: The words that a code must contain in its name, rule, reason, example or subject.
    package init(_ query: String? = nil) {
        let words = (query ?? "").lowercased().split { $0.isWhitespace }
        groups = Diagnostic.groups.enumerated().compactMap { number, group in
            let codes = group.diagnostics.filter { row in
                let text = "\(row.code) \(row.text) \(row.reason) \(row.example) \(group.title)".lowercased()
                return words.allSatisfy { text.contains($0) }
            }
            guard !codes.isEmpty else { return nil }
            return Group(id: "group-\(number + 1)", title: group.title, count: codes.count, codes: codes.map(Code.init))
        }
        let count = groups.reduce(0) { $0 + $1.count }
        self.query = words.isEmpty ? nil : query?.shortened
        summary = count == 1 ? "1 code found." : "\(count == 0 ? "No" : "\(count)") codes found."
    }
}

extension CodeList.Code {
    fileprivate init(_ row: Diagnostic) {
        code = row.code
        rule = row.text
        reason = row.reason
        example = row.example
        effects = Profile.allCases.map { .init(profile: $0.rawValue, effect: row.effects[$0]?.rawValue ?? "none") }
        source = row.source.title
        date = row.source.date
        link = row.source.link
    }
}
