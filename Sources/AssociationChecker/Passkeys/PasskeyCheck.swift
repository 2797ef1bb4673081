import AssociatedDomains
package import HTTPSClient
package import MotivatorPlatform
import SourceJSON

/// A check of whether apps and pages may use the passkeys of a relying party.
package struct PasskeyCheck: Sendable {
    /// The target, as entered by the user.
    private let text: String
    /// The port of the target, or nil for 443.
    private let port: UInt16?
    private let rpID: Result<RelyingPartyID, ExplainedFailure>
    private let origins: [WebURL]
    private let requests: (apple: CheckRequest, android: CheckRequest?)

    /// - Parameters:
    ///   - text: the host, with a port if it is not 443.
    ///   - rpID: the RP ID, or nil for the host. If it is another name, the host itself is an origin.
    ///   - origins: the https origins of pages that use the RP ID.
    package init(
        _ text: String, rpID: String?, origins: [WebURL], _ requests: (apple: CheckRequest, android: CheckRequest?)
    ) throws(ExplainedFailure) {
        let url = try SiteTarget.httpsURL(text)
        let rp = Result { () throws(ExplainedFailure) in try RelyingPartyID(rpID ?? url.host) }
        (self.text, self.port, self.rpID, self.requests) = (text, url.port, rp, requests)
        let isOther = rpID != nil && (try? rp.get().name) != url.host
        self.origins = origins.isEmpty && isOther ? [url] : origins
    }

    /// The issues of one user of passkeys, and its part of the conclusion.
    private struct Part {
        var issues: [Issue]
        var fetches: [FileFetch] = []
        var texts: [String: [UInt8]] = [:]
        var file: AssociationFile?
        /// Returns the sentence for the first error, or for nil if the user may use the passkeys.
        var sentence: (@Sendable (_ obstacle: (issue: Issue, effect: Effect)?) -> String)?
    }

    /// A function that fetches the files of a site, each with a size limit.
    package typealias Fetch = (_ site: SiteTarget, _ limit: Int) -> [FileFetch]

    /// Fetches the files, and reports what prevents each app and origin from using the passkeys.
    /// - Parameter checker: the checker, whose request is ignored.
    package func report(_ checker: Checker, _ fetch: Fetch) -> Report {
        var parts: [Part]
        do throws(ExplainedFailure) {
            parts = self.parts(try rpID.get(), checker, fetch)
        } catch {
            let issue = Issue(PasskeyIssue.malformed(problem: error.problem, fix: error.fix), in: text)
            parts = [Part(issues: [issue]) { _ in issue.message }]
        }
        var report = Report(
            target: text, issues: parts.flatMap(\.issues).map { $0.only(in: Profile.ofAndroid) },
            apps: requests.apple.apps, androidApps: requests.android?.androidApps ?? [],
            fetches: parts.flatMap(\.fetches), file: parts.lazy.compactMap(\.file).first,
            texts: parts.reduce(into: [:]) { texts, part in texts.merge(part.texts) { first, _ in first } })
        report.conclusions = Profile.ofAndroid.reduce(into: [:]) { $0[$1] = conclusion($1, parts) }
        return report
    }

    private func conclusion(_ profile: Profile, _ parts: [Part]) -> String {
        let results = parts.map { part in (part.sentence, part.issues.obstacle(profile)) }
        let quoted = results.compactMap { sentence, obstacle in sentence == nil ? nil : obstacle?.issue }
        let others = results.compactMap { sentence, obstacle in sentence == nil ? obstacle : nil }
            .first { !quoted.contains($0.issue) }
        let sentences = results.compactMap { sentence, obstacle in sentence?(obstacle) }
        let rest = others.map { "Another file has an error: \($0.issue.message)" }
        let all = sentences + [rest].compactMap(\.self)
        let prefix = profile == .documented ? "According to the documentation: " : ""
        return prefix + (all.isEmpty ? "The files of \(text) for passkeys have no error." : all.joined(separator: " "))
    }

    private func parts(_ rp: RelyingPartyID, _ checker: Checker, _ fetch: Fetch) -> [Part] {
        let authority = rp.name + (port.map { ":\($0)" } ?? "")
        func one(_ path: FilePath, limit: Int) -> FileFetch? {
            (try? SiteTarget.locate(path, authority)).flatMap { fetch($0, limit).first }
        }
        var parts: [Part] = []
        let isForApple = requests.apple.isAboutApple || (requests.android == nil && origins.isEmpty)
        if isForApple { parts.append(apple(rp, authority, checker, fetch)) }
        if let request = requests.android, let file = one(.assetLinks, limit: AssetLinks.maximumSize) {
            parts.append(android(rp, request, file, checker))
        }
        if let file = one(.relatedOrigins, limit: RelatedOrigins.maximumSize) {
            parts += related(rp, RelatedOrigins(file), file)
        }
        if let file = one(.passkeyEndpoints, limit: RelatedOrigins.maximumSize) {
            parts.append(PasskeyCheck.endpoints(file))
        }
        return parts
    }

    /// Checks Apple's file and the entitlement of the app.
    private func apple(_ rp: RelyingPartyID, _ authority: String, _ checker: Checker, _ fetch: Fetch) -> Part {
        var checker = checker
        checker.request = requests.apple
        checker.request.service = .webcredentials
        let app = checker.request.apps.first
        let entries = checker.request.domains
        var part = Part(issues: [])
        if rp.name == "localhost", checker.request.isAboutApp {
            let issue = PasskeyIssue.malformed(
                problem: "the RP ID \(rp.name.excerpt) is not reachable for a device, so no app can use it",
                fix: "Use a domain name, such as the test domain of the server")
            part.issues = [Issue(issue, in: text)]
        } else {
            if let entry = rp.coveringEntry(entries) {
                let issue = PasskeyIssue.wildcard(rpID: rp.name, entry: "\(entry)")
                if entry.isWildcard { part.issues = [Issue(issue, in: "\(entry)")] }
            } else if let first = checker.request.entries.first {
                let issue = PasskeyIssue.notCovered(rpID: rp.name, nearest: rp.nearestEntry(entries)?.description)
                part.issues = [Issue(issue, in: first.source)]
            }
            guard let site = try? SiteTarget.locate(authority, entries: entries, service: .webcredentials) else {
                return part
            }
            part.fetches = fetch(site, AssociationFile.maximumSize)
            // A port does not belong to an RP ID.
            let report = checker.check(fetches: part.fetches, site: rp.name, host: rp.name)
            let isCovered = part.issues.isEmpty
            part.issues += report.issues.filter { isCovered || !$0.isOfCoverage }
            (part.file, part.texts) = (report.file, report.texts)
        }
        let name = app.map { "\($0)" } ?? (checker.request.isAboutApp ? "the app" : "apps in the file")
        part.sentence = { obstacle in
            guard let (issue, effect) = obstacle else { return "iPhones let \(name) use passkeys of \(rp.name)." }
            let text = app.map { effect == .retry ? rp.notVerified($0) : rp.notAssociated($0) }
            return
                "iPhones do not let \(name) use passkeys of \(rp.name)\(effect == .retry ? " at the moment" : ""): "
                + issue.message + (text.map { " The device shows: \"\($0)\"" } ?? "")
        }
        return part
    }

    private func android(_ rp: RelyingPartyID, _ request: CheckRequest, _ fetch: FileFetch, _ checker: Checker)
        -> Part
    {
        var checker = checker
        checker.request = request
        let report = checker.check(fetches: [fetch], site: text, host: rp.name)
        var part = Part(issues: [], fetches: [fetch], texts: report.texts)
        let apps = request.androidApps
        part.issues = report.issues.filter { !$0.isOfRelation }
        for app in apps {
            let statements = report.assetLinks?.statements.filter { $0.lists(app) } ?? []
            let granted = statements.reduce(into: Set<AssetLinks.Relation>()) { $0.formUnion($1.relations) }
            let missing = AssetLinks.Relation.shared.filter { !granted.contains($0) }.map(\.rawValue)
            guard !statements.isEmpty, !missing.isEmpty else { continue }
            let issue = PasskeyIssue.noAndroidPasskeys(package: app.package, missing: missing)
            part.issues.append(Issue(issue, in: "\(fetch.steps[0].url)", at: statements.first?.location))
        }
        let names = apps.isEmpty ? "the apps in assetlinks.json" : apps.map(\.package).joined(separator: " and ")
        part.sentence = { obstacle in
            "Android \(obstacle == nil ? "lets" : "does not let") \(names) use passkeys of \(rp.name)"
                + (obstacle.map { ": \($0.issue.message)" } ?? ".")
        }
        return part
    }

    /// Checks the origins. The file of related origins is optional if no origin needs it.
    private func related(_ rp: RelyingPartyID, _ related: RelatedOrigins, _ fetch: FileFetch) -> [Part] {
        let foreign = origins.filter { !rp.owns($0) }
        var file = Part(issues: related.isAbsent ? [] : related.issues, fetches: [fetch])
        if let text = related.text { file.texts[text.subject] = text.bytes }
        let parts = origins.map { origin in
            let name = "https://\(origin.authority)"
            var issues: [Issue] = []
            if foreign.contains(origin), !related.lists(origin) {
                let broken = related.isAbsent ? [] : related.issues.filter { $0.effects.device == .denial }
                let listed = related.origins?.map { "https://\($0.authority)" }
                let issue = PasskeyIssue.originNotRelated(name, rpID: rp.name, listed: listed)
                // An unreadable file is the cause.
                issues = broken.isEmpty ? [Issue(issue, in: fetch.steps[0].url.description)] : broken
            }
            return Part(issues: issues) { obstacle in
                "Pages of \(name) may \(obstacle == nil ? "" : "not ")use passkeys of \(rp.name)"
                    + (obstacle.map { ": \($0.issue.message) The page gets a SecurityError." } ?? ".")
            }
        }
        return parts + [file]
    }

    /// Checks `/.well-known/passkey-endpoints`, which is optional.
    private static func endpoints(_ fetch: FileFetch) -> Part {
        var part = Part(issues: [], fetches: [fetch])
        guard let step = fetch.steps.first, step.fetched.failure == nil else { return part }
        let subject = step.url.description
        let (json, found) = step.passkeyFile(.endpoints)
        part.issues = found
        part.texts[subject] = json?.text
        for key in ["enroll", "manage", "prfUsageDetails"] {
            guard let value = json?.root?.object?[key] else { continue }
            if let text = value.string, (try? WebURL(text))?.scheme == "https" { continue }
            let found = value.string?.excerpt ?? value.kind.rawValue
            let issue = PasskeyIssue.endpointsURL(key: key, found: found, isString: value.string != nil)
            part.issues.append(Issue(issue, in: subject, at: value.location))
        }
        return part
    }
}

extension [Issue] {
    /// The first error in a profile. A denial precedes an error that the device retries.
    fileprivate func obstacle(_ profile: Profile) -> (issue: Issue, effect: Effect)? {
        for effect in [Effect.denial, .retry] {
            if let issue = first(where: { $0.effects[profile] == effect }) { return (issue, effect) }
        }
        return nil
    }
}

extension Issue {
    /// Whether an issue with the RP ID replaces this issue with the entries.
    fileprivate var isOfCoverage: Bool {
        switch kind {
        case HostIssue.otherHost?, HostIssue.otherService?, HostIssue.wildcardCredentials?: true
        case let entry as AssociatedDomain.EntryIssue:
            if case .wildcardRoot = entry.kind { true } else { false }
        case _: false
        }
    }

    /// Whether an issue with the relations for passkeys replaces this issue.
    fileprivate var isOfRelation: Bool {
        switch kind {
        case AssetLinksIssue.oneRelation?, AssetLinksIssue.otherRelation?: true
        case _: false
        }
    }
}
