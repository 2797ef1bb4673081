import AssociatedDomains
import Certificates
import HTTPSClient
import MotivatorPlatform
import SourceJSON

struct SiteEvaluation {
    private(set) var issues: [Issue] = []
    private(set) var texts: [String: [UInt8]] = [:]
    /// The content for the first profile that reads a file. Nil if no profile reads a file.
    private(set) var file: AssociationFile?

    private let checker: Checker
    private let host: String
    private let entries: [AssociatedDomain]
    private let files: [FilePath: [ReadFile?]]

    private typealias ReadFile = (file: AssociationFile, issues: [Issue])

    static func evaluate(
        _ fetches: [FileFetch], host: String, entries: [AssociatedDomain], _ checker: Checker
    ) -> SiteEvaluation {
        // For a wildcard entry, the file and the signer's certificate belong to another host.
        let fileHost = fetches.first?.path == .given ? nil : fetches.first?.entries.first?.fileHost
        let domain = checker.request.domain ?? fileHost ?? host
        var files: [FilePath: [ReadFile?]] = [:]
        for fetch in fetches {
            files[fetch.path] = fetch.steps.map { step in
                step.content.map { content in
                    let file = checker.read(content, name: step.url.description, domain: domain)
                    let issues = step.codingIssue.map { [$0] } ?? file.issues(for: checker.request, entries)
                    return (file, issues.with(hint: step.hint))
                }
            }
        }
        var evaluation = SiteEvaluation(checker: checker, host: host, entries: entries, files: files)
        for profile in Profile.allCases { evaluation.evaluate(profile, fetches) }
        return evaluation
    }

    private mutating func evaluate(_ profile: Profile, _ fetches: [FileFetch]) {
        let results = fetches.map { read($0, profile) }
        if let given = results.first(where: { $0.fetch.path == .given }) { return takeGiven(given, profile) }
        let wellKnown = results.first { $0.fetch.path == .wellKnown }
        let root = results.first { $0.fetch.path == .root }
        switch profile {
        case .device: if let wellKnown { takeWellKnown(wellKnown, root) }
        case .documented, .ios9: takeFirst(wellKnown, root, profile)
        case .ios8: if let root { takeRoot(wellKnown, root) }
        }
    }

    /// Evaluates only `.well-known`, as devices with iOS 14 or later do.
    private mutating func takeWellKnown(_ wellKnown: PathResult, _ root: PathResult?) {
        if wellKnown.isAbsent, let root, root.file != nil {
            var result = wellKnown
            result.issues.removeAll { $0 == wellKnown.status }
            take(result, .device)
            note(.onlyAtRoot, root, .device)
        } else {
            take(wellKnown, .device)
        }
    }

    /// Evaluates `.well-known`, then the root, as documented and as devices with iOS 9 to 13 do.
    private mutating func takeFirst(_ wellKnown: PathResult?, _ root: PathResult?, _ profile: Profile) {
        if let wellKnown, wellKnown.file != nil {
            take(wellKnown, profile)
            if let one = wellKnown.file?.file.root, let root, let other = root.file?.file.root,
                !one.canonical().utf8.elementsEqual(other.canonical().utf8)
            {
                note(.differ, wellKnown, profile)
                guard profile == .documented, isDenied(wellKnown, profile), !isDenied(root, profile) else { return }
                // The documentation names both paths, but only one path has a file that lists the app.
                for index in issues.indices where issues[index].effects.documented == .denial {
                    issues[index].effects = issues[index].effects.unproven(in: .documented)
                }
            }
            return
        }
        guard let root, root.file != nil else {
            // If one path may succeed later, a failure of the other path is only a warning.
            let results = [wellKnown, root].compactMap(\.self)
            let retries = results.contains { $0.isRetry }
            for result in results { take(retries && !result.isRetry ? result.atMost(.warning) : result, profile) }
            return
        }
        if let wellKnown, !wellKnown.isAbsent {
            take(wellKnown.atMost(.warning), profile)
        } else if wellKnown != nil {
            note(.onlyAtRoot, root, profile)
        }
        take(root, profile)
    }

    /// Evaluates only the root, as iOS 8 does.
    private mutating func takeRoot(_ wellKnown: PathResult?, _ root: PathResult) {
        if root.isAbsent, let wellKnown, wellKnown.file != nil {
            note(.onlyWellKnown, wellKnown, .ios8)
        } else {
            take(root, .ios8)
        }
    }

    /// Evaluates a given URL, and reports the profiles that do not request it.
    private mutating func takeGiven(_ given: PathResult, _ profile: Profile) {
        guard let url = given.fetch.steps.first?.url else { return }
        let path = FilePath(readAt: url)
        if path != .root || profile != .device { take(given, profile) }
        if path == .root, profile == .device || profile == .documented { note(.onlyAtRoot, given, profile) }
        guard path == nil else { return }
        let issue = HTTPIssue.notRead(path: url.requestTarget.excerpt, authority: url.authority)
        append([Issue(issue, in: url.description)], profile)
    }

    private mutating func take(_ result: PathResult, _ profile: Profile) {
        append(result.issues, profile)
        guard let file = result.file else { return }
        texts[file.file.textSubject] = file.file.text
        self.file = self.file ?? file.file
        append(file.issues, profile)
    }

    /// Returns whether a device with only this file would deny the association.
    private func isDenied(_ result: PathResult, _ profile: Profile) -> Bool {
        (result.issues + (result.file?.issues ?? [])).contains { $0.effects[profile] == .denial }
    }

    private mutating func note(_ issue: HTTPIssue, _ result: PathResult, _ profile: Profile) {
        append([Issue(issue, in: result.subject)], profile)
    }

    private mutating func append(_ found: [Issue], _ profile: Profile) {
        issues += found.compactMap { $0.only(in: profile) }
    }

    // MARK: - One path

    private struct PathResult {
        let fetch: FileFetch
        var issues: [Issue] = []
        var file: ReadFile?
        /// The URL of the file, or of the last request.
        var subject: String
        /// The issue that reports a path without a file.
        var status: Issue?

        /// Whether the path has no file, according to the site's response.
        var isAbsent: Bool { status != nil && file == nil }
        var isRetry: Bool {
            issues.contains { issue in issue.effects.profiles.contains { issue.effects[$0] == .retry } }
        }

        func atMost(_ limit: Effect) -> PathResult {
            var result = self
            result.issues = issues.map { $0.atMost(limit) }
            return result
        }
    }

    private func read(_ fetch: FileFetch, _ profile: Profile) -> PathResult {
        var result = PathResult(fetch: fetch, subject: fetch.path.text)
        // A device fetches the file directly from the host and follows redirects only with a mode.
        let isDirect = profile == .device && entries.bypassCDN
        for (index, step) in fetch.steps.enumerated() where index == 0 || isDirect {
            result.subject = step.url.description
            result.status = nil
            let isPrivate = profile == .device && noteUnreachable(step, &result)
            if let chain = step.chain, !isPrivate || !chain.issues.isEmpty {
                result.issues += Issue.all(
                    chain, in: result.subject,
                    isForDevelopers: entries.areForDevelopers || checker.request.assumesPublic)
            }
            if let target = step.redirect {
                result.issues.append(redirect(step, to: target, count: index + 1))
                continue
            }
            // Another response is reported by its status, whatever happens to its content.
            let status = step.fetched.response?.status ?? 200
            let mayBeFile = status == 200 || (isDirect && status < 400 && step.content != [])
            if mayBeFile, let failure = step.fetched.failure {
                // The issues in the chain are already reported, and the file has the issue with its size.
                if case .refusedChain = failure { continue }
                guard case .tooLarge = failure else {
                    result.issues.append(Issue(failure, in: result.subject))
                    continue
                }
            }
            guard let response = step.fetched.response else { continue }
            readStatus(response, profile, step, &result)
            if mayBeFile {
                result.file = files[fetch.path]?[index]
                let isSigned = result.file?.file.claimsSignature ?? false
                result.issues += contentIssues(response, result.subject, isSigned: isSigned)
            }
        }
        if isDirect { noteLoop(fetch, &result) }
        guard let site = fetch.steps.first?.url.siteOnCDN?.authority else { return result }
        // Only the host can change what Apple's CDN copies. The CDN's own reasons have their own fixes.
        for (index, issue) in result.issues.enumerated() where issue.kind is HTTPIssue && !issue.isOfCDN {
            result.issues[index].fix =
                "Apple's CDN copies the response of \(site). To check it, run: motivator association check \(site)."
        }
        return result
    }

    /// Reports why Apple's CDN cannot reach the host.
    private func noteUnreachable(_ step: FileFetch.Step, _ result: inout PathResult) -> Bool {
        guard !entries.bypassCDN, !checker.request.assumesPublic else { return false }
        let cause: String
        if HostText.isPrivate(step.url.host) {
            cause = "its name is not in the public DNS"
        } else if let address = step.fetched.address, !step.addressIsOverridden, address.isPrivate || address.isLoopback
        {
            let subject = address.host == step.url.host ? "it" : address.host
            cause = "\(subject) is a \(address.isLoopback ? "loopback" : "private") address"
        } else {
            return false
        }
        result.issues.append(Issue(HTTPIssue.privateHost(step.url.authority, cause: cause), in: result.subject))
        return true
    }

    private func readStatus(
        _ response: FetchedResponse, _ profile: Profile, _ step: FileFetch.Step, _ result: inout PathResult
    ) {
        if profile == .device, let reason = response.first("apple-failure-reason") {
            result.issues.append(cdnFailure(reason, response.first("apple-failure-details"), result.subject))
            return
        }
        let status = response.status
        let reported: HTTPIssue
        switch status {
        case 200: return
        case 500...: reported = .serverError(status, retryAfter: response.first("retry-after")?.excerpt)
        case ..<400 where entries.bypassCDN && !response.content.isEmpty: reported = .parsed(status)
        case 401, 403: reported = .accessDenied(status)
        case 300...499: reported = .refused(status)
        case _: reported = .noContent(status)
        }
        let issue = Issue(reported, in: result.subject).with(hint: step.hint)
        result.issues.append(issue)
        // After a server error, the file may still exist at the path.
        if status < 500 { result.status = issue }
    }

    private func redirect(_ step: FileFetch.Step, to target: String, count: Int) -> Issue {
        let resolved = try? step.url.resolving(target)
        let (status, shown) = (step.fetched.response?.status ?? 0, target.excerpt)
        let issue: HTTPIssue =
            if resolved == step.url {
                .redirectLoop(count: count, to: shown)
            } else if resolved?.scheme == "http" {
                .redirectInsecure(status: status, to: shown)
            } else if entries.bypassCDN, resolved != nil {
                .redirectFollowed(status: status, to: shown)
            } else {
                .redirect(status: status, to: shown)
            }
        return Issue(issue, in: step.url.description).with(hint: step.hint)
    }

    private func noteLoop(_ fetch: FileFetch, _ result: inout PathResult) {
        guard fetch.steps.count > 1, let last = fetch.steps.last, let target = last.redirect,
            let next = try? last.url.resolving(target), next.scheme == "https", next != last.url
        else { return }
        let issue = HTTPIssue.redirectLoop(count: fetch.steps.count, to: target.excerpt)
        result.issues.append(Issue(issue, in: fetch.steps[0].url.description))
    }

    private func contentIssues(_ response: FetchedResponse, _ subject: String, isSigned: Bool) -> [Issue] {
        var issues: [HTTPIssue] = []
        if let coding = response.coding, response.decoded(limit: AssociationFile.maximumSize + 1) != nil {
            issues.append(.contentEncoding(coding.excerpt))
        }
        if let found = response.typeMismatch(isSigned ? "application/pkcs7-mime" : "application/json") {
            issues.append(isSigned ? .signedContentType(found) : .contentType(found))
        }
        return issues.map { Issue($0, in: subject) }
    }

    private func cdnFailure(_ reason: String, _ details: String?, _ subject: String) -> Issue {
        let known = [
            "SWCERR00101": "Check the host itself: it did not respond to the CDN with status 200",
            "SWCERR00202": "Use a public address. During development, add ?mode=developer to the entry",
            "SWCERR00301":
                "Check whether the host blocks user agents or countries: it did not respond to the CDN in time",
            "SWCERR00401": "Check the host itself: its file is not valid JSON",
        ]
        let action = known.first { reason.hasPrefix($0.key) }?.value ?? "Check the host itself"
        let more = details.map { " (\($0.excerpt))" } ?? ""
        return Issue(HTTPIssue.cdn(reason: reason.excerpt + more, fix: action), in: subject)
    }
}

extension FileFetch.Step {
    /// The content of a response that may be a file, or nil for a redirect or an error response.
    var content: [UInt8]? { content(atMost: AssociationFile.maximumSize) }

    /// The issue that replaces those of a file, if its content cannot be decoded. A device may know more codings.
    fileprivate var codingIssue: Issue? {
        guard fetched.failure == nil, let response = fetched.response, !response.content.isEmpty,
            let coding = response.coding, response.decoded(limit: AssociationFile.maximumSize + 1) == nil
        else { return nil }
        let effects = SeverityByProfile.all(.denial).unproven(in: .device, .documented, .ios9, .ios8)
        return Issue(FileIssue.undecoded(coding), in: url.description, effects)
    }

    /// Returns the content. Truncates decompressed content one byte after a size limit.
    func content(atMost limit: Int) -> [UInt8]? {
        guard redirect == nil, let response = fetched.response, response.status < 400 else { return nil }
        switch fetched.failure {
        case nil, .tooLarge: return response.decoded(limit: limit + 1) ?? response.content
        case .some: return nil
        }
    }
}

extension FetchedResponse {
    /// Returns a clause about the Content-Type, or nil if the response has the expected type.
    func typeMismatch(_ expected: String) -> String? {
        let type = first("content-type")
        let name = type?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
        guard name != expected else { return nil }
        return type.map { "has the Content-Type \($0.excerpt)" } ?? "has no Content-Type"
    }
}
