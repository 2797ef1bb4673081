public import AssociatedDomains
public import Platform

/// Why one of the functions of shared web credentials was refused, with Apple's number and name.
public enum SharedCredentialError: ExplainedError, Hashable {
    /// Apple's numbers for it, by their names in `SecBase.h` and `MacErrors.h`.
    public enum Status: Int32, CaseIterable, Sendable {
        case errSecParam = -50
        case errSecBadReq = -909
        case errSecMissingEntitlement = -34018
        case errSecAuthFailed = -25293
        case errSecDuplicateItem = -25299
        case errSecItemNotFound = -25300
    }

    /// No domain, an empty one, or none in the entitlement to take in its place.
    case noDomain
    /// No account, or an empty one.
    case noAccount
    case autoFillOff
    /// The app has no application identifier, and so no entitlement.
    case noIdentifier(domain: String)
    case notInEntitlement(domain: String, app: AppIdentifier)
    /// The site does not name the app, or could not be asked; what went wrong, when it is known.
    case notApproved(domain: String, app: AppIdentifier, reason: String?)
    /// The person wants no password saved for the host.
    case neverSaved(domain: String)
    case notFound(domains: [String], account: String?)
    /// What a real device may say beside those; the simulated one never does.
    case other(code: Int32, text: String)

    /// Which of Apple's errors it is; nil for `other`.
    public var status: Status? {
        switch self {
        case .noDomain, .noAccount: .errSecParam
        case .autoFillOff: .errSecBadReq
        case .noIdentifier, .notInEntitlement: .errSecMissingEntitlement
        case .notApproved: .errSecAuthFailed
        case .neverSaved: .errSecDuplicateItem
        case .notFound: .errSecItemNotFound
        case .other: nil
        }
    }

    /// Apple's number, such as -25300.
    public var code: Int32 {
        switch self {
        case .other(let code, _): code
        case .noDomain, .noAccount, .autoFillOff, .noIdentifier, .notInEntitlement, .notApproved, .neverSaved,
            .notFound:
            status?.rawValue ?? 0
        }
    }

    /// Apple's name, such as `errSecItemNotFound`; `OSStatus` where no name is known.
    public var name: String { status.map { "\($0)" } ?? "OSStatus" }

    /// In the words of Apple's functions, with the values.
    public var message: String {
        switch self {
        case .noDomain: "no domain provided"
        case .noAccount: "no account provided"
        case .autoFillOff: "AutoFill is switched off, so that no password is shared"
        case .noIdentifier(let domain):
            "\(domain.shortened.quoted) not found in \(Entitlements.key) entitlement: the app has no application identifier"
        case .notInEntitlement(let domain, let app):
            "\(domain.shortened.quoted) not found in \(Entitlements.key) entitlement of \(app)"
        case .notApproved(let domain, let app, let reason):
            "\(domain.shortened.quoted) failed to approve \(app)" + (reason.map { ": \($0)" } ?? "")
        case .neverSaved(let domain): "no password is ever to be saved for \(domain.shortened.quoted)"
        case .notFound(let domains, let account):
            "no matching items found for \(account.map { "\($0.shortened.quoted) at " } ?? "")\(domains.listed)"
        case .other(_, let text): text
        }
    }

    public var problem: String { "\(message) (\(name) \(code))" }

    public var remedy: String {
        switch self {
        case .noDomain: "Name a domain of the app's webcredentials entries"
        case .noAccount: "Give an account of at least one character"
        case .autoFillOff: "Switch AutoFill on"
        case .noIdentifier: "Name the app by its application identifier, such as D3KQX62K1A.com.example.DemoApp"
        case .notInEntitlement(let domain, _):
            "Install the app with the entry webcredentials:\(domain.isEntryHost ? domain.loweredASCII : "HOST"), "
                + "exactly the host of the web site"
        case .notApproved(let domain, let app, _):
            "See the association record, and what the site lacks with: motivator association check "
                + "\(domain.shortened.shellQuoted) --app \(app) --service webcredentials"
        case .neverSaved(let domain):
            "Allow the host again with: motivator device allow --domain \(domain.shortened.shellQuoted)"
        case .notFound: "Save a password first, or look for another account"
        case .other: "Look the number up in SecBase.h"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .noDomain, .noAccount: .usage
        case .noIdentifier, .notInEntitlement, .notApproved, .neverSaved, .notFound, .other: .no
        case .autoFillOff: .notPermitted
        }
    }
}

extension [String] {
    /// The first few in quotes, and that there are more.
    fileprivate var listed: String {
        prefix(3).map(\.shortened.quoted).joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
    }
}

extension String {
    /// At most 80 characters of the text, so that a message stays a line whatever an app asks for.
    var shortened: String { unicodeScalars.count > 80 ? String(unicodeScalars.prefix(80)) + "…" : self }

    /// Whether it could stand in an entry.
    fileprivate var isEntryHost: Bool { (try? AssociatedDomain("webcredentials:\(self)")) != nil }
}
