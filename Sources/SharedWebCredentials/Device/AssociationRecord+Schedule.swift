import AssociatedDomains
import AssociationChecker
import MotivatorPlatform

/// The schedule for checking sites again.
///
/// Sources: "Shared Web Credentials Reference" (archived) up to iOS 13, and observations on iOS 14 and later. The
/// observed "3 to 4 hours" is 3 hours here.
enum CheckSchedule {
    /// The seconds from a successful check to the next check on iOS 14 and later: about 5 days.
    static let afterSuccess: UnixTime = 5 * 86_400
    /// The seconds from the first failure to the next check, if there is one.
    static let afterFailure: UnixTime = 3 * 3_600
    /// The maximum number of checks up to iOS 13 if a site cannot respond, including the first check.
    static let tries = 8

    /// Returns the seconds from a failure to the next check on iOS 14 and later: 3, 6, 12, 24, 48, 96 and then 120
    /// hours.
    /// - Parameter count: the number of consecutive failures, at least 1.
    static func interval(afterFailures count: Int) -> UnixTime {
        min(afterFailure << min(count - 1, 6), afterSuccess)
    }
}

extension AssociationRecord {
    /// Updates the record with the result of a check.
    /// - Parameter isByCall: whether an app's call caused the check. In this case, the check is not one of the `tries`,
    ///   and the schedule changes only if the site responded.
    mutating func update(_ response: SiteResponse, at time: UnixTime, _ system: DeviceSystem, isByCall: Bool) {
        lastChecked = time
        switch response {
        case .file(let file) where file.lists(app, for: service):
            siteApproval = .approved
            links = service == .applinks ? String(decoding: file.content, as: UTF8.self) : ""
            failure = nil
            retries = 0
            nextCheck = system.isBeforeIOS14 ? nil : time + CheckSchedule.afterSuccess
        case .file:
            let message = "\(service.rawValue) does not list \(app)"
            deny(AssociationFailure(code: "app-not-listed", message: message), at: time, system)
        case .denied(let failure): deny(failure, at: time, system)
        case .retry(let failure):
            self.failure = failure
            // Keep an approval. Discard a denial, because the latest check led to no decision.
            if siteApproval == .denied { siteApproval = .unspecified }
            if !isByCall { postpone(at: time, system) }
        }
    }

    /// Whether an app's call makes the device check the site again, because the site could not respond.
    var isCheckedByCall: Bool { siteApproval == .unspecified }

    private mutating func deny(_ failure: AssociationFailure, at time: UnixTime, _ system: DeviceSystem) {
        siteApproval = .denied
        links = ""
        self.failure = failure
        retries = system.isBeforeIOS14 ? 0 : retries + 1
        nextCheck = system.isBeforeIOS14 ? nil : time + CheckSchedule.interval(afterFailures: retries)
    }

    /// Schedules the next check after a check without a response.
    private mutating func postpone(at time: UnixTime, _ system: DeviceSystem) {
        retries += 1
        if system.isBeforeIOS14 {
            nextCheck = retries >= CheckSchedule.tries ? nil : time + CheckSchedule.afterFailure
        } else {
            nextCheck = time + CheckSchedule.interval(afterFailures: retries)
        }
    }
}
