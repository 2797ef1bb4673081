import ArgumentParser
import Platform
import SharedWebCredentials

/// `motivator device`: a device that is simulated, with apps, association records and shared passwords.
struct DeviceTools: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Simulate a device: install apps, ask real sites, share passwords, open links.",
        discussion: """
            Example: motivator device install --app D3KQX62K1A.com.example.DemoApp --entitlement \
            webcredentials:example.com

            All that the device knows is in one file (--state), readable by you alone because it holds passwords in \
            clear. Errors of the credential functions carry Apple's number and name.
            """,
        subcommands: [
            Install.self, Uninstall.self, Associations.self, Advance.self, DeveloperMode.self, AutoFill.self,
            Save.self, Allow.self, Request.self, Passwords.self, OpenURL.self, Answer.self, Run.self, AppTools.self,
        ])
}

/// Where the device's state is, and how sites are asked.
struct DeviceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("File of the device's state; it holds passwords in clear.", valueName: "file"))
    var state = "device.json"

    @Option(help: ArgumentHelp("Whose device a new file is for: ios8 or current.", valueName: "system"))
    var system: DeviceReading?

    @OptionGroup(title: "How sites are asked")
    var sites: SiteOptions

    @Flag(help: "Print one JSON document.")
    var json = false
}

/// How prompts are answered in one command.
struct PromptOptions: ParsableArguments {
    @Flag(name: .customLong("yes"), help: "Answer every prompt with yes, and pick the first account.")
    var saysYes = false

    @Flag(name: .customLong("no"), help: "Answer every prompt with no.")
    var saysNo = false

    @Option(help: ArgumentHelp("Pick this account, and answer no to everything else.", valueName: "account"))
    var choose: String?

    func validate() throws {
        guard [saysYes, saysNo, choose != nil].filter({ $0 }).count <= 1 else {
            throw ValidationError("--yes, --no and --choose exclude each other.")
        }
    }

    /// The answers for one command; nil leaves them to the state, or to who sits at the terminal.
    var policy: PromptPolicy? {
        if let choose { return PromptPolicy(.no, rules: [.pick: .account(choose)]) }
        if saysYes { return PromptPolicy(.yes) }
        return saysNo ? PromptPolicy(.no) : nil
    }
}

extension DeviceReading: ExpressibleByArgument {}

/// What a command on the device came to.
struct DeviceAnswer {
    /// Lines for people.
    let lines: [String]
    /// The same for programs.
    let json: JSONNode
    /// What the process ends with.
    var exitCode = Platform.ExitCode.yes
    /// Apple's number, when one of the functions was refused.
    var status: Int32?
    /// Whether it holds what nobody can get again, so that it is told even where the state cannot be kept.
    var isNowhereElse = false

    func tell(asJSON: Bool) throws(FileError) {
        try Output.result(asJSON ? json.bytes() : Array(lines.map { "\($0)\n" }.joined().utf8))
    }
}

/// What a command works on.
struct DeviceContext {
    let device: SimulatedDevice
    /// How sites are asked.
    let sites: SiteOptions
    /// Keeps the state before the command ends, so that an interruption does not lose what cannot be had again.
    let save: DeviceSession.Save
    /// Gives what stands on standard input, or what a script gives in its place.
    let input: () throws -> String
}

/// A command that does something on the device.
protocol DeviceCommand: AsyncParsableCommand {
    var options: DeviceOptions { get }
    /// How prompts are answered in this command alone.
    var policy: PromptPolicy? { get }

    func perform(in context: DeviceContext) async throws -> DeviceAnswer
}

extension DeviceCommand {
    var policy: PromptPolicy? { nil }

    func run() async throws {
        let answer = try await DeviceSession(options).run(self) {
            var bytes = try File.readStandardInput(limit: DeviceSession.inputLimit)
            // A line end is no part of a password; by bytes, as CR with LF is one character of a string.
            if bytes.last == 0x0A {
                bytes.removeLast()
                if bytes.last == 0x0D { bytes.removeLast() }
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw UsageError("what stands on standard input is not UTF-8", remedy: "Give the password as UTF-8")
            }
            return text
        }
        try answer.tell(asJSON: options.json)
        try Ending.end(with: answer.exitCode)
    }
}
