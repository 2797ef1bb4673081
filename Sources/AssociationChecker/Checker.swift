import AssociatedDomains
public import Certificates
import HTTPSClient
public import MotivatorPlatform

/// A checker that determines what a device does with a site, a file or an entitlement, and why.
///
/// A check locates the file (`SiteTarget`), fetches it (`SiteTarget.fetches`) and reads it (`AssociationFile`). The check
/// then evaluates the file for the request, and creates a `Report` with the effect of each issue in each profile.
public struct Checker: Sendable {
    /// The apps and entries to check.
    public var request: CheckRequest
    /// The trust anchors, or nil for the system's trust anchors.
    public var trust: [Certificate]?
    /// The roots that a signer may have instead of `trust`, such as the server's own development CA.
    package var ownRoots: [Certificate] = []
    /// The time when certificates must be valid.
    public var time: UnixTime
    /// The maximum number of redirects to follow in one fetch.
    public static let maximumRedirects = 10

    /// Creates a checker.
    public init(_ request: CheckRequest, trust: [Certificate]? = nil, at time: UnixTime) {
        (self.request, self.trust, self.time) = (request, trust, time)
    }

    /// Checks a file.
    /// - Parameters:
    ///   - bytes: The file. The caller may truncate it one byte after the size limit.
    ///   - name: The name of the file in issues.
    public func check(file bytes: [UInt8], name: String) -> Report {
        if let report = check(assetLinks: bytes, name: name) { return report }
        let entitlement = EntitlementEvaluation.evaluate(request, host: request.domain)
        let domain = request.domain ?? entitlement.covering.first?.fileHost
        let file = read(bytes, name: name, domain: domain)
        return Report(
            target: name, issues: entitlement.issues + file.issues(for: request, entitlement.covering),
            apps: request.apps, file: file, texts: [file.textSubject: file.text]
        ).testingLinks(for: request, site: request.domain.flatMap { try? SiteTarget.locate($0.bracketed) })
    }

    func read(_ bytes: [UInt8], name: String, domain: String?) -> AssociationFile {
        AssociationFile(bytes, name: name, domain: domain, trust: trust, ownRoots: ownRoots, at: time)
    }

    /// Checks the files fetched from a site.
    /// - Parameters:
    ///   - fetches: The fetches for each path.
    ///   - site: The site, as entered by the user.
    ///   - host: The host of the site in lower case.
    public func check(fetches: [FileFetch], site: String, host: String) -> Report {
        if let fetch = fetches.first, fetch.path == .assetLinks { return check(assetLinks: fetch, site: site) }
        // On Apple's CDN, the path names the host.
        let host = fetches.first?.steps.first?.url.siteOnCDN?.host ?? host
        let port = (try? SiteTarget.httpsURL(site))?.port
        let entitlement = EntitlementEvaluation.evaluate(request, host: host, port: port)
        var issues: [Issue] = []
        var file: AssociationFile?
        var texts: [String: [UInt8]] = [:]
        // The entries of two services may lead to two sites with separate files.
        for chosen in fetches.map(\.entries).distinct {
            let evaluation = SiteEvaluation.evaluate(
                fetches.filter { $0.entries == chosen }, host: host,
                entries: chosen.isEmpty ? entitlement.covering : chosen, self)
            // The app may already have the entry that a fix suggests.
            let twin = entitlement.covering.first { entry in
                entry.modes == .developer
                    && chosen.contains { $0.modes.isEmpty && $0.service == entry.service && $0.host == entry.host }
            }
            let advice = "add ?mode=developer to the entitlement entry"
            issues += evaluation.issues.map { issue in
                guard let twin else { return issue }
                return issue.changing { $0.fix.replace(advice, with: "turn on developer mode for the entry \(twin)") }
            }
            file = file ?? evaluation.file
            texts.merge(evaluation.texts) { first, _ in first }
        }
        // Report a private host only once, even if an entry also names this host.
        let isReported = issues.contains { if case HTTPIssue.privateHost? = $0.kind { true } else { false } }
        let ofEntries = entitlement.issues.filter { !isReported || !$0.isPrivateEntry }
        return Report(
            target: site, issues: ofEntries + issues, apps: request.apps, fetches: fetches, file: file, texts: texts
        ).testingLinks(for: request, site: try? SiteTarget.locate(site))
    }

    /// Checks only the entries of the app's entitlement, without a file.
    /// - Parameter name: The target of the report.
    /// - Returns: The report. A verdict is `denied` if a device drops every entry, or if no entry has the requested
    ///   service and domain.
    public func checkEntries(name: String) -> Report {
        Report(
            target: name, issues: EntitlementEvaluation.evaluate(request, host: request.domain).issues,
            apps: request.apps)
    }
}
