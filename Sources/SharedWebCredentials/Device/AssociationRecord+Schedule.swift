import AssociatedDomains
import MotivatorPlatform

/// The schedule for checking sites again.
///
/// Sources: "Shared Web Credentials Reference" (archived) for iOS 8, and observation since iOS 14. The observed "3 to 4
/// hours" is 3 hours here.
enum CheckSchedule {
    /// The seconds from a success to the next check: about 5 days.
    static let afterSuccess: UnixTime = 5 * 86_400
    /// The seconds from a failure to the next check, if there is one.
    static let afterFailure: UnixTime = 3 * 3_600
    /// The maximum number of consecutive checks that iOS 8 makes if a site cannot respond, including the first.
    static let tries = 8
}

extension AssociationRecord {
    /// Updates the record with the result of a check.
    ///
    /// - Parameters:
    ///   - response: the site's response.
    ///   - time: the time of the check.
    ///   - system: the simulated system.
    ///   - isByCall: whether an app's call caused the check. The schedule then changes only if the site responded.
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

    /// Returns whether an app's call makes the device check the site again, because the site has not responded yet.
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
            // Final: only a new installation checks the site again.
            retries = 0
            nextCheck = nil
        case .current:
            retries += 1
            nextCheck = time + CheckSchedule.afterFailure
        }
    }

    /// Keeps the site's earlier decision while more checks follow.
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
