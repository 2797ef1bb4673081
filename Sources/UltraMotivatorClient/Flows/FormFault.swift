public import Platform

/// What the app itself has against a form, before anything is sent.
public enum FormFault: ExplainedError, Hashable {
    /// The fewest characters of each field (the tutorial's app).
    public static let fewest = 5

    case accountTooShort
    case passwordTooShort
    case confirmationDiffers

    public var problem: String {
        switch self {
        case .accountTooShort: "the user name has fewer than \(Self.fewest) characters"
        case .passwordTooShort: "the password has fewer than \(Self.fewest) characters"
        case .confirmationDiffers: "the confirmation is not the same as the password"
        }
    }

    public var remedy: String {
        switch self {
        case .accountTooShort, .passwordTooShort: "Use at least \(Self.fewest) characters"
        case .confirmationDiffers: "Type the same password twice, or have one generated"
        }
    }

    public var exitCode: ExitCode { .usage }
}
