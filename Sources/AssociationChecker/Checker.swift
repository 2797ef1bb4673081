import AssociatedDomains
public import Certificates
public import Platform

/// Says what a device would do with a site or a file, and why.
public struct Checker: Sendable {
    /// What is asked.
    public var question: Question
    /// The trust anchors; nil for the system's.
    public var trust: [Certificate]?
    /// When certificates have to be valid.
    public var time: UnixTime
    /// The most redirects that are followed where a device follows them.
    public static let maximumRedirects = 10

    /// - Parameters:
    ///   - question: what is asked.
    ///   - trust: the trust anchors; nil for the system's.
    ///   - time: when certificates have to be valid.
    public init(_ question: Question, trust: [Certificate]? = nil, at time: UnixTime) {
        self.question = question
        self.trust = trust
        self.time = time
    }

    /// Checks a file.
    ///
    /// - Parameters:
    ///   - bytes: the file, as much of it as was read: one byte more than the limit is enough.
    ///   - name: what findings call it.
    /// - Returns: the report.
    public func check(file bytes: [UInt8], name: String) -> Report {
        let entitlement = EntitlementJudge(question, host: question.domain)
        let domain = question.domain ?? entitlement.covering.first?.fileHost
        let judgement = fileJudge(domain: domain, subject: name).judge(bytes)
        var findings = entitlement.findings + judgement.findings
        if !judgement.isMeantAsSigned { findings.append(.unsigned(name)) }
        if let outline = judgement.outline { findings += answer(outline, name, entitlement.covering) }
        return Report(
            target: name, findings: findings, outline: judgement.outline, texts: [name: judgement.text])
    }

    /// Checks what was found at a site.
    ///
    /// - Parameters:
    ///   - visits: what was found at each place.
    ///   - site: the site, as it was named.
    ///   - host: its host in lower case.
    /// - Returns: the report.
    public func check(visits: [Visit], site: String, host: String) -> Report {
        let entitlement = EntitlementJudge(question, host: host)
        var findings = entitlement.findings
        var outline: AssociationOutline?
        var texts: [String: [UInt8]] = [:]
        for visits in Checker.bySite(visits) {
            let chosen = visits.first?.entries ?? []
            let entries = chosen.isEmpty ? entitlement.covering : chosen
            // The file of a wildcard is another host's, and so is its signer's certificate.
            let fileHost = visits.first?.location == .given ? nil : chosen.first?.fileHost
            let domain = question.domain ?? fileHost ?? host
            let places = SiteJudge(
                visits, entries: entries, judge: { fileJudge(domain: domain, subject: $0) },
                answer: { answer($0, $1, entries) })
            findings += places.findings
            outline = outline ?? places.outline
            texts.merge(places.texts) { first, _ in first }
        }
        return Report(target: site, findings: findings, visits: visits, outline: outline, texts: texts)
    }

    /// The visits of each site: entries of two services may lead to two, each of which has to have its file.
    private static func bySite(_ visits: [Visit]) -> [[Visit]] {
        var sites: [[Visit]] = []
        for visit in visits {
            if let known = sites.firstIndex(where: { $0.first?.entries == visit.entries }) {
                sites[known].append(visit)
            } else {
                sites.append([visit])
            }
        }
        return sites
    }

    /// Checks the app's side alone: the entries of its entitlement, before there is a file.
    ///
    /// - Parameter name: what the report calls its target.
    /// - Returns: the report; a verdict is `denied` where a device drops each entry, or none is about the question's
    ///   service and domain.
    public func checkEntries(name: String) -> Report {
        let entitlement = EntitlementJudge(question, host: question.domain)
        return Report(target: name, findings: entitlement.findings, outline: nil, texts: [:])
    }

    private func fileJudge(domain: String?, subject: String) -> FileJudge {
        FileJudge(trust: trust, time: time, domain: domain, subject: subject)
    }

    private func answer(
        _ outline: AssociationOutline, _ subject: String, _ entries: [AssociatedDomain]
    ) -> [Finding] {
        let services = question.service.map { [$0] } ?? entries.services
        return QuestionJudge(outline: outline, subject: subject, services: services, apps: question.apps).findings
    }
}
