/// A set of rules for a check. Each profile produces its own verdict.
public enum Profile: String, CaseIterable, Sendable, Hashable {
    /// iOS 14 or later, and macOS 11 or later. The device fetches the file from Apple's CDN, or from the host if the
    /// entry has a mode.
    case device
    /// Apple's current documentation, which is sometimes stricter and sometimes more lenient than devices.
    case documented
    /// iOS 9 to 13. The device fetches the file from the host and accepts plain JSON.
    case ios9
    /// iOS 8, as described in Apple's archived reference. The device requires a signed file at the root path.
    case ios8
}

/// The effect of an issue on the association.
public enum Effect: String, CaseIterable, Sendable, Hashable, Comparable {
    /// The association works as intended.
    case note
    /// The association works, but not as intended, or not for every user.
    case warning
    /// The association fails for now, and the device tries again.
    case retry
    /// The association fails.
    case denial

    /// The severity of the issue in a report.
    public var severity: Severity {
        switch self {
        case .note: .note
        case .warning: .warning
        case .retry, .denial: .error
        }
    }

    public static func < (one: Effect, other: Effect) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The severity of an issue.
public enum Severity: String, CaseIterable, Sendable, Hashable, Comparable {
    case note, warning, error

    public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The effect of an issue in each profile. The effect is nil in a profile without the rule.
public struct SeverityByProfile: Sendable, Hashable {
    public var device: Effect?
    public var documented: Effect?
    public var ios9: Effect?
    public var ios8: Effect?
    /// The profiles whose effect no source confirms.
    public private(set) var unproven: Set<Profile> = []

    /// Creates the effects of an issue.
    public init(device: Effect? = nil, documented: Effect? = nil, ios9: Effect? = nil, ios8: Effect? = nil) {
        (self.device, self.documented, self.ios9, self.ios8) = (device, documented, ios9, ios8)
    }

    /// Returns the same effect for every profile.
    public static func all(_ effect: Effect) -> SeverityByProfile {
        SeverityByProfile(device: effect, documented: effect, ios9: effect, ios8: effect)
    }

    /// The effects for input that the documentation forbids but all devices accept.
    package static let documentedOnly = SeverityByProfile(
        device: .warning, documented: .denial, ios9: .warning, ios8: .warning)

    /// Returns the effects of a Digital Asset Links rule. Only `device` and `documented` apply to Android.
    package static func android(_ effect: Effect) -> SeverityByProfile {
        SeverityByProfile(device: effect, documented: effect)
    }

    /// The effect in one profile.
    public subscript(profile: Profile) -> Effect? {
        get {
            switch profile {
            case .device: device
            case .documented: documented
            case .ios9: ios9
            case .ios8: ios8
            }
        }
        set {
            switch profile {
            case .device: device = newValue
            case .documented: documented = newValue
            case .ios9: ios9 = newValue
            case .ios8: ios8 = newValue
            }
        }
    }

    /// The profiles that the issue affects.
    public var profiles: [Profile] { Profile.allCases.filter { self[$0] != nil } }

    package var isNote: Bool { Profile.allCases.allSatisfy { self[$0] ?? .note == .note } }

    package func unproven(in profiles: Profile...) -> SeverityByProfile {
        var marked = self
        marked.unproven.formUnion(profiles)
        return marked
    }

    package func only(in profiles: some Sequence<Profile>) -> SeverityByProfile {
        var kept = SeverityByProfile()
        for profile in profiles { kept[profile] = self[profile] }
        kept.unproven = unproven.intersection(profiles)
        return kept
    }

    /// Returns the effects, capped at `limit` in the given profiles.
    package func atMost(_ limit: Effect, in profiles: [Profile] = Profile.allCases) -> SeverityByProfile {
        var limited = self
        for profile in profiles { limited[profile] = self[profile].map { min($0, limit) } }
        return limited
    }

    /// Returns the more serious of two effects in each profile.
    package func joined(with other: SeverityByProfile) -> SeverityByProfile {
        var joined = self
        for profile in Profile.allCases { joined[profile] = [self[profile], other[profile]].compactMap(\.self).max() }
        joined.unproven.formUnion(other.unproven)
        return joined
    }
}
