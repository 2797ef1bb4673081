import AssociatedDomains
import AssociationChecker

/// Every code that a finding can have, as its template sees it.
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
        let consequences: String
        let source: String
        let date: String
        let link: String?
    }

    let isSignedIn = false
    let groups = Rule.groups.enumerated().map { number, group in
        Group(id: "group-\(number + 1)", title: group.title, codes: group.rules.map(Code.init))
    }
}

extension CodeList.Code {
    fileprivate init(_ rule: Rule) {
        code = rule.code
        self.rule = rule.text
        reason = rule.reason
        consequences = Reading.allCases.map { reading in
            "\(reading.rawValue): \(rule.consequences[reading]?.rawValue ?? "nothing")"
        }.joined(separator: ", ")
        source = rule.source.title
        date = rule.source.date
        link = rule.source.link
    }
}
