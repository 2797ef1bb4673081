import AssociatedDomains
import Platform

/// When sites are asked again.
///
/// Sources: Shared Web Credentials Reference (archived) for iOS 8; observed since iOS 14, where "3 to 4 hours" is 3 here.
enum CheckSchedule {
    /// Seconds from a success to the next check: about 5 days.
    static let afterSuccess: UnixTime = 5 * 86_400
    /// Seconds from a failure to the next check, where there is one.
    static let afterFailure: UnixTime = 3 * 3_600
    /// The checks in a row that iOS 8 makes of a site that cannot answer, the first one among them.
    static let tries = 8
}

extension AssociationRecord {
    /// Takes over what came of asking the site.
    ///
    /// - Parameters:
    ///   - answer: what came of it.
    ///   - time: when.
    ///   - reading: whose device.
    ///   - isByCall: whether an app's call caused it; the schedule then goes on as it was, unless the site decided.
    mutating func take(_ answer: SiteAnswer, at time: UnixTime, _ reading: DeviceReading, isByCall: Bool) {
        lastChecked = time
        switch answer {
        case .file(let file) where file.names(app, for: service): approve(file, at: time)
        case .file: deny(.notListed("\(app)", service.rawValue), at: time, reading)
        case .denied(let failure): deny(failure, at: time, reading)
        case .retry(let failure):
            self.failure = failure
            if !isByCall { postpone(at: time, reading) }
        }
    }

    /// Whether an app's call makes the device ask the site at once, since it could not answer so far.
    func isAskedByCall(_ reading: DeviceReading) -> Bool {
        switch reading {
        case .iOS8: siteApproval == .unspecified
        case .current: false
        }
    }

    private mutating func approve(_ file: SiteFile, at time: UnixTime) {
        siteApproval = .approved
        links = service == .applinks ? file.json : []
        failure = nil
        retries = 0
        nextCheck = time + CheckSchedule.afterSuccess
    }

    private mutating func deny(_ failure: AssociationFailure, at time: UnixTime, _ reading: DeviceReading) {
        siteApproval = .denied
        links = []
        self.failure = failure
        switch reading {
        case .iOS8:
            // For good: only a new installation asks again.
            retries = 0
            nextCheck = nil
        case .current:
            retries += 1
            nextCheck = time + CheckSchedule.afterFailure
        }
    }

    /// Keeps what the site decided before, as long as it is asked again.
    private mutating func postpone(at time: UnixTime, _ reading: DeviceReading) {
        retries += 1
        nextCheck = time + CheckSchedule.afterFailure
        switch reading {
        case .iOS8:
            guard retries >= CheckSchedule.tries else { return }
            nextCheck = nil
            siteApproval = .unspecified
            links = []
        case .current: break
        }
    }
}
