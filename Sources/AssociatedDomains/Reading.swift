/// Whose rules are followed: where Apple's documents and devices differ, each has a verdict of its own.
public enum Reading: String, CaseIterable, Sendable, Hashable {
    /// What Apple's current documents say.
    case documented
    /// What devices since iOS 14 have been observed to do.
    case device
    /// iOS 8 to 13, all of them.
    case legacy
}
