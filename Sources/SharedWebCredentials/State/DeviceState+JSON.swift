import AssociationChecker
public import Platform

extension DeviceState {
    /// What the first member of every state says.
    static let format = "ultra-motivator device state"
    /// The version of the form below.
    static let version = 1

    /// The state as it is kept; reading it gives the same again.
    public var json: JSONNode {
        .members([
            ("format", .text(DeviceState.format)), ("version", .number(DeviceState.version)),
            ("reading", .text(reading.rawValue)), ("developer_mode", .truth(developerMode)),
            ("autofill", .truth(autoFill)), ("ahead", .number(Int(ahead))), ("latest", .time(latest)),
            ("prompts", prompts.json), ("apps", .list(apps.map(\.json))), ("records", .list(records.map(\.kept))),
            ("credentials", .list(credentials.map(\.json))), ("keychain", .list(keychain.map(\.kept))),
            ("never_saved", .list(neverSaved.map { .text($0) })),
        ])
    }
}

extension JSONNode {
    fileprivate static func time(_ time: UnixTime?) -> JSONNode { .optional(time.map { Int($0) }) }
}

extension PromptPolicy {
    fileprivate var json: JSONNode {
        .members(
            (fallback.map { [(key: "fallback", value: $0.json)] } ?? [])
                + rules.sorted { $0.key < $1.key }.map { ($0.key.rawValue, $0.value.json) })
    }
}

extension PromptPolicy.Rule {
    fileprivate var json: JSONNode {
        switch self {
        case .yes: "yes"
        case .no: "no"
        case .never: "never"
        case .account(let account): .members([("account", .text(account))])
        }
    }
}

extension InstalledApp {
    fileprivate var json: JSONNode {
        .members([
            ("identifier", .text("\(identifier)")), ("version", .text(version)), ("app_clip", .truth(isAppClip)),
            ("entries", .list(entries.map { .text($0) })),
        ])
    }
}

extension KeychainItem {
    fileprivate var kept: JSONNode {
        .members([
            ("app", .text("\(app)")), ("domain", .text(domain)), ("account", .text(account)),
            ("password", .text(password)),
        ])
    }
}

extension AssociationRecord {
    /// Unlike `json`, which is for people and scripts, what is needed to go on.
    fileprivate var kept: JSONNode {
        .members([
            ("app", .text("\(app)")), ("app_version", .text(appVersion)), ("entry", .text("\(entry)")),
            ("user_approval", .text(userApproval.rawValue)), ("site_approval", .text(siteApproval.rawValue)),
            ("last_checked", .time(lastChecked)), ("next_check", .time(nextCheck)),
            (
                "error",
                failure.map { .members([("code", .text($0.code)), ("message", .text($0.message))]) } ?? .null
            ),
            ("retries", .number(retries)), ("links", .text(String(decoding: links, as: UTF8.self))),
        ])
    }
}
