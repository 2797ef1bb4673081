public import AssociatedDomains
import AssociationChecker
public import Certificates
import Dispatch
import HTTPSClient
public import Platform

/// Real sites, judged by the checker as the device of a reading would.
///
/// What Apple's CDN would say is concluded from what the site itself says: nobody but the site is asked.
public struct SiteNetwork: AssociationNetwork {
    private let reading: DeviceReading
    private let fetcher: Fetcher
    private let trust: [Certificate]?

    /// - Parameters:
    ///   - reading: whose device asks.
    ///   - fetcher: what asks sites, for each of a site's places.
    ///   - trust: the trust anchors; nil for the system's.
    public init(_ reading: DeviceReading, fetcher: Fetcher = Fetcher(), trust: [Certificate]? = nil) {
        self.reading = reading
        self.fetcher = fetcher
        self.trust = trust
    }

    public func fetch(_ entry: AssociatedDomain, developerMode: Bool, now: UnixTime) async -> SiteAnswer {
        if reading == .current, !entry.modes.isEmpty, !(developerMode && entry.modes.contains(.developer)) {
            return .denied(.modeOff("\(entry)"))
        }
        // The fetcher blocks its thread, which must not be one of those that all tasks share.
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ask(entry, now)) }
        }
    }

    private func ask(_ entry: AssociatedDomain, _ now: UnixTime) -> SiteAnswer {
        let target: SiteTarget
        let judge: ChainVerifier
        do {
            target = try SiteTarget.locate(entry.fileAuthority, entries: [AssociatedDomain(written(entry))])
            judge = try ChainVerifier(trust: trust, at: now)
        } catch {
            return .retry(AssociationFailure(code: "network-not-asked", message: problem(error)))
        }
        var request = CheckRequest()
        request.service = entry.service
        request.entries = [CheckRequest.Entry(written(entry))]
        // The simulated network has no CDN that could not reach a private host.
        request.assumesPublic = true
        let fetches = target.fetches(fetcher, judge: judge)
        let report = Checker(request, trust: trust, at: now)
            .check(fetches: fetches, site: target.text, host: target.host)
        return answer(report)
    }

    /// Modes came with iOS 14: before, the entry is the same without.
    private func written(_ entry: AssociatedDomain) -> String {
        let text = "\(entry)"
        switch reading {
        case .iOS8: return text.firstIndex(of: "?").map { String(text[..<$0]) } ?? text
        case .current: return text
        }
    }

    private func answer(_ report: Report) -> SiteAnswer {
        switch report.verdict(reading.ofSites) {
        case .denied: return .denied(failure(in: report, .denial))
        case .retry: return .retry(failure(in: report, .retry))
        case .associated:
            guard let file = text(in: report).flatMap(SiteFile.init(json:)) else {
                return .denied(failure(in: report, .denial))
            }
            return .file(file)
        }
    }

    /// The file that the reading takes: iOS 8 the one at the root, later systems the other, behind its redirects.
    private func text(in report: Report) -> [UInt8]? {
        let order: [FilePath] =
            switch reading {
            case .iOS8: [.root, .wellKnown]
            case .current: [.wellKnown]
            }
        for path in order {
            for fetch in report.fetches where fetch.path == path {
                for step in fetch.steps.reversed() {
                    if let text = report.texts[step.url.description] { return text }
                }
            }
        }
        return nil
    }

    private func failure(in report: Report, _ effect: Effect) -> AssociationFailure {
        let issue = report.issues.first { $0.effects[reading.ofSites] == effect }
        return AssociationFailure(
            code: issue?.code ?? "device-no-file", message: issue?.message ?? "the site has no file to read")
    }

    private func problem(_ error: any Error) -> String { (error as? any ExplainedError)?.problem ?? "\(error)" }
}
