import AssociatedDomains
import Certificates
import HTTPSClient
import Platform
import SourceJSON

/// Evaluates what was fetched from a site, by the rules of each profile.
struct SiteEvaluation {
    private(set) var issues: [Issue] = []
    private(set) var texts: [String: [UInt8]] = [:]
    /// The content of the file that the first profile with a file reads.
    private(set) var association: LenientAssociation?

    private let checker: Checker
    private let host: String
    private let entries: [AssociatedDomain]
    private let files: [FilePath: [ParsedFile?]]

    /// - Parameters:
    ///   - fetches: the requests to one site, one for each path.
    ///   - host: the host that the user named.
    ///   - entries: the app's entries for the site.
    ///   - checker: parses files, and evaluates their content.
    static func evaluate(
        _ fetches: [FileFetch], host: String, entries: [AssociatedDomain], _ checker: Checker
    ) -> SiteEvaluation {
        // The file of a wildcard is that of another host, and so is its signer's certificate.
        let fileHost = fetches.first?.path == .given ? nil : fetches.first?.entries.first?.fileHost
        let domain = checker.request.domain ?? fileHost ?? host
        var files: [FilePath: [ParsedFile?]] = [:]
        for fetch in fetches {
            files[fetch.path] = fetch.steps.map { step in
                step.content.map { checker.parse($0, subject: step.url.description, domain: domain) }
            }
        }
        var evaluation = SiteEvaluation(checker: checker, host: host, entries: entries, files: files)
        for profile in Profile.allCases { evaluation.evaluate(profile, fetches) }
        return evaluation
    }

    private init(checker: Checker, host: String, entries: [AssociatedDomain], files: [FilePath: [ParsedFile?]]) {
        self.checker = checker
        self.host = host
        self.entries = entries
        self.files = files
    }

    private mutating func evaluate(_ profile: Profile, _ fetches: [FileFetch]) {
        let readings = fetches.map { read($0, profile) }
        if let given = readings.first(where: { $0.fetch.path == .given }) { return takeGiven(given, profile) }
        guard let wellKnown = readings.first(where: { $0.fetch.path == .wellKnown }),
            let root = readings.first(where: { $0.fetch.path == .root })
        else { return }
        switch profile {
        case .device: takeWellKnown(wellKnown, root)
        case .documented, .ios9: takeFirst(wellKnown, root, profile)
        case .ios8: takeRoot(wellKnown, root)
        }
    }

    /// Devices since iOS 14 request `.well-known` only.
    private mutating func takeWellKnown(_ wellKnown: Reading, _ root: Reading) {
        if wellKnown.isAbsent, root.file != nil {
            take(wellKnown.withoutStatus, .device)
            note(.onlyAtRoot, root, .device)
        } else {
            take(wellKnown, .device)
        }
    }

    /// The documentation, and iOS 9 to 13, read `.well-known`, then the root. Each fetch is reported.
    private mutating func takeFirst(_ wellKnown: Reading, _ root: Reading, _ profile: Profile) {
        if wellKnown.file != nil {
            take(wellKnown, profile)
            if let one = wellKnown.file?.association?.root, let other = root.file?.association?.root,
                !one.says(theSameAs: other)
            {
                note(.differ, wellKnown, profile)
            }
            return
        }
        guard root.file != nil else {
            // A path that may have the file later keeps the hope up.
            let retries = wellKnown.isRetry || root.isRetry
            for reading in [wellKnown, root] {
                take(retries && !reading.isRetry ? reading.atMost(.warning) : reading, profile)
            }
            return
        }
        if wellKnown.isAbsent {
            note(.onlyAtRoot, root, profile)
        } else {
            take(wellKnown.atMost(.warning), profile)
        }
        take(root, profile)
    }

    /// iOS 8 requests the root only.
    private mutating func takeRoot(_ wellKnown: Reading, _ root: Reading) {
        if root.isAbsent, wellKnown.file != nil {
            note(.onlyWellKnown, wellKnown, .ios8)
        } else {
            take(root, .ios8)
        }
    }

    /// A URL counts only for the profiles that request it.
    private mutating func takeGiven(_ given: Reading, _ profile: Profile) {
        guard let url = given.fetch.steps.first?.url else { return }
        switch (FilePath(readAt: url), profile) {
        case (.wellKnown, _), (.root, .documented), (.root, .ios9), (.root, .ios8): take(given, profile)
        case (.root, .device): note(.onlyAtRoot, given, .device)
        case (.given, _), (nil, _):
            take(given, profile)
            let values = [
                "path": url.requestTarget.excerpt, "wellKnown": FilePath.wellKnown.text,
                "url": "https://\(url.authority)\(FilePath.wellKnown.text)", "host": url.authority,
            ]
            append([Issue(HTTPDiagnostic.notRead, values, in: url.description)], profile)
        }
        if FilePath(readAt: url) == .root, profile == .documented { note(.onlyAtRoot, given, profile) }
    }

    private mutating func take(_ reading: Reading, _ profile: Profile) {
        append(reading.issues, profile)
        guard let file = reading.file else { return }
        texts[file.textSubject] = file.text
        association = association ?? file.association
        append(checker.evaluate(profile, file, subject: reading.subject, entries), profile)
    }

    private mutating func note(_ diagnostic: HTTPDiagnostic, _ reading: Reading, _ profile: Profile) {
        let values = ["wellKnown": FilePath.wellKnown.text, "root": FilePath.root.text]
        append([Issue(diagnostic, values, in: reading.subject)], profile)
    }

    private mutating func append(_ found: [Issue], _ profile: Profile) {
        issues += found.compactMap { $0.only(in: profile) }
    }
}

// MARK: - One path

extension SiteEvaluation {
    /// What a profile makes of the requests for one path.
    private struct Reading {
        let fetch: FileFetch
        var issues: [Issue] = []
        /// The file that the profile reads; nil when it reads none.
        var file: ParsedFile?
        /// The URL of the file, or of the last request.
        var subject: String
        /// The issue that says that the path has no file.
        var status: Issue?

        /// Whether the path has no file, according to a response of the site.
        var isAbsent: Bool { status != nil && file == nil }
        /// Whether the device tries again.
        var isRetry: Bool {
            issues.contains { issue in issue.effects.profiles.contains { issue.effects[$0] == .retry } }
        }

        var withoutStatus: Reading {
            var reading = self
            reading.issues.removeAll { $0 == status }
            return reading
        }

        func atMost(_ limit: Effect) -> Reading {
            var reading = self
            reading.issues = issues.map { $0.atMost(limit) }
            return reading
        }
    }

    private func read(_ fetch: FileFetch, _ profile: Profile) -> Reading {
        var reading = Reading(fetch: fetch, subject: fetch.path.text)
        // Only a device with a mode requests the host itself, and follows redirects.
        let isDirect = profile == .device && entries.bypassCDN
        for (index, step) in fetch.steps.enumerated() where index == 0 || isDirect {
            reading.subject = step.url.description
            reading.status = nil
            let isPrivate = profile == .device && noteUnreachable(step, &reading)
            if let chain = step.chain, !isPrivate || !chain.faults.isEmpty {
                reading.issues += Issue.all(
                    chain, in: reading.subject,
                    isForDevelopers: entries.areForDevelopers || checker.request.assumesPublic)
            }
            if let target = step.redirect {
                reading.issues.append(redirect(step, to: target))
                continue
            }
            if let failure = step.fetched.failure {
                reading.issues.append(Issue(failure, in: reading.subject))
                guard case .tooLarge = failure else { continue }
            }
            guard let response = step.fetched.response else { continue }
            readStatus(response, profile, &reading)
            if response.status == 200 || (isDirect && response.status < 400) {
                reading.file = files[fetch.path]?[index]
                reading.issues += contentIssues(response, reading.subject, isSigned: reading.file?.isSigned ?? false)
            }
        }
        if isDirect { noteLoop(fetch, &reading) }
        return reading
    }

    /// Notes why Apple's CDN cannot reach the host.
    private func noteUnreachable(_ step: FileFetch.Step, _ reading: inout Reading) -> Bool {
        guard !entries.bypassCDN, !checker.request.assumesPublic else { return false }
        let cause: String
        if HostText.isPrivate(step.url.host) {
            cause = "its name is not in the public DNS"
        } else if let address = step.fetched.address, !step.addressIsOverridden, address.isPrivate || address.isLoopback
        {
            cause = "\(address.host) is a private address"
        } else {
            return false
        }
        reading.issues.append(
            Issue(NetworkDiagnostic.privateHost, ["host": step.url.host, "cause": cause], in: reading.subject))
        return true
    }

    private func readStatus(
        _ response: FetchedResponse, _ profile: Profile, _ reading: inout Reading
    ) {
        if profile == .device, let reason = response.first("apple-failure-reason") {
            reading.issues.append(cdnFailure(reason, response.first("apple-failure-details"), reading.subject))
            return
        }
        let status = ["status": "\(response.status)"]
        let issue: Issue
        switch response.status {
        case 200: return
        case 500...599:
            // The path may have the file: nothing is known about it.
            let wait = response.first("retry-after").map { ", Retry-After: \($0.excerpt)" } ?? ""
            let values = ["status": "\(response.status)", "wait": wait]
            reading.issues.append(Issue(HTTPDiagnostic.serverError, values, in: reading.subject))
            return
        case ..<400 where entries.bypassCDN: issue = Issue(HTTPDiagnostic.parsed, status, in: reading.subject)
        case 401, 403: issue = Issue(HTTPDiagnostic.accessDenied, status, in: reading.subject)
        case 300...499: issue = Issue(HTTPDiagnostic.refused, status, in: reading.subject)
        case _: issue = Issue(HTTPDiagnostic.noContent, status, in: reading.subject)
        }
        reading.issues.append(issue)
        reading.status = issue
    }

    private func redirect(_ step: FileFetch.Step, to target: String) -> Issue {
        let resolved = try? step.url.resolving(target)
        let diagnostic: HTTPDiagnostic =
            resolved == step.url
            ? .redirectLoop
            : resolved?.scheme == "http"
                ? .redirectInsecure : entries.bypassCDN && resolved != nil ? .redirectFollowed : .redirect
        let status = step.fetched.response?.status ?? 0
        return Issue(
            diagnostic, ["status": "\(status)", "target": target.excerpt, "count": "1"], in: step.url.description)
    }

    /// The last request led to another redirect to https: the fetch stopped.
    private func noteLoop(_ fetch: FileFetch, _ reading: inout Reading) {
        guard fetch.steps.count > 1, let last = fetch.steps.last, let target = last.redirect,
            (try? last.url.resolving(target))?.scheme == "https"
        else { return }
        let values = ["target": target.excerpt, "count": "\(fetch.steps.count)"]
        reading.issues.append(Issue(HTTPDiagnostic.redirectLoop, values, in: fetch.steps[0].url.description))
    }

    private func contentIssues(_ response: FetchedResponse, _ subject: String, isSigned: Bool) -> [Issue] {
        var issues: [Issue] = []
        if let coding = response.coding {
            issues.append(Issue(HTTPDiagnostic.contentEncoding, ["coding": coding.excerpt], in: subject))
        }
        let type = response.first("content-type")
        let name = type?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        if name != (isSigned ? "application/pkcs7-mime" : "application/json") {
            let found = type.map { "has the Content-Type \($0.excerpt)" } ?? "has no Content-Type"
            let diagnostic: HTTPDiagnostic = isSigned ? .signedContentType : .contentType
            issues.append(Issue(diagnostic, ["found": found], in: subject))
        }
        return issues
    }

    private func cdnFailure(_ reason: String, _ details: String?, _ subject: String) -> Issue {
        let known = [
            "SWCERR00101": "Check the host itself: it did not respond to the CDN with status 200.",
            "SWCERR00202": "Use a public address. During development, add ?mode=developer to the entry.",
            "SWCERR00301":
                "Check whether the host blocks programs or countries: it did not respond to the CDN in time.",
            "SWCERR00401": "Check the host itself: its file is not valid JSON.",
        ]
        let advice = known.first { reason.hasPrefix($0.key) }?.value ?? "Check the host itself."
        let more = details.map { " (\($0.excerpt))" } ?? ""
        return Issue(NetworkDiagnostic.cdn, ["reason": reason.excerpt + more, "advice": advice], in: subject)
    }
}

extension FileFetch.Step {
    /// The content of a response that may be a file; a redirect and a server failure are not.
    fileprivate var content: [UInt8]? {
        guard redirect == nil, let response = fetched.response, response.status < 400 else { return nil }
        switch fetched.failure {
        case nil, .tooLarge: return response.decoded
        case .some: return nil
        }
    }
}

extension FetchedResponse {
    /// The content coding, if there is one.
    fileprivate var coding: String? {
        first("content-encoding").flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }

    /// The content without its coding; as it was sent when the coding is unknown.
    fileprivate var decoded: [UInt8] {
        let limit = SiteAssociation.maximumSize + 1
        return coding.flatMap { Inflation.undo(content, coding: $0, limit: limit) } ?? content
    }
}

extension JSONValue {
    /// Whether two values are equal except for the order of keys and the spelling of numbers.
    fileprivate func says(theSameAs other: JSONValue) -> Bool {
        switch (content, other.content) {
        case (.object(let one), .object(let other)):
            let (ones, others) = (one.sorted, other.sorted)
            return ones.count == others.count
                && zip(ones, others).allSatisfy { $0.key == $1.key && $0.value.says(theSameAs: $1.value) }
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { $0.says(theSameAs: $1) }
        case (.string(let one), .string(let other)): return one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .number(let other)): return one == other
        case (.boolean(let one), .boolean(let other)): return one == other
        case (.null, .null): return true
        case (.object, _), (.array, _), (.string, _), (.number, _), (.boolean, _), (.null, _): return false
        }
    }
}

extension JSONObject {
    fileprivate var sorted: [Member] { members.sorted { $0.key < $1.key } }
}
