// Users of the library import one module for both the models and their issues.
@_exported public import AssociationDiagnostics

/// A service that an app and a domain can share (Apple, "Associated Domains Entitlement").
///
/// The raw value is the key in the association file and the word before the colon in an entitlement entry.
public enum Service: String, CaseIterable, Sendable {
    /// Shared web credentials: passwords and passkeys.
    case webcredentials
    /// Universal links.
    case applinks
    /// App Clips.
    case appclips
    /// Handoff between devices.
    case activitycontinuation
    /// Message filters, which can send messages to a server for classification.
    case messagefilter
    /// Extensions that report unwanted calls and messages.
    case classificationreport
    /// Single sign-on extensions, usually in entries with `?mode=managed`.
    case authsrv
}

extension String {
    /// The text without its final full stop, for use inside another sentence.
    package var clause: String { hasSuffix(".") ? String(dropLast()) : self }

    /// The text as a sentence, with a full stop. The first letter is capitalized unless the first word is a name.
    package var sentence: String {
        let word = prefix { $0 != " " && $0 != "," }
        let isName =
            Service(rawValue: String(word)) != nil
            || !word.allSatisfy { ("a"..."z").contains($0) || $0 == "-" || $0 == "'" }
        let end = ".?!".contains(last ?? ".") ? "" : "."
        guard let first, first.isLowercase, !isName else { return self + end }
        return first.uppercased() + dropFirst() + end
    }
}
