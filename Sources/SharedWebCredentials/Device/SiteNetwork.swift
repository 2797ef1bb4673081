public import AssociatedDomains
import AssociationChecker
package import Certificates
import Dispatch
package import HTTPSClient
public import MotivatorPlatform

/// Real sites, evaluated by the checker with the simulated system's rules.
///
/// Files are fetched directly from the site. The response of Apple's CDN is derived from the site's response.
public struct SiteNetwork: AssociationNetwork {
    private let system: DeviceSystem
    private let fetcher: Fetcher
    private let trust: [Certificate]?

    /// Creates a network.
    ///
    /// - Parameters:
    ///   - system: the simulated system.
    ///   - fetcher: the HTTPS client.
    ///   - trust: the trust anchors; nil for the system's.
    package init(_ system: DeviceSystem, fetcher: Fetcher = Fetcher(), trust: [Certificate]? = nil) {
        self.system = system
        self.fetcher = fetcher
        self.trust = trust
    }

    public func fetch(_ entry: AssociatedDomain, developerMode: Bool, now: UnixTime) async -> SiteResponse {
        if system == .current, !entry.modes.isEmpty, !(developerMode && entry.modes.contains(.developer)) {
            return .denied(.modeOff("\(entry)"))
        }
        // The fetcher blocks its thread, so it must not run on a thread of the concurrency runtime.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: check(entry, now)) }
        }
    }

    private func check(_ entry: AssociatedDomain, _ now: UnixTime) -> SiteResponse {
        let target: SiteTarget
        let verifier: ChainVerifier
        do {
            target = try SiteTarget.locate(entry.fileAuthority, entries: [AssociatedDomain(written(entry))])
            verifier = try ChainVerifier(trust: trust, at: now)
        } catch {
            return .retry(AssociationFailure(code: "network-not-asked", message: problem(error)))
        }
        var request = CheckRequest()
        request.service = entry.service
        request.entries = [CheckRequest.Entry(written(entry))]
        // The simulated network has no CDN, so private hosts are reachable.
        request.assumesPublic = true
        let fetches = target.fetches(fetcher, verifier: verifier)
        let report = Checker(request, trust: trust, at: now)
            .check(fetches: fetches, site: target.text, host: target.host)
        return response(report)
    }

    /// Returns the entry as the system parses it. iOS 14 introduced modes, and earlier systems ignore them.
    private func written(_ entry: AssociatedDomain) -> String {
        let text = "\(entry)"
        switch system {
        case .iOS8: return text.firstIndex(of: "?").map { String(text[..<$0]) } ?? text
        case .current: return text
        }
    }

    private func response(_ report: Report) -> SiteResponse {
        switch report.verdict(system.ofSites) {
        case .denied: return .denied(failure(in: report, .denial))
        case .retry: return .retry(failure(in: report, .retry))
        case .associated:
            guard let file = text(in: report).flatMap(SiteFile.init(json:)) else {
                return .denied(failure(in: report, .denial))
            }
            return .file(file)
        }
    }

    /// Returns the file that the system uses, after redirects. iOS 8 prefers the root path, and later systems never use
    /// it.
    private func text(in report: Report) -> [UInt8]? {
        let order: [FilePath] =
            switch system {
            case .iOS8: [.root, .wellKnown]
            case .current: [.wellKnown]
            }
        for path in order {
            for fetch in report.fetches where fetch.path == path {
                for step in fetch.steps.reversed() {
                    if let text = report.content(of: step.url.description) { return text }
                }
            }
        }
        return nil
    }

    private func failure(in report: Report, _ effect: Effect) -> AssociationFailure {
        let issue = report.issues.first { $0.effects[system.ofSites] == effect }
        return AssociationFailure(
            code: issue?.code ?? "device-no-file", message: issue?.message.clause ?? "the site has no file to read")
    }

    private func problem(_ error: any Error) -> String { (error as? any ExplainedError)?.problem ?? "\(error)" }
}
