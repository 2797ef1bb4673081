package import AssociatedDomains
import Certificates
import HTTPSClient
import MotivatorPlatform
import SourceJSON

extension Checker {
    func check(assetLinks fetch: FileFetch, site: String) -> Report {
        guard let step = fetch.steps.first else { return Report(target: site, issues: []) }
        let subject = step.url.description
        let issues = step.assetLinksIssues(assumesPublic: request.assumesPublic)
        var file: AssetLinksReader?
        if step.fetched.response?.status == 200, step.fetched.failure == nil,
            let content = step.content(atMost: AssetLinks.maximumSize)
        {
            var read = AssetLinksReader(content, subject: subject)
            read.issues = read.issues.with(hint: step.hint)
            file = read
        }
        return report(site, issues, file, subject, [fetch])
    }

    /// Returns the report on a file, or nil if the file is for Apple devices.
    func check(assetLinks bytes: [UInt8], name: String) -> Report? {
        guard !request.isAboutApple else { return nil }
        let isExpected = request.isAboutAndroid || name.split(separator: "/").last == "assetlinks.json"
        guard isExpected || bytes.mayBeAssetLinks else { return nil }
        let file = AssetLinksReader(bytes, subject: name)
        return isExpected || file.isContent ? report(name, [], file, name) : nil
    }

    private func report(
        _ target: String, _ issues: [Issue], _ file: AssetLinksReader?, _ subject: String, _ fetches: [FileFetch] = []
    ) -> Report {
        // Earlier Apple systems do not read assetlinks.json.
        let ofApple = Issue(FileIssue.assetLinks, in: subject, at: file?.location)
        let ofAndroid = issues + (file.map { $0.issues + $0.issues(for: request) } ?? [])
        return Report(
            target: target,
            issues: ofAndroid.map { $0.only(in: Profile.ofAndroid) } + [ofApple.only(in: [.ios9, .ios8])],
            androidApps: request.androidApps, fetches: fetches, assetLinks: file?.links ?? AssetLinks(),
            texts: file.map { [subject: $0.text] } ?? [:])
    }
}

extension AssetLinksReader {
    fileprivate func issues(for request: CheckRequest) -> [Issue] {
        // A separate issue reports a file without statements, usable or not.
        guard !links.statements.isEmpty || !links.includes.isEmpty || !flaws.isEmpty else { return [] }
        return request.androidApps.flatMap { issues(for: $0, request.relation) }
    }

    /// Returns the issues that explain why the file does not list an app, or that report its missing relations.
    private func issues(for app: AndroidApp, _ relation: AssetLinks.Relation?) -> [Issue] {
        func issue(_ issue: AssetLinksIssue) -> [Issue] { [Issue(issue, in: subject, at: location)] }
        let packages = links.packages
        guard packages.contains(app.package) else {
            if let flaws = flaws[app.package] { return flaws }
            if let similar = packages.first(where: { $0.lowercased() == app.package.lowercased() }) {
                return issue(.otherCase(app, listed: similar))
            }
            var missing = Issue(AssetLinksIssue.notListed(app, listed: packages), in: subject, at: location)
            // An included list, which the checker does not read, may list the app.
            if !links.includes.isEmpty { missing.effects = missing.effects.unproven(in: .device, .documented) }
            return [missing]
        }
        let statements = links.statements.filter { $0.lists(app) }
        guard !statements.isEmpty else { return issue(.otherFingerprint(app)) }
        let granted = statements.reduce(into: Set<AssetLinks.Relation>()) { $0.formUnion($1.relations) }
        let missing = (relation.map { [$0] } ?? AssetLinks.Relation.shared).filter { !granted.contains($0) }
        if relation == nil, missing.count == AssetLinks.Relation.shared.count { return issue(.otherRelation(app)) }
        var issues = missing.flatMap { issue(.oneRelation(app, missing: $0, isRequested: relation != nil)) }
        if relation != nil { issues = issues.map(\.asDenial) }
        if app.fingerprint != nil, Set(statements.flatMap(\.target.names)).count == 1 {
            issues += issue(.oneFingerprint(app))
        }
        return issues
    }
}

extension FileFetch.Step {
    /// Returns the issues with the response to a request for assetlinks.json.
    fileprivate func assetLinksIssues(assumesPublic: Bool) -> [Issue] {
        let subject = url.description
        func issue(_ issue: AssetLinksIssue) -> Issue { Issue(issue, in: subject) }
        // Accept a root that the caller trusts. Apple-only rules do not apply.
        let ofApple = [ChainIssue.tooLong(days: 0, limit: 0), .wildcardTooWide(name: "")].map(\.entry.diagnostic)
        var issues = chain.map { Issue.all($0, in: subject, isForDevelopers: true) } ?? []
        issues.removeAll { ofApple.contains($0.diagnostic) }
        if case .tooLarge? = failure {
            issues.append(issue(.tooLarge))
        } else if let failure {
            issues.append(Issue(failure, in: subject))
        }
        // The cause comes first: Android does not request another URL.
        let port = assumesPublic ? url.port ?? 443 : 443
        if url.path != AssetLinks.path || url.query != nil || (url.port ?? 443) != port {
            let standard = "https://\(port == 443 ? url.host : url.authority)\(AssetLinks.path)"
            return [issue(.path(url.description, url: standard))] + issues
        }
        guard let response = fetched.response else { return issues }
        if let redirect {
            issues.append(issue(.redirect(status: response.status, target: redirect.excerpt)).with(hint: hint))
        } else if response.status != 200 {
            let isOfServer = response.status >= 500
            issues.append(issue(isOfServer ? .serverError(response.status) : .status(response.status)).with(hint: hint))
        } else if let found = response.typeMismatch("application/json") {
            issues.append(issue(.contentType(found: found)))
        }
        return issues
    }
}

extension Profile {
    /// The profiles that apply to Android: the behavior of devices, and Google's documentation.
    package static let ofAndroid = [Profile.device, .documented]
}

extension [UInt8] {
    /// Whether the bytes look like the beginning of an array or of an object with a relation. Apple's file has neither
    /// form. This property does not parse the JSON.
    package var mayBeAssetLinks: Bool {
        let start = drop { $0 <= 0x20 || $0 >= 0x80 }
        return start.first == UInt8(ascii: "[") || start.prefix(4_096).contains(Array("relation".utf8))
    }
}
