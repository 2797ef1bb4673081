public import AssociatedDomains
import Foundation
public import MotivatorPlatform

/// The reason why a shared web credentials function failed, with Apple's error code and name.
public enum SharedCredentialError: ExplainedError, Hashable {
    /// Apple's error codes, with their names in `SecBase.h` and `MacErrors.h`.
    public enum Status: Int32, CaseIterable, Sendable {
        case errSecParam = -50
        case errSecBadReq = -909
        case errSecMissingEntitlement = -34018
        case errSecAuthFailed = -25293
        case errSecDuplicateItem = -25299
        case errSecItemNotFound = -25300
    }

    /// The domain is missing or empty, and the entitlement has none.
    case noDomain
    /// The account is missing or empty.
    case noAccount
    /// The password is empty. Only a missing password deletes the item.
    case noPassword
    case autoFillOff
    /// The app has no application identifier, and so it has no entitlement.
    case noIdentifier(domain: String)
    /// No entry has exactly this host. `wildcard` covers the host for other services, but counts here only as its bare
    /// host.
    case notInEntitlement(domain: String, app: AppIdentifier, wildcard: AssociatedDomain? = nil)
    /// The site does not list the app, or the device could not check the site. `reason` and `fix` are nil if unknown.
    case notApproved(domain: String, app: AppIdentifier, reason: String?, fix: String? = nil)
    /// The user chose never to save a password for the host.
    case neverSaved(domain: String)
    /// No item matches. `related` lists the hosts with an item that the developer may have meant. They differ in a
    /// leading `www.` or in the port.
    case notFound(domains: [String], account: String?, related: [String] = [])
    /// The app requested the items of several domains, and none of the sites has approved it. Apple's functions report
    /// this like `notFound`.
    case noneApproved(domains: [String], app: AppIdentifier)
    /// The user canceled the picker. Apple's functions report this like `notFound`.
    case canceled
    /// An error that only a real device reports.
    case other(code: Int32, text: String)

    /// Apple's error code; nil for `other`.
    public var status: Status? {
        switch self {
        case .noDomain, .noAccount, .noPassword: .errSecParam
        case .autoFillOff: .errSecBadReq
        case .noIdentifier, .notInEntitlement: .errSecMissingEntitlement
        case .notApproved: .errSecAuthFailed
        case .neverSaved: .errSecDuplicateItem
        case .notFound, .noneApproved, .canceled: .errSecItemNotFound
        case .other: nil
        }
    }

    /// Apple's error code as a number, such as -25300.
    public var code: Int32 { if case .other(let code, _) = self { code } else { status?.rawValue ?? 0 } }

    /// Apple's name, such as `errSecItemNotFound`; the name of the type if the name of the code is unknown.
    public var name: String { status.map { "\($0)" } ?? (code > 0 ? "ASAuthorizationError" : "OSStatus") }

    /// The hosts with an item that the developer may have meant; empty for errors other than `notFound`.
    package var relatedHosts: [String] { if case .notFound(_, _, let related) = self { related } else { [] } }

    /// The message, similar to the messages of Apple's functions.
    public var message: String {
        switch self {
        case .noDomain: "no domain provided"
        case .noAccount: "no account provided"
        case .noPassword: "no password provided"
        case .autoFillOff: "AutoFill is turned off"
        case .noIdentifier(let domain):
            "\(domain.shortened.quoted) not found in \(Entitlements.key) entitlement: the app has no application identifier"
        case .notInEntitlement(let domain, let app, let wildcard):
            "\(domain.shortened.quoted) not found in \(Entitlements.key) entitlement of \(app)"
                + (wildcard.map { ": the entry \($0) counts only as \($0.fileAuthority.quoted)" } ?? "")
        case .notApproved(let domain, let app, let reason, _):
            "\(domain.shortened.quoted) failed to approve \(app)" + (reason.map { ": \($0)" } ?? "")
        case .neverSaved(let domain): "the user chose never to save a password for \(domain.shortened.quoted)"
        case .notFound(let domains, let account, let related):
            "no matching items found for \(account.map { "\($0.shortened.quoted) at " } ?? "")\(domains.listed)"
                + (related.isEmpty ? "" : ", but an item exists for \(related.listed)")
        case .noneApproved(let domains, let app):
            "no matching items found, because none of these sites approves \(app): \(domains.listed)"
        case .canceled: "no matching items found, because the user canceled the picker"
        case .other(_, let text): text
        }
    }

    public var problem: String { "\(message) (\(name) \(code))" }

    public var fix: String {
        switch self {
        case .noDomain: "Pass a domain from the app's webcredentials entries"
        case .noAccount: "Pass an account that is not empty"
        case .noPassword: "Pass a password that is not empty, or nil to delete the saved password"
        case .autoFillOff: "Turn on AutoFill"
        case .noIdentifier: "Pass the app's application identifier, such as D3KQX62K1A.com.example.DemoApp"
        case .notInEntitlement(let domain, _, _):
            domain.punycode.map { "Pass the domain in Punycode: \($0)" }
                ?? "Install the app with the entry webcredentials:"
                + "\(domain.isEntryHost ? domain.loweredASCII : "HOST"), with exactly the site's host"
        case .notApproved(let domain, let app, _, let fix):
            fix ?? "See the association record, and check the site with: motivator association check "
                + "\(domain.shortened.shellQuoted) --app \(app) --service webcredentials"
        case .neverSaved: "Start again with a new device: motivator device reset"
        case .notFound(_, _, let related):
            related.isEmpty
                ? "Save a password first, or request another account"
                : "Use the same host everywhere: each host and port has its own items"
        case .noneApproved: "See the association records, and check the sites with: motivator association check"
        case .canceled: "Pick an account"
        case .other: "Look up the number in SecBase.h or ASAuthorizationError.h"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .noDomain, .noAccount, .noPassword: .usage
        case .noIdentifier, .notInEntitlement, .notApproved, .neverSaved, .notFound, .noneApproved, .canceled, .other:
            .no
        case .autoFillOff: .notPermitted
        }
    }
}

extension [String] {
    fileprivate var listed: String {
        prefix(3).map(\.shortened.quoted).joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
    }
}

extension String {
    /// The text, truncated to 80 characters to keep a message on one line.
    var shortened: String { unicodeScalars.count > 80 ? String(unicodeScalars.prefix(80)) + "…" : self }

    /// The ASCII form of an international domain with its port; nil for another text.
    fileprivate var punycode: String? {
        guard !utf8.allSatisfy({ $0 < 0x80 }), let url = URLComponents(string: "https://\(self)/") else { return nil }
        let site = url.encodedHost.map { $0 + (url.port.map { ":\($0)" } ?? "") }
        return site.flatMap { $0.isEntryHost ? $0 : nil }
    }

    fileprivate var isEntryHost: Bool { (try? AssociatedDomain("webcredentials:\(self)")) != nil }
}
