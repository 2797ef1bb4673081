import AssociatedDomains

/// Every code that a finding can have, as its template sees it.
struct CodeList: Sendable {
    struct Group: Sendable {
        let id: String
        let title: String
        var codes: [Code] = []
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
    let groups: [Group]

    /// - Parameter rules: the rules, those of a group together.
    init(_ rules: [Rule] = Rule.all) {
        var groups: [Group] = []
        for rule in rules {
            let id = rule.code.prefix { $0 != "-" }
            if groups.last?.id != "group-\(id)" { groups.append(Group(id: "group-\(id)", title: CodeList.title(id))) }
            groups[groups.count - 1].codes.append(Code(rule))
        }
        self.groups = groups
    }

    private static func title(_ group: Substring) -> String {
        let titles: [Substring: String] = [
            "file": "The file as a whole", "json": "JSON", "service": "Services", "app": "Apps",
            "links": "Universal links",
            "network": "Network", "tls": "Certificates and TLS", "http": "HTTP", "signature": "Signatures",
            "signer": "Who signed", "entitlement": "Entries of the entitlement",
        ]
        return titles[group] ?? String(group)
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
