/// Judges the entries of an app's entitlement against the host that is asked about.
struct EntitlementJudge {
    private(set) var findings: [Finding] = []
    /// The entries that a device can read.
    private(set) var domains: [AssociatedDomain] = []
    /// Those that are about the host; all when no host is known.
    private(set) var covering: [AssociatedDomain] = []

    /// - Parameters:
    ///   - question: with the entries.
    ///   - host: the host that is asked about, in lower case; nil for a file that does not tell.
    init(_ question: Question, host: String?) {
        findings = question.listFindings
        for entry in question.entries { read(entry) }
        covering = domains
        if let host, !question.entries.isEmpty { look(for: host, question) }
    }

    /// Whether a device asks the host itself.
    var isStraight: Bool { !covering.isEmpty && covering.allSatisfy { !$0.modes.isEmpty } }

    /// The services that the app asks for.
    var services: [Service] { Service.allCases.filter { service in covering.contains { $0.service == service } } }

    private mutating func read(_ entry: Question.Entry) {
        let subject = entry.place == nil ? entry.text : entry.source
        do {
            let domain = try AssociatedDomain(entry.text)
            domains.append(domain)
            for remark in domain.remarks { findings.append(Finding(remark, in: subject, at: entry.place)) }
        } catch {
            findings.append(Finding(error, in: subject, at: entry.place))
        }
    }

    private mutating func look(for host: String, _ question: Question) {
        let wanted = domains.filter { question.service == nil || $0.service == question.service }
        covering = wanted.filter { domain in Reading.allCases.contains { domain.covers(host, in: $0) } }
        // Where no entry could be read that is said already, and is why none covers the host.
        guard !covering.isEmpty else {
            if !domains.isEmpty { findings.append(notCovered(host, wanted, question)) }
            return
        }
        let left = Set(Reading.allCases.filter { reading in !covering.contains { $0.covers(host, in: reading) } })
        if let entry = covering.first(where: { $0.isWildcard && $0.host == host }) {
            findings.append(
                Finding(
                    EntitlementRule.wildcardRoot, "\(entry) is taken for \(host) itself too",
                    remedy: "Add an entry for \(host), and nothing is left to doubt", in: "\(entry)",
                    left.isEmpty ? .all(.note) : nil))
        }
        if let entry = covering.first, covering.allSatisfy({ $0.isWildcard && $0.host != host }) {
            findings.append(
                Finding(
                    EntitlementRule.fileElsewhere,
                    "for \(host) a device with the entry \(entry) asks \(entry.fileHost)",
                    remedy: "", in: "\(entry)"))
        }
    }

    private func notCovered(_ host: String, _ wanted: [AssociatedDomain], _ question: Question) -> Finding {
        let others = domains.filter { domain in Reading.allCases.contains { domain.covers(host, in: $0) } }
        if let service = question.service, let other = others.first {
            return Finding(
                EntitlementRule.otherService,
                "the app names \(host) for \(other.service.rawValue), not for \(service.rawValue)",
                remedy: "Add the entry \(service.rawValue):\(host)", in: "\(other)")
        }
        let service = question.service ?? wanted.first?.service ?? .webcredentials
        let named = (wanted.isEmpty ? domains : wanted).prefix(3).map(\.description).joined(separator: ", ")
        return Finding(
            EntitlementRule.otherHost, "no entry of the app is about \(host), only \(named)",
            remedy: "Add the entry \(service.rawValue):\(host)", in: question.entries.first?.source ?? "")
    }
}
