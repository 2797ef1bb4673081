/// What a device would come to, in one reading of the rules.
public enum Verdict: String, Sendable, Hashable {
    /// App and domain are associated.
    case associated
    /// They are not, and will not be before something is changed.
    case denied
    /// They are not at present; a device tries again by itself.
    case retry
}
