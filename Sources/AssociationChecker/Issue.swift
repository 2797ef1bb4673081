public import AssociatedDomains
import Certificates
import HTTPSClient
import MotivatorPlatform
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
    /// Whether the user chose that the issue does not determine the exit code.
    public internal(set) var isIgnored = false
    /// The issue with its values, or nil for an issue that has only texts.
    package private(set) var kind: (any CatalogIssue)?

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

    package var isNote: Bool { effects.isNote }

    /// Whether a device cannot read the whole file.
    package var voidsFile: Bool {
        guard effects.device == .denial else { return false }
        if case ServiceIssue.notAnObject? = kind { return true }
        return kind is JSONError || kind is FileIssue
    }

    /// Whether an entry without a mode names a private host.
    package var isPrivateEntry: Bool {
        if case .privateHost? = (kind as? AssociatedDomain.EntryIssue)?.kind { true } else { false }
    }

    /// Whether Apple's CDN states the issue as its reason.
    var isOfCDN: Bool { if case HTTPIssue.cdn? = kind { true } else { false } }

    /// Whether the fix adds a service to the file.
    var needsService: Bool {
        switch kind {
        case JSONError.empty?, ServiceIssue.noService?, ServiceIssue.notAnObject?: true
        case _: false
        }
    }

    /// Returns the severity in the first of the profiles that has the rule. Of more than two profiles, returns the most
    /// serious severity.
    public func severity(in profiles: [Profile] = Profile.allCases) -> Severity? {
        let severities = profiles.compactMap { severity(in: $0) }
        return profiles.count > 2 ? severities.max() : severities.first
    }
}

extension Issue {
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

    /// Returns the issue with only its effect in one profile, or nil if the issue has no effect there.
    func only(in profile: Profile) -> Issue? { effects[profile] == nil ? nil : only(in: [profile]) }

    func only(in profiles: [Profile]) -> Issue { changing { $0.effects = effects.only(in: profiles) } }

    func atMost(_ limit: Effect, in profiles: [Profile] = Profile.allCases) -> Issue {
        changing { $0.effects = effects.atMost(limit, in: profiles) }
    }

    /// Returns a copy with a change.
    func changing(_ change: (inout Issue) -> Void) -> Issue {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns the issues with a host's certificates.
    /// - Parameter isForDevelopers: Whether the app's entry is only for devices in developer mode.
    static func all(_ chain: ChainVerdict, in subject: String, isForDevelopers: Bool) -> [Issue] {
        var issues = chain.issues
        if case .given(let root) = chain.anchor {
            if chain.path.count == 1 {
                // The verifier accepts a certificate that is its own trust anchor, but devices do not.
                issues.append(.selfSignedAnchor(subject: root))
            } else if !isForDevelopers {
                issues.append(.givenRoot(subject: root))
            }
        }
        return issues.map { Issue($0, in: subject) }
    }

    /// The change of one place in the subject's text that follows the fix and needs no choice.
    public struct Replacement: Sendable, Hashable {
        /// The first replaced character.
        public let start: SourceLocation
        /// The location after the last replaced character.
        public let end: SourceLocation
        /// The new text.
        public let text: String
        /// The line before the change, truncated around it. Nil if the change affects several lines.
        package let before: String?
        package let after: String?

        /// The maximum number of bytes of the line that are shown on each side of the change.
        private static let reach = 48

        init(_ edit: TextEdit, in text: [UInt8]) {
            start = SourceLocation(offset: edit.range.lowerBound, in: text)
            end = SourceLocation(offset: edit.range.upperBound, in: text)
            self.text = edit.replacement
            let isInside = { (byte: UInt8) in byte != .lineFeed && byte != .carriageReturn }
            let front = text[..<edit.range.lowerBound].suffix(Self.reach + 1).reversed().prefix(while: isInside)
            let back = text[edit.range.upperBound...].prefix(Self.reach + 1).prefix(while: isInside)
            let isOnOneLine = start.line == end.line
            let head = (front.count > Self.reach ? "…" : "") + Self.text(front.prefix(Self.reach).reversed())
            let tail = Self.text(back.prefix(Self.reach)) + (back.count > Self.reach ? "…" : "")
            let old = String(decoding: text[edit.range], as: UTF8.self)
            before = isOnOneLine ? head + old + tail : nil
            after = isOnOneLine ? head + edit.replacement + tail : nil
        }

        package func applied(to bytes: [UInt8]) -> [UInt8] {
            TextEdit(start.offset..<end.offset, text).applied(to: bytes)
        }

        /// Decodes bytes without characters that are cut.
        private static func text(_ bytes: some Sequence<UInt8>) -> String {
            String(decoding: Array(bytes), as: UTF8.self).replacing("\u{FFFD}", with: "")
        }
    }
}
