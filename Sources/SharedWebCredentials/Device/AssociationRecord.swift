public import AssociatedDomains
public import MotivatorPlatform

/// The decision of a user or a site about an app and a domain.
public enum Approval: String, CaseIterable, Sendable, Codable {
    /// No decision yet.
    case unspecified
    case approved, denied
}

/// The reason why a check of a site's association file did not approve an app.
public struct AssociationFailure: Error, Hashable, CustomStringConvertible, Codable {
    /// The code of a diagnostic, which `motivator association explain` explains, or a code specific to the device.
    public let code: String
    /// The problem, without a full stop.
    public let message: String

    public init(code: String, message: String) { (self.code, self.message) = (code, message) }

    public var description: String { "\(message) [\(code)]" }

    /// The condition and the setting of each mode. An entry with both modes needs both (Apple, Configuring an
    /// associated domain).
    private static let modes: [(mode: AssociatedDomain.Modes, condition: String, setting: String)] = [
        (
            .developer, "developer mode is on",
            "turn on Settings > Developer > Associated Domains Development (motivator device developer-mode on)"
        ),
        (.managed, "the device is managed", "install a management profile on the device (motivator device managed on)"),
    ]

    /// Returns the failure for an entry whose file the device may not fetch directly from the host.
    static func modeOff(_ entry: AssociatedDomain) -> AssociationFailure {
        let words = modes.filter { entry.modes.contains($0.mode) }.map { $0.condition }.joined(separator: " and ")
        return AssociationFailure(code: "device-mode-off", message: "the entry \(entry) works only when \(words)")
    }

    /// Returns the fix for an entry whose mode is off; nil for another failure.
    func modeFix(_ entry: AssociatedDomain) -> String? {
        guard self == .modeOff(entry) else { return nil }
        let settings = Self.modes.filter { entry.modes.contains($0.mode) }.map { $0.setting }
        let setting = settings.joined(separator: " and ").sentence.clause
        // Without a mode, Apple's CDN fetches the file, but only from a public host.
        guard !HostText.isPrivate(entry.host), !entry.isAddress else { return setting }
        return "\(setting), or remove \("\(entry)".drop { $0 != "?" }) from the entry and install the app again"
    }
}

/// A device's record of one entry in an app's entitlement, with the fields of `swcutil show`.
public struct AssociationRecord: Sendable, Hashable, Codable {
    /// The app.
    public let app: AppIdentifier
    /// The app's version.
    public let appVersion: String
    /// The entry, with the service and the domain.
    public let entry: AssociatedDomain
    /// The user's answer to the last prompt to save, update or delete a password.
    public internal(set) var userApproval = Approval.unspecified
    /// Whether the site lists the app. Only this approval determines what the credential functions may do.
    public internal(set) var siteApproval = Approval.unspecified
    /// The time of the last check; nil before the first check.
    public internal(set) var lastChecked: UnixTime?
    /// The time of the next check; nil if none is scheduled.
    public internal(set) var nextCheck: UnixTime?
    /// The reason why the last check failed; nil if it succeeded.
    public internal(set) var failure: AssociationFailure?
    /// The number of consecutive failed checks. Up to iOS 13, denials do not count. Checks without a response do not
    /// count if an app's call caused them.
    public internal(set) var retries = 0
    /// The JSON of the site's file, for universal links. Empty for other services and without an approval.
    public internal(set) var links = ""

    enum CodingKeys: String, CodingKey {
        case app
        case appVersion = "app_version"
        case entry
        case userApproval = "user_approval"
        case siteApproval = "site_approval"
        case lastChecked = "last_checked"
        case nextCheck = "next_check"
        case failure = "error"
        case retries, links
    }

    /// The service.
    public var service: Service { entry.service }

    /// The domain as written in the entry, such as `*.example.com` or `example.com:8443`.
    public var domain: String { (entry.isWildcard ? "*." : "") + entry.fileAuthority }

    /// Returns the fix for the failure: a setting, or the command that finds the cause.
    func fix(_ system: DeviceSystem) -> String {
        // Before iOS 14, a wildcard does not cover the host after `*.`, which has the file.
        let host = (entry.isWildcard && system.isBeforeIOS14 ? "www." : "") + entry.fileAuthority
        let last = lastChecked ?? 0
        let next = nextCheck.map { "at \(Timestamp.text($0)) (motivator device advance \(($0 - last) / 3_600)h), or " }
        return failure?.modeFix(entry)
            ?? "If you repaired the site after \(Timestamp.text(last)), the device checks it again \(next ?? "")when you "
            + "install the app again. To find the cause, run: motivator association check \(host.shellQuoted) "
            + "--entitlement \("\(entry)".shellQuoted) --app \(app)"
            + (system.isBeforeIOS14 ? " --profile \(system.ofSites.rawValue)" : "")
    }

    /// The record in the format of `swcutil show`: a line for each field, without a trailing line break.
    public var text: String {
        let fields: [(name: String, value: String)] = [
            ("Service", service.rawValue), ("App ID", "\(app)"),
            // Remove the quotes, but keep line breaks and control characters escaped.
            ("App Version", String(appVersion.quoted.dropFirst().dropLast())), ("Domain", domain + modes),
            ("User Approval", userApproval.rawValue), ("Site/Fmwk Approval", siteApproval.rawValue),
            ("Last Checked", moment(lastChecked)), ("Next Check", moment(nextCheck)),
            ("Error", failure?.description ?? ""), ("Retries", "\(retries)"),
        ]
        let width = 22
        return fields.map { field in
            let name = "\(field.name):"
            return field.value.isEmpty
                ? name : name + String(repeating: " ", count: width - name.utf8.count) + field.value
        }.joined(separator: "\n")
    }

    package var json: JSONNode {
        .members([
            ("service", .text(service.rawValue)), ("app", .text("\(app)")), ("app_version", .text(appVersion)),
            ("domain", .text(domain)), ("entry", .text("\(entry)")), ("user_approval", .text(userApproval.rawValue)),
            ("site_approval", .text(siteApproval.rawValue)),
            ("last_checked", .optional(lastChecked.map(Timestamp.text))),
            ("next_check", .optional(nextCheck.map(Timestamp.text))),
            ("error", failure.map { ["code": .text($0.code), "message": .text($0.message)] } ?? .null),
            ("retries", .number(retries)),
        ])
    }

    private var modes: String { "\(entry)".split(separator: "?").dropFirst().map { "?\($0)" }.joined() }

    /// Formats a time as `swcutil` does: `2026-01-31 09:05:00 +0000`.
    private func moment(_ time: UnixTime?) -> String {
        guard let time else { return "" }
        return Timestamp.text(time).replacing("T", with: " ").replacing("Z", with: " +0000")
    }
}
