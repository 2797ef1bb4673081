import AssociatedDomains
import SourceJSON

/// Judges the entries of an app's entitlement against the host and the service that are asked about.
struct EntitlementJudge {
    private(set) var findings: [Finding] = []
    /// The entries of the service that are about the host, as far as a device can read them; of any service when none is
    /// asked for, of any host when none is known.
    private(set) var covering: [AssociatedDomain] = []

    private let question: Question
    /// The entries that a device can read.
    private var domains: [AssociatedDomain] = []

    /// - Parameters:
    ///   - question: with the entries.
    ///   - host: the host that is asked about, in lower case; nil for a file that does not tell.
    init(_ question: Question, host: String?) {
        self.question = question
        let entries = question.entries.map(ReadEntry.init)
        domains = entries.compactMap(\.domain)
        let wanted = domains.filter { question.service == nil || $0.service == question.service }
        covering = wanted.filter { domain in
            host.map { host in Reading.allCases.contains { domain.covers(host, in: $0) } } ?? true
        }
        // What is wrong with the list is graver when there is nothing else to take entries from.
        findings = question.listFindings.map { entries.isEmpty ? $0 : $0.atMost(.warning) }
        for entry in entries { note(entry, host) }
        // Where no entry could be read that is said already, and is why none covers the host.
        if covering.isEmpty, !domains.isEmpty { findings.append(notCovered(host, wanted)) }
        if let host { look(at: host) }
    }

    /// An entry as a device reads it.
    private struct ReadEntry {
        package let subject: String
        package let place: SourceLocation?
        package let result: Result<AssociatedDomain, AssociatedDomain.Malformed>

        init(_ entry: Question.Entry) {
            let isShown = entry.place == nil && !entry.text.allSatisfy(\.isWhitespace)
            subject = isShown ? entry.text : entry.source
            place = entry.place
            result = Result { () throws(AssociatedDomain.Malformed) in try AssociatedDomain(entry.text) }
        }

        package var domain: AssociatedDomain? { try? result.get() }
    }

    private mutating func note(_ entry: ReadEntry, _ host: String?) {
        switch entry.result {
        case .success(let domain):
            for remark in domain.remarks where remark.kind != .wildcardRoot || !isTakenForRoot(domain, host) {
                findings.append(Finding(remark, in: entry.subject, at: entry.place))
            }
        case .failure(let malformed):
            let finding = Finding(malformed, in: entry.subject, at: entry.place)
            // A device drops the entry, and goes on with the others.
            findings.append(covering.isEmpty ? finding : finding.atMost(.warning))
        }
    }

    /// Whether the host is the one behind the star, about which there is more to say than of the wildcard alone.
    private func isTakenForRoot(_ domain: AssociatedDomain, _ host: String?) -> Bool {
        domain.isWildcard && domain.host == host && (question.service == nil || domain.service == question.service)
    }

    private mutating func look(at host: String) {
        var told: Set<Service> = []
        for entry in covering where isTakenForRoot(entry, host) && told.insert(entry.service).inserted {
            let isNamed = covering.contains { $0.service == entry.service && $0.covers(host, in: .legacy) }
            findings.append(
                Finding(
                    EntitlementRule.wildcardRoot, "\(entry) is taken for \(host) itself too",
                    remedy: "Add an entry for \(host), and nothing is left to doubt", in: "\(entry)",
                    isNamed ? .all(.note) : nil))
        }
        for entry in covering.deciding(for: host, port: nil, service: nil)
        where entry.isWildcard && entry.host != host {
            let path = Location.wellKnown.path ?? ""
            findings.append(
                Finding(
                    EntitlementRule.fileElsewhere,
                    "for \(host) a device with the entry \(entry) asks \(entry.fileHost)",
                    remedy:
                        "Serve the file at https://\(entry.fileAuthority)\(path); an entry for \(host) would need a file "
                        + "at that host", in: "\(entry)"))
        }
    }

    private func notCovered(_ host: String?, _ wanted: [AssociatedDomain]) -> Finding {
        let others = domains.filter { domain in
            host.map { host in Reading.allCases.contains { domain.covers(host, in: $0) } } ?? true
        }
        if let service = question.service, let other = others.first {
            let name = host ?? other.host
            return Finding(
                EntitlementRule.otherService,
                "the app names \(name) for \(other.service.rawValue), not for \(service.rawValue)",
                remedy: "Add the entry \(service.rawValue):\(name)", in: "\(other)")
        }
        let name = host ?? ""
        let service = question.service ?? wanted.first?.service ?? .webcredentials
        let named = (wanted.isEmpty ? domains : wanted).prefix(3).map(\.description).joined(separator: ", ")
        return Finding(
            EntitlementRule.otherHost, "no entry of the app is about \(name), only \(named)",
            remedy: "Add the entry \(service.rawValue):\(name)", in: question.entries.first?.source ?? "")
    }
}
