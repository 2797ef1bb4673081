import AssociatedDomains

/// What a finding means in one reading.
public enum Consequence: String, CaseIterable, Sendable, Hashable, Comparable {
    /// Worth knowing, and no more.
    case note
    /// It works, but not as was meant, or not for everybody.
    case warning
    /// No association for the time being.
    case retry
    /// No association.
    case denial

    /// How a report ranks it.
    public var severity: Severity {
        switch self {
        case .note: .note
        case .warning: .warning
        case .retry, .denial: .error
        }
    }

    public static func < (one: Consequence, other: Consequence) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .retry: 2
        case .denial: 3
        }
    }
}

/// How much a finding weighs.
public enum Severity: String, CaseIterable, Sendable, Hashable, Comparable {
    case note, warning, error

    public static func < (one: Severity, other: Severity) -> Bool { one.rank < other.rank }

    private var rank: Int {
        switch self {
        case .note: 0
        case .warning: 1
        case .error: 2
        }
    }
}

/// What a finding means in each reading; nil where a reading does not know the rule.
public struct Consequences: Sendable, Hashable {
    public var documented: Consequence?
    public var device: Consequence?
    public var legacy: Consequence?

    /// - Parameters: the consequence in each reading.
    public init(documented: Consequence? = nil, device: Consequence? = nil, legacy: Consequence? = nil) {
        self.documented = documented
        self.device = device
        self.legacy = legacy
    }

    /// The same in every reading.
    public static func all(_ consequence: Consequence) -> Consequences {
        Consequences(documented: consequence, device: consequence, legacy: consequence)
    }

    /// The consequence in one reading.
    public subscript(reading: Reading) -> Consequence? {
        get {
            switch reading {
            case .documented: documented
            case .device: device
            case .legacy: legacy
            }
        }
        set {
            switch reading {
            case .documented: documented = newValue
            case .device: device = newValue
            case .legacy: legacy = newValue
            }
        }
    }

    /// The readings in which there is any.
    public var readings: [Reading] { Reading.allCases.filter { self[$0] != nil } }

    /// The same, where it counts.
    ///
    /// - Parameter readings: those that it counts in.
    public func only(in readings: Set<Reading>) -> Consequences {
        var kept = self
        for reading in Reading.allCases where !readings.contains(reading) { kept[reading] = nil }
        return kept
    }

    /// Both; where both have one, the graver.
    package func joined(with other: Consequences) -> Consequences {
        var joined = self
        for reading in Reading.allCases {
            joined[reading] = [self[reading], other[reading]].compactMap(\.self).max()
        }
        return joined
    }
}
