public import AssociatedDomains
import Platform

/// What a device asks the person; it never holds a password.
public struct Prompt: Sendable, Hashable {
    /// What is asked.
    public enum Kind: String, CaseIterable, Sendable, Comparable {
        /// Whether to save a new password.
        case save
        /// Whether a new password takes the place of the saved one.
        case update
        /// Whether to delete the saved password.
        case delete
        /// Which of the saved passwords an app gets.
        case pick

        public static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
    }

    /// A line of the picker.
    public struct Choice: Sendable, Hashable {
        /// The user name.
        public let account: String
        /// The host.
        public let server: String
        /// The port; nil for 443.
        public let port: UInt16?
    }

    /// How the person answers.
    public enum Answer: Sendable, Hashable {
        /// Yes; the picker takes it for its first line.
        case yes
        /// "Not Now", and for the picker "Cancel".
        case no
        /// "Never for This Website", where `mayRefuseForever` says that it is offered; else the same as `no`.
        case never
        /// A line of the picker, from 0; another number, and another kind of prompt, takes it for `no`.
        case choice(Int)
    }

    /// What is asked.
    public let kind: Kind
    /// The app that caused it; nil for the browser.
    public let app: AppIdentifier?
    /// What it is about: one account to save, update or delete; for the picker, its lines.
    public let choices: [Choice]

    /// Whether "Never for This Website" is offered.
    public var mayRefuseForever: Bool { kind == .save }

    /// The question in words, without a full stop.
    public var text: String {
        let whose = app.map { "\($0)" } ?? "the browser"
        let what = choices.first.map { "the password of \($0)" } ?? "no password"
        return switch kind {
        case .save: "Save \(what) for \(whose)?"
        case .update: "Update \(what) for \(whose)?"
        case .delete: "Delete \(what) for \(whose)?"
        case .pick: "Which password does \(whose) get?"
        }
    }

    /// The line that was picked, or nil when the answer is no line.
    ///
    /// - Parameter answer: the person's answer.
    public func picked(by answer: Answer) -> Int? {
        guard kind == .pick else { return nil }
        return switch answer {
        case .yes: choices.indices.first
        case .choice(let index): choices.indices.contains(index) ? index : nil
        case .no, .never: nil
        }
    }
}

extension Prompt.Choice: CustomStringConvertible {
    public var description: String { "\(account.shortened.quoted) at \(server)\(port.map { ":\($0)" } ?? "")" }

    init(_ credential: SharedCredential) {
        self.init(account: credential.account, server: credential.server, port: credential.port)
    }
}
