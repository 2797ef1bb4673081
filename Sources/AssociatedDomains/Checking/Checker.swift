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
        if !judgement.isSigned { findings.append(.unsigned(name)) }
        if let outline = judgement.outline { findings += answer(outline, name, entitlement) }
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
        let places = SiteJudge(
            visits, isStraight: entitlement.isStraight,
            judge: { fileJudge(domain: question.domain ?? host, subject: $0) },
            answer: { answer($0, $1, entitlement) })
        return Report(
            target: site, findings: entitlement.findings + places.findings, visits: visits, outline: places.outline,
            texts: places.texts)
    }

    /// Checks the app's side alone: the entries of its entitlement, before there is a file.
    ///
    /// - Parameter name: what the report calls its target.
    /// - Returns: the report; a verdict is `denied` where a device drops an entry, or none is about the question's domain.
    public func checkEntries(name: String) -> Report {
        let entitlement = EntitlementJudge(question, host: question.domain)
        return Report(target: name, findings: entitlement.findings, outline: nil, texts: [:])
    }

    private func fileJudge(domain: String?, subject: String) -> FileJudge {
        FileJudge(trust: trust, time: time, domain: domain, subject: subject)
    }

    private func answer(
        _ outline: AssociationOutline, _ subject: String, _ entitlement: EntitlementJudge
    ) -> [Finding] {
        QuestionJudge(outline: outline, subject: subject, services: services(entitlement), apps: question.apps).findings
    }

    private func services(_ entitlement: EntitlementJudge) -> [Service] {
        if let service = question.service { return [service] }
        if !entitlement.services.isEmpty { return entitlement.services }
        return question.apps.isEmpty ? [] : [.webcredentials]
    }
}
