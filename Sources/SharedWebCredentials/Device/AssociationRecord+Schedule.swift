import AssociatedDomains
import Platform

/// When sites are checked again.
///
/// Sources: Shared Web Credentials Reference (archived) for iOS 8; observed since iOS 14, where "3 to 4 hours" is 3 here.
enum CheckSchedule {
    /// Seconds from a success to the next check: about 5 days.
    static let afterSuccess: UnixTime = 5 * 86_400
    /// Seconds from a failure to the next check, if there is one.
    static let afterFailure: UnixTime = 3 * 3_600
    /// The maximum number of checks in a row that iOS 8 makes of a site that cannot respond, including the first.
    static let tries = 8
}

extension AssociationRecord {
    /// Updates the record with the result of a check.
    ///
    /// - Parameters:
    ///   - response: the site's response.
    ///   - time: the time of the check.
    ///   - system: the simulated system.
    ///   - isByCall: whether an app's call caused the check. It then keeps the schedule unless the site decided.
    mutating func update(_ response: SiteResponse, at time: UnixTime, _ system: DeviceSystem, isByCall: Bool) {
        lastChecked = time
        switch response {
        case .file(let file) where file.names(app, for: service): approve(file, at: time)
        case .file: deny(.notListed("\(app)", service.rawValue), at: time, system)
        case .denied(let failure): deny(failure, at: time, system)
        case .retry(let failure):
            self.failure = failure
            if !isByCall { postpone(at: time, system) }
        }
    }

    /// Whether an app's call makes the device check the site immediately, because it could not respond so far.
    func isCheckedByCall(_ system: DeviceSystem) -> Bool {
        switch system {
        case .iOS8: siteApproval == .unspecified
        case .current: false
        }
    }

    private mutating func approve(_ file: SiteFile, at time: UnixTime) {
        siteApproval = .approved
        links = service == .applinks ? String(decoding: file.json, as: UTF8.self) : ""
        failure = nil
        retries = 0
        nextCheck = time + CheckSchedule.afterSuccess
    }

    private mutating func deny(_ failure: AssociationFailure, at time: UnixTime, _ system: DeviceSystem) {
        siteApproval = .denied
        links = ""
        self.failure = failure
        switch system {
        case .iOS8:
            // Final: only a new installation checks again.
            retries = 0
            nextCheck = nil
        case .current:
            retries += 1
            nextCheck = time + CheckSchedule.afterFailure
        }
    }

    /// Keeps the site's earlier decision as long as further checks follow.
    private mutating func postpone(at time: UnixTime, _ system: DeviceSystem) {
        retries += 1
        nextCheck = time + CheckSchedule.afterFailure
        switch system {
        case .iOS8:
            guard retries >= CheckSchedule.tries else { return }
            nextCheck = nil
            siteApproval = .unspecified
            links = ""
        case .current: break
        }
    }
}
