public import Platform

/// Why one of the three functions failed.
public enum SharedCredentialError: ExplainedError, Hashable, Sendable {
    case authFailed(domain: String)
    case itemNotFound(domain: String)
    public var problem: String { "" }
    public var remedy: String { "" }
    public var exitCode: ExitCode { .no }
}
