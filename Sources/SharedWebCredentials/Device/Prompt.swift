public import AssociatedDomains
package import MotivatorPlatform

/// The user of a simulated device, or a script that answers for the user.
public protocol Prompter: Sendable {
    /// Answers a prompt. The device waits for the answer, so the prompter must not wait for the device.
    func answer(_ prompt: Prompt) async -> Prompt.Answer
}

/// A question from the device to the user. It never contains a password.
public struct Prompt: Sendable, Hashable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Save a new password?
        case save
        /// Replace the saved password?
        case update
        /// Delete the saved password?
        case delete
        /// Which saved password does the app get?
        case pick
        /// Create a passkey?
        case createPasskey = "create-passkey"
        /// Sign in with which passkey?
        case usePasskey = "use-passkey"

        /// Whether the user picks a line.
        package var isPicker: Bool { self == .pick || self == .usePasskey }
    }

    /// A line in the picker.
    public struct Choice: Sendable, Hashable {
        /// The user name.
        public let account: String
        /// The host.
        public let server: String
        /// The port; nil for 443.
        public let port: UInt16?
    }

    /// The user's answer.
    public enum Answer: Sendable, Hashable {
        /// Yes; for the picker, its first line.
        case yes
        /// "Not Now"; for the picker, "Cancel".
        case no
        /// "Never for This Website" if `mayRefuseForever`; otherwise the same as `no`.
        case never
        /// A line in the picker, numbered from 0. The same as `no` for any other number or kind of prompt.
        case choice(Int)
    }

    /// The kind of question.
    public let kind: Kind
    /// The app that caused the prompt; nil for the browser.
    public let app: AppIdentifier?
    /// The account to save, update or delete, or of the new passkey; for a picker, its lines.
    public let choices: [Choice]

    /// Whether "Never for This Website" is offered.
    public var mayRefuseForever: Bool { kind == .save }

    /// The text of the question.
    public var text: String {
        let whose = app.map { "\($0)" } ?? "the browser"
        let what = choices.first.map { "the password of \($0)" } ?? "no password"
        return switch kind {
        case .save: "Save \(what) for \(whose)?"
        case .update: "Update \(what) for \(whose)?"
        case .delete: "Delete \(what) for \(whose)?"
        case .pick: "Which password does \(whose) get?"
        case .createPasskey: "Create a passkey for \(choices.first.map { "\($0)" } ?? "no account"), used by \(whose)?"
        case .usePasskey: "Which passkey signs in to \(whose)?"
        }
    }

    /// Returns the line that an answer picks; nil if it picks none.
    public func picked(by answer: Answer) -> Int? {
        guard kind.isPicker else { return nil }
        return switch answer {
        case .yes: choices.indices.first
        case .choice(let index): choices.indices.contains(index) ? index : nil
        case .no, .never: nil
        }
    }

    /// Returns the prompt and its answer as JSON. For the picker, the answer is the picked line, or `no`.
    package func json(_ answer: Answer) -> JSONNode {
        let given: JSONNode =
            switch answer {
            case .yes where !kind.isPicker: "yes"
            case .never where mayRefuseForever: "never"
            case .yes, .no, .never, .choice: picked(by: answer).map { choices[$0].json } ?? "no"
            }
        return [
            "kind": .text(kind.rawValue), "text": .text(text), "choices": .list(choices.map(\.json)), "answer": given,
        ]
    }
}

extension Prompt.Choice: CustomStringConvertible {
    /// The line as JSON. `port` is present only if it is not 443.
    package var json: JSONNode {
        .members(
            [("account", .text(account)), ("server", .text(server))]
                + (port.map { [("port", .number(Int($0)))] } ?? []))
    }

    public var description: String { "\(account.shortened.quoted) at \(server)\(port.map { ":\($0)" } ?? "")" }

    package init(_ credential: SharedCredential) {
        self.init(account: credential.account, server: credential.server, port: credential.port)
    }
}
