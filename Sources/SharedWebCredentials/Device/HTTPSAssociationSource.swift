public import AssociatedDomains
import AssociationChecker
package import Certificates
public import HTTPSClient
public import MotivatorPlatform

/// A network of real sites. The checker evaluates them with the simulated system's rules.
///
/// The network fetches files directly from the site, with the User-Agent of the Apple program that would fetch them. It
/// derives the response of Apple's CDN from the site's response.
public struct HTTPSAssociationSource: AssociationNetwork {
    private let system: DeviceSystem
    private let options: Fetcher.Options
    private let trust: [Certificate]?
    private let assumesPublic: Bool

    /// - Parameters:
    ///   - options: the options of the HTTPS client. The network sets the User-Agent.
    ///   - trust: the trust anchors; nil for the system's trust anchors.
    ///   - assumesPublic: whether to evaluate a private host or root as if it were public.
    package init(
        _ system: DeviceSystem, options: Fetcher.Options = Fetcher.Options(), trust: [Certificate]? = nil,
        assumesPublic: Bool = false
    ) {
        (self.system, self.options, self.trust, self.assumesPublic) = (system, options, trust, assumesPublic)
    }

    public func fetch(
        _ entry: AssociatedDomain, for app: AppIdentifier, modes: AssociatedDomain.Modes, now: UnixTime
    ) async -> SiteResponse {
        if !system.isBeforeIOS14, !entry.modes.isSubset(of: modes) { return .denied(.modeOff(entry)) }
        return await Fetcher.blocking { check(entry, app, now) }
    }

    public func relatedOrigins(of rpID: String, now: UnixTime) async -> Result<[WebURL], AssociationFailure> {
        await Fetcher.blocking { related(rpID, now) }
    }

    private func related(_ rpID: String, _ now: UnixTime) -> Result<[WebURL], AssociationFailure> {
        do {
            let site = try SiteTarget.locate(.relatedOrigins, rpID)
            let fetches = site.fetches(Fetcher(options), verifier: try ChainVerifier(trust: trust, at: now))
            let related = fetches.first.map(RelatedOrigins.init)
            if let origins = related?.origins { return .success(origins) }
            return .failure(failure(related?.issues.first { $0.effects.device == .denial } ?? related?.issues.first))
        } catch {
            return .failure(AssociationFailure(code: "device-no-file", message: problem(error)))
        }
    }

    private func check(_ entry: AssociatedDomain, _ app: AppIdentifier, _ now: UnixTime) -> SiteResponse {
        var options = options
        options.userAgent = userAgent(entry)
        do {
            let target = try site(of: entry)
            let fetches = target.fetches(
                Fetcher(options), verifier: try ChainVerifier(trust: trust, at: now), as: [system.ofSites],
                onlyIfTrusted: true)
            return response(to: fetches, from: target, for: entry, app, now)
        } catch {
            return .retry(
                AssociationFailure(
                    code: FetchFailure.noResources(reason: "").entry.diagnostic.code, message: problem(error)))
        }
    }

    /// Returns the site of an entry. A wildcard entry is judged for its subdomains, never for the host after `*.`.
    func site(of entry: AssociatedDomain) throws -> SiteTarget {
        try SiteTarget.locate(
            entry.isWildcard ? "www.\(entry.fileHost)" : entry.fileAuthority,
            entries: [AssociatedDomain(written(entry))])
    }

    /// Evaluates the files fetched from a site, as `motivator association check` does.
    func response(
        to fetches: [FileFetch], from target: SiteTarget, for entry: AssociatedDomain, _ app: AppIdentifier,
        _ now: UnixTime
    ) -> SiteResponse {
        var request = CheckRequest()
        request.apps = [app]
        request.service = entry.service
        request.entries = [CheckRequest.Entry(written(entry))]
        request.assumesPublic = assumesPublic
        return response(
            Checker(request, trust: trust, at: now).check(fetches: fetches, site: target.text, host: target.host))
    }

    /// Returns the entry as the system parses it. iOS 14 introduced modes, and earlier systems ignore them.
    private func written(_ entry: AssociatedDomain) -> String {
        let text = "\(entry)"
        return String(system.isBeforeIOS14 ? text.prefix { $0 != "?" } : text[...])
    }

    /// Returns the User-Agent of the program that fetches the file. Since iOS 14, this is Apple's CDN for an entry
    /// without a mode. Otherwise, it is the daemon `swcd` of iOS 8.1, 9.3 or 17.4.
    private func userAgent(_ entry: AssociatedDomain) -> String {
        switch system {
        case .iOS8: "swcd (unknown version) CFNetwork/711.1.16 Darwin/14.0.0"
        case .iOS9: "swcd (unknown version) CFNetwork/758.3.15 Darwin/15.4.0"
        case .current where entry.modes.isEmpty: "AASA-Bot/1.0.0"
        case .current: "swcd (unknown version) CFNetwork/1494.0.7 Darwin/23.4.0"
        }
    }

    private func response(_ report: Report) -> SiteResponse {
        switch report.verdict(system.ofSites) {
        case .denied: .denied(failure(report.causes[system.ofSites]))
        case .retry: .retry(failure(report.causes[system.ofSites]))
        case .associated:
            text(in: report).map { .file(AssociationFile($0, name: "", at: 0)) } ?? .denied(failure(nil))
        }
    }

    /// Returns the file that the system uses, which is the final response after redirects.
    private func text(in report: Report) -> [UInt8]? {
        let steps = report.fetches.last?.steps ?? []
        return steps.reversed().lazy.compactMap { report.content(of: $0.url.description) }.first
    }

    private func failure(_ issue: Issue?) -> AssociationFailure {
        AssociationFailure(
            code: issue?.code ?? "device-no-file", message: issue?.message.clause ?? "the site has no file to read")
    }

    private func problem(_ error: any Error) -> String { (error as? any ExplainedError)?.problem ?? "\(error)" }
}
