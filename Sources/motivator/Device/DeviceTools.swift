public import ArgumentParser
import MotivatorPlatform
import SharedWebCredentials
import UltraMotivatorClient

struct DeviceTools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Simulate a device: install apps, check real sites, share passwords, open links.",
        discussion: """
            Example: motivator device install --app D3KQX62K1A.com.example.DemoApp --entitlement \
            webcredentials:example.com

            The device keeps its state in one file (--state). Only you can read the file, because it contains \
            passwords in plain text. Errors from the credential functions include Apple's error code and name.

            With --json, each command prints one document. Its "prompts" member lists the prompts that appeared, in \
            order, with their answers.

            These environment variables replace the defaults of options: MOTIVATOR_DEVICE_STATE (--state), \
            MOTIVATOR_DEVICE_SYSTEM (--system), MOTIVATOR_TRUST (--trust), MOTIVATOR_CONNECT_TO (--connect-to, \
            separated by spaces), MOTIVATOR_TIMEOUT (--timeout) and MOTIVATOR_ASSUME_PUBLIC (--assume-public).
            """,
        subcommands: [
            Status.self, Reset.self, Install.self, Uninstall.self, Associations.self, Advance.self, DeveloperMode.self,
            Managed.self, AutoFill.self, Save.self, Request.self, Passwords.self, AutoFillOffers.self, Fill.self,
            OpenURL.self, Passkey.self, Answer.self, Run.self, AppTools.self,
        ])
}

struct DeviceOptions: ParsableArguments {
    static let defaultState = DataFolder.path("device.json")

    @Option(
        "File for the device's state. It contains passwords in plain text. [$MOTIVATOR_DEVICE_STATE]", value: "file")
    var state = Environment["MOTIVATOR_DEVICE_STATE"] ?? defaultState

    @Option("Operating system of a new device: ios8, ios9 or current. [$MOTIVATOR_DEVICE_SYSTEM]", value: "system")
    var system: DeviceSystem?

    @OptionGroup(title: "Requests to sites")
    var sites: SiteOptions

    @OptionGroup var audience: PublicOptions

    @Flag(help: "Print one JSON document.")
    var json = false
}

struct PromptOptions: ParsableArguments {
    @Flag(name: .customLong("yes"), help: "Answer every prompt with yes, and pick the first account.")
    var saysYes = false

    @Flag(name: .customLong("no"), help: "Answer every prompt with no.")
    var saysNo = false

    @Option("Pick this account, and answer no to every other prompt.", value: "account")
    var choose: String?

    func validate() throws {
        try require(
            [saysYes, saysNo, choose != nil].count(where: { $0 }) <= 1, "--yes, --no and --choose cannot be combined.")
    }

    /// The answers for one command. If nil, the answers come from the state or from the user at the terminal.
    var policy: PromptPolicy? {
        if let choose { return PromptPolicy(.no, rules: [.pick: .account(choose), .usePasskey: .account(choose)]) }
        if saysYes { return PromptPolicy(.yes) }
        return saysNo ? PromptPolicy(.no) : nil
    }
}

extension DeviceSystem: ExpressibleByArgument {}

struct DeviceResult {
    let lines: [String]
    let json: JSONNode
    var exitCode = MotivatorPlatform.ExitCode.yes
    /// Apple's error code.
    var status: Int32?
    /// Whether to print the result even if the state cannot be saved, because it would otherwise be lost.
    var mustBePrinted = false
    /// The prompts that appeared, in order, with their answers.
    var prompts: [JSONNode] = []

    var document: JSONNode { json.adding("prompts", .list(prompts)) }

    func print(asJSON: Bool) throws(FileError) {
        try Output.result(json: asJSON, document, text: lines.map { "\($0)\n" }.joined())
    }
}

protocol DeviceCommand: AsyncParsableCommand {
    var options: DeviceOptions { get }
    var policy: PromptPolicy? { get }

    func perform(in context: DeviceContext) async throws -> DeviceResult
}

/// A command whose options answer the prompts.
protocol PromptingCommand: DeviceCommand {
    var prompts: PromptOptions { get }
}

extension PromptingCommand {
    var policy: PromptPolicy? { prompts.policy }
}

extension DeviceCommand {
    var policy: PromptPolicy? { nil }

    func run() async throws {
        let result = try await options.withDevice { device, prompter, save -> DeviceResult in
            prompter.policy = policy
            var result = try await perform(
                in: DeviceContext(device: device, sites: options.sites, save: save, read: Input.standardLine))
            result.prompts = prompter.takeAnswered()
            do { try await save() } catch {
                if result.mustBePrinted { try result.print(asJSON: options.json) }
                throw error
            }
            return result
        }
        try result.print(asJSON: options.json)
        try endCommand(with: result.exitCode)
    }
}

extension Input {
    /// Reads standard input without its trailing line break.
    fileprivate static func standardLine(limit: Int) throws -> String {
        var bytes = try File.readStandardInput(limit: limit)
        // Compare bytes, because a Swift string treats CR LF as one character.
        if bytes.last == .lineFeed {
            bytes.removeLast()
            if bytes.last == .carriageReturn { bytes.removeLast() }
        }
        return try require(
            String(validating: bytes, as: UTF8.self), "standard input is not UTF-8", fix: "Encode the input as UTF-8")
    }
}

struct DeviceContext {
    /// Saves the state before the command ends, so an interruption does not lose changes.
    typealias Save = @Sendable () async throws -> Void

    /// The maximum size of a password on standard input, in bytes.
    private static let inputLimit = 4_096

    let device: SimulatedDevice
    let sites: SiteOptions
    let save: Save
    /// Reads standard input up to a limit, or the input in a script.
    let read: (_ limit: Int) throws -> String

    func input(limit: Int = DeviceContext.inputLimit) throws -> String { try read(limit) }

    /// Returns a client for the API of a server, with the clock of the device.
    func api(_ server: ServerAddress) async throws -> APIClient {
        let ahead = await device.state.ahead
        return APIClient(
            server: server, trust: try sites.anchors(), options: try sites.fetcherOptions(),
            clock: Clock { Clock.system.now() + ahead })
    }
}

extension DeviceOptions {
    /// Loads the device, and locks it while `body` runs. Then saves the state, even after an error.
    /// - Parameter fresh: whether to start with a new device. It keeps the system, unless `--system` selects another.
    func withDevice<Result>(
        fresh: Bool = false,
        _ body: (SimulatedDevice, TerminalPrompter, @escaping DeviceContext.Save) async throws -> Result
    ) async throws -> Result {
        // A closed pipe must not stop the process before the state is saved.
        signal(SIGPIPE, SIG_IGN)
        var system = system
        if system == nil, let text = Environment["MOTIVATOR_DEVICE_SYSTEM"] {
            system = try require(
                DeviceSystem(rawValue: text), "MOTIVATOR_DEVICE_SYSTEM: \(text.excerpt) is not a known system",
                fix: "Use ios8, ios9 or current")
        }
        if self.state == Self.defaultState { try File.makeFolder(DataFolder.folder, mode: 0o700) }
        let file = try DeviceStateFile(self.state)
        let state = fresh || file.isNew ? DeviceState(system ?? file.state.system) : file.state
        if let system, system != state.system {
            throw ExplainedFailure(
                "the device in \(self.state.quoted) runs \(state.system.rawValue)",
                fix: "Remove --system, use another file, or run: motivator device reset")
        }
        let prompter = TerminalPrompter()
        let device = try SimulatedDevice(
            state: state,
            network: HTTPSAssociationSource(
                state.system, options: try sites.fetcherOptions(), trust: try sites.anchors(),
                assumesPublic: audience.assumePublic),
            prompter: prompter)
        prompter.device = device
        let kept = Guarded(fresh ? file.state : state)
        let save: DeviceContext.Save = {
            let changed = await device.state
            guard kept.withLock({ $0 != changed }) else { return }
            try file.save(changed)
            kept.withLock { $0 = changed }
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(device, prompter, save)) } catch { result = .failure(error) }
        try await save()
        return try result.get()
    }
}

/// A prompter that answers the device's prompts from the command's options, saved answers, or the user's input.
// Unchecked because of the mutable variables. Commands run in sequence, and each command sets the variables first.
final class TerminalPrompter: Prompter, @unchecked Sendable {
    /// The answers for the running command, or nil if it has none.
    var policy: PromptPolicy?
    /// The device. Its state contains the saved answers.
    weak var device: SimulatedDevice?
    private var answered: [JSONNode] = []

    func answer(_ prompt: Prompt) async -> Prompt.Answer {
        let answer = await given(prompt)
        answered.append(prompt.json(answer))
        return answer
    }

    /// Returns the prompts since the last call, with their answers.
    func takeAnswered() -> [JSONNode] {
        defer { answered = [] }
        return answered
    }

    private func given(_ prompt: Prompt) async -> Prompt.Answer {
        if let policy { return await policy.answer(prompt) }
        let prepared = await device?.state.prompts ?? PromptPolicy()
        if prepared.given(prompt.kind) == nil, isatty(STDIN_FILENO) == 1 { return ask(prompt) }
        return await prepared.answer(prompt)
    }

    /// Prompts until the user enters a valid answer. End of input means no.
    private func ask(_ prompt: Prompt) -> Prompt.Answer {
        let isPicker = prompt.kind.isPicker
        if isPicker { Output.sentence(prompt.text.printable) }
        for (index, choice) in prompt.choices.enumerated() where isPicker {
            Output.sentence("  \(index + 1)  \(choice)".printable)
        }
        let question =
            isPicker
            ? "Enter a number from 1 to \(prompt.choices.count), or nothing to cancel:"
            : "\(prompt.text) \(prompt.mayRefuseForever ? "(yes, no, never)" : "(yes, no)")".printable
        while true {
            Output.sentence(question)
            guard let line = readLine() else { return .no }
            let word = line.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
            if let answer = Self.answer(word, prompt) { return answer }
        }
    }

    private static func answer(_ word: String, _ prompt: Prompt) -> Prompt.Answer? {
        switch word {
        case "n", "no", "": .no
        case "y" where !prompt.kind.isPicker, "yes" where !prompt.kind.isPicker: .yes
        case "never" where prompt.mayRefuseForever: .never
        case _ where prompt.kind.isPicker:
            Int(word).flatMap { prompt.choices.indices.contains($0 - 1) ? .choice($0 - 1) : nil }
        case _: nil
        }
    }
}
