import AssociatedDomains

/// The diagnostic catalogue, for its template.
struct CodeList: Sendable {
    struct Group: Sendable {
        let id: String
        let title: String
        let codes: [Code]
    }

    struct Code: Sendable {
        let code: String
        let rule: String
        let reason: String
        let example: String
        let effects: String
        let source: String
        let date: String
        let link: String?
    }

    let groups = Diagnostic.groups.enumerated().map { number, group in
        Group(id: "group-\(number + 1)", title: group.title, codes: group.diagnostics.map(Code.init))
    }
}

extension CodeList.Code {
    fileprivate init(_ row: Diagnostic) {
        code = row.code
        rule = row.text
        reason = row.reason
        example = row.example
        effects = Profile.allCases.map { "\($0.rawValue): \(row.effects[$0]?.rawValue ?? "no issue")" }
            .joined(separator: ", ")
        source = row.source.title
        date = row.source.date
        link = row.source.link
    }
}
