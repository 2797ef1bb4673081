public import AssociatedDomains
import Certificates
import HTTPSClient
package import MotivatorPlatform
public import SourceJSON

/// An issue with a site, a file or an entitlement.
public struct Issue: Sendable, Hashable {
    /// The row of the catalog.
    public let diagnostic: Diagnostic
    /// The message in one or two sentences, with the values that caused the issue.
    public private(set) var message: String
    /// The fix, as a sentence.
    public internal(set) var fix: String
    /// The subject of the issue: a URL, a file name or an entry of the entitlement.
    public let subject: String
    /// The location in the subject, if the subject is text.
    public private(set) var location: SourceLocation?
    /// The effect of the issue in each profile.
    public internal(set) var effects: SeverityByProfile
    /// The likely reason why a host does not send the file, as sentences. A hint is never a verdict.
    public internal(set) var hint: String?
    /// The change that follows the fix, if it is one edit and needs no choice.
    public internal(set) var replacement: Replacement?
    /// The number of additional issues of the same kind that are not listed.
    public internal(set) var more = 0 {
        didSet {
            guard more > 0, kind is JSONError else { return }
            message = "\(message.clause). The file has \(more) more."
        }
    }
    /// The issue with its values, or nil for an issue that has only texts.
    package private(set) var kind: (any CatalogIssue)?

    /// The message, and the hint after it.
    package var text: String { hint.map { "\(message) \($0)" } ?? message }

    /// The stable code.
    public var code: String { diagnostic.code }

    public static func == (one: Issue, other: Issue) -> Bool {
        (one.code, one.message, one.subject, one.location, one.effects)
            == (other.code, other.message, other.subject, other.location, other.effects)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(message)
    }

    /// Returns the severity in a profile, or nil if the profile does not have the rule.
    public func severity(in profile: Profile) -> Severity? { effects[profile]?.severity }

    /// The issue on one line: the subject, the location, the message and the code.
    package var line: String {
        "\(subject.quoted): \(location.map { "\($0): " } ?? "")\(message.clause) [\(code)]"
    }

    /// Whether the issue is at most a note in every profile.
    package var isNote: Bool { Profile.allCases.allSatisfy { effects[$0] ?? .note == .note } }

    /// Whether a device cannot read the whole file.
    package var voidsFile: Bool {
        effects.device == .denial
            && (kind is JSONError || kind is FileIssue || isNotAnObject)
    }

    /// Whether an entry without a mode names a private host.
    package var isPrivateEntry: Bool {
        if case .privateHost? = (kind as? AssociatedDomain.EntryIssue)?.kind { true } else { false }
    }

    /// Whether the fix adds a service to the file.
    var needsService: Bool {
        switch kind {
        case JSONError.empty?, ServiceIssue.noService?, ServiceIssue.notAnObject?: true
        case _: false
        }
    }

    private var isNotAnObject: Bool { if case ServiceIssue.notAnObject? = kind { true } else { false } }

    /// Returns the severity in the first of the profiles that has the rule.
    public func severity(in profiles: [Profile] = Profile.allCases) -> Severity? {
        profiles.lazy.compactMap(severity).first
    }
}

extension Issue {
    /// Creates an issue from the message template of a row.
    /// - Parameters:
    ///   - values: A value for each name in the message and fix of the row.
    ///   - effects: The effects, if they differ from the row's effects.
    package init(
        _ diagnostic: some DiagnosticGroup, _ values: [String: String] = [:], in subject: String,
        at location: SourceLocation? = nil, _ effects: SeverityByProfile? = nil
    ) {
        let row = diagnostic.diagnostic
        self.init(
            diagnostic: row, message: Diagnostic.render(row.message ?? row.text, values),
            fix: Diagnostic.render(row.fix ?? "", values), subject: subject, location: location,
            effects: effects ?? row.effects)
    }

    /// Creates an issue for a row without a message.
    /// - Parameter effects: The effects, if they differ from the row's effects.
    package init(
        _ diagnostic: some DiagnosticGroup, problem: String, fix: String, in subject: String,
        at location: SourceLocation? = nil, _ effects: SeverityByProfile? = nil
    ) {
        let row = diagnostic.diagnostic
        self.init(
            diagnostic: row, message: problem.sentence, fix: fix.sentence, subject: subject, location: location,
            effects: effects ?? row.effects)
    }

    /// Creates an issue for a row.
    private init(_ issue: some CatalogIssue, problem: String, fix: String, in subject: String) {
        self.init(issue, in: subject)
        (message, self.fix) = (problem.sentence, fix.sentence)
    }

    /// Creates an issue that is its own row of the catalog.
    package init(
        _ issue: some CatalogIssue, in subject: String, at location: SourceLocation? = nil,
        _ effects: SeverityByProfile? = nil
    ) {
        let entry = issue.entry
        self.init(
            diagnostic: entry.diagnostic, message: entry.problem.sentence, fix: entry.fix.sentence, subject: subject,
            location: location, effects: effects ?? entry.diagnostic.effects)
        kind = issue
    }

    /// Creates an issue for an error with its own problem and fix.
    package init(
        _ diagnostic: some DiagnosticGroup, _ error: some ExplainedError, in subject: String,
        at location: SourceLocation? = nil, _ effects: SeverityByProfile? = nil
    ) {
        self.init(diagnostic, problem: error.problem, fix: error.fix, in: subject, at: location, effects)
    }

    /// Returns the issue with only its effect in one profile, or nil if the issue has no effect there.
    func only(in profile: Profile) -> Issue? { effects[profile] == nil ? nil : only(in: [profile]) }

    /// Returns the issue with only its effects in the given profiles.
    func only(in profiles: [Profile]) -> Issue {
        var kept = self
        kept.effects = effects.only(in: profiles)
        return kept
    }

    /// Returns the issue with its effects capped at `limit` in the given profiles.
    func atMost(_ limit: Effect, in profiles: [Profile] = Profile.allCases) -> Issue {
        var kept = self
        kept.effects = effects.atMost(limit, in: profiles)
        return kept
    }
}

// MARK: - Diagnostics for errors

extension Issue {
    init(_ failure: FetchFailure, in subject: String) {
        switch failure {
        case .unknownHost: self.init(NetworkDiagnostic.unknownHost, failure, in: subject)
        case .nameFailed, .nameTimedOut: self.init(NetworkDiagnostic.nameFailed, failure, in: subject)
        case .refused, .unreachable: self.init(NetworkDiagnostic.unreachable, failure, in: subject)
        case .connectTimedOut, .handshakeTimedOut, .headTimedOut, .contentTimedOut:
            self.init(NetworkDiagnostic.timedOut, failure, in: subject)
        case .closedInHandshake, .resetInHandshake, .reset, .closedBeforeHead, .cutShort:
            self.init(NetworkDiagnostic.closed, failure, in: subject)
        case .noResources, .unsendable, .notPermitted: self.init(NetworkDiagnostic.notRequested, failure, in: subject)
        case .handshakeFailed, .sessionBroken, .refusedChain: self.init(TLSDiagnostic.failed, failure, in: subject)
        case .protocolTooOld: self.init(TLSDiagnostic.tooOld, failure, in: subject)
        case .notTLS: self.init(TLSDiagnostic.notSpoken, failure, in: subject)
        case .tooLarge:
            self.init(FileIssue.tooLarge(size: nil), problem: failure.problem, fix: failure.fix, in: subject)
        case .malformed: self.init(HTTPDiagnostic.malformed, failure, in: subject)
        }
    }

    /// Creates the issue for a signed file that the parser cannot open.
    init(_ error: CMSError, in subject: String) {
        switch error {
        case .isPEM: self.init(FileIssue.pem, in: subject)
        case .isSMIME: self.init(FileIssue.smime, in: subject)
        case .empty:
            let row = JSONError.empty(SourceLocation(line: 1, column: 1, offset: 0))
            self.init(row, problem: error.problem, fix: error.fix, in: subject)
        case .isJSON, .malformed, .trailingBytes, .notSignedData, .detached, .noSigner, .tooManySigners,
            .signerCertificateMissing, .badSignature, .expired, .notYetValid, .untrusted, .wrongPurpose, .wrongDomain,
            .noTrustAnchors, .cannotSign:
            self.init(SignatureDiagnostic(error), error, in: subject)
        }
    }

    /// Creates the issue for a problem with a signer.
    init(_ fault: SignerIssue, in subject: String) {
        self.init(SignatureDiagnostic(fault), problem: fault.problem, fix: fault.fix, in: subject)
    }

    /// Returns the issues with a host's certificates.
    /// - Parameter isForDevelopers: Whether the app's entry is only for devices in developer mode.
    static func all(_ chain: ChainVerdict, in subject: String, isForDevelopers: Bool) -> [Issue] {
        var issues = chain.issues.map { fault in
            Issue(TLSDiagnostic(fault), problem: fault.problem, fix: fault.fix, in: subject)
        }
        guard case .given(let root) = chain.anchor else { return issues }
        if chain.path.count == 1 {
            // The verifier accepts a certificate that is its own trust anchor, but devices do not.
            issues.append(
                Issue(
                    TLSDiagnostic.selfSigned,
                    problem:
                        "the certificate \(root.quotedName) is self-signed; devices reject it even if it is trusted",
                    fix: ChainIssue.selfSigned(subject: root).fix, in: subject,
                    SeverityByProfile(device: .denial, documented: .denial)))
        } else if !isForDevelopers {
            issues.append(Issue(TLSDiagnostic.givenRoot, ["root": root.quotedName], in: subject))
        }
        return issues
    }
}

extension TLSDiagnostic {
    fileprivate init(_ fault: ChainIssue) {
        self =
            switch fault {
            case .noCertificate: .failed
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .wrongHost: .wrongHost
            case .noAlternativeName: .noAlternativeName
            case .selfSigned: .selfSigned
            case .untrustedRoot: .untrusted
            case .incomplete: .incomplete
            case .tooLong: .tooLong
            case .notForServers: .notForServers
            case .noPurpose: .noPurpose
            case .weakKey: .weakKey
            case .weakDigest: .weakDigest
            case .wildcardTooWide: .wildcardTooWide
            case .wrongOrder, .unneeded: .untidy
            case .notAnAuthority, .nameConstraint, .badSignature, .pathTooLong, .chainTooLong, .refused: .badChain
            }
    }
}

extension SignatureDiagnostic {
    fileprivate init(_ fault: SignerIssue) {
        self =
            switch fault {
            case .noSigner: .noSigner
            case .certificateMissing: .certificateMissing
            case .badSignature: .bad
            case .certificate(let fault): SignatureDiagnostic(fault)
            case .wrongDomain: .wrongDomain
            case .commonNameOnly: .commonNameOnly
            case .wrongPurpose: .wrongPurpose
            case .weakDigest: .weak
            case .tooManySigners: .malformed
            case .noTrustAnchors: .untrusted
            case .severalSigners: .several
            }
    }

    private init(_ fault: ChainIssue) {
        self =
            switch fault {
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .selfSigned: .selfSigned
            case .untrustedRoot: .untrusted
            case .incomplete: .incomplete
            case .weakKey, .weakDigest: .weak
            case .notForServers, .noPurpose: .wrongPurpose
            case .wrongHost, .noAlternativeName, .wildcardTooWide: .wrongDomain
            case .noCertificate: .certificateMissing
            case .tooLong, .notAnAuthority, .nameConstraint, .badSignature, .pathTooLong, .chainTooLong, .refused,
                .wrongOrder, .unneeded:
                .badChain
            }
    }

    fileprivate init(_ error: CMSError) {
        self =
            switch error {
            case .detached: .detached
            case .noSigner: .noSigner
            case .signerCertificateMissing: .certificateMissing
            case .badSignature: .bad
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .untrusted, .noTrustAnchors: .untrusted
            case .wrongPurpose: .wrongPurpose
            case .wrongDomain: .wrongDomain
            case .empty, .isPEM, .isSMIME, .isJSON, .malformed, .trailingBytes, .notSignedData, .tooManySigners,
                .cannotSign:
                .malformed
            }
    }
}
