import ArgumentParser
import AssociatedDomains
import MotivatorPlatform
import SharedWebCredentials

extension DeviceTools {
    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    struct Advance: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "advance", abstract: "Advance the device's clock, and run the site checks that become due.",
            discussion: "Example: motivator device advance 3h")

        @Argument(help: "The duration, such as 90s, 5m, 3h or 5d.")
        var duration: DurationArgument

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let checks = try await context.device.advance(duration.seconds)
            let now = await context.device.now
            let lines = checks.map { check in
                let outcome = check.record.failure.map { ": \($0)" } ?? ""
                return "\(Timestamp.text(check.time)) \(check.record.service.rawValue):\(check.record.domain) "
                    + "\(check.record.siteApproval.rawValue)\(outcome)"
            }
            return DeviceResult(
                lines: lines + ["The device's time is \(Timestamp.text(now))."],
                json: [
                    "now": .text(Timestamp.text(now)),
                    "checks": .list(
                        checks.map { ["time": .text(Timestamp.text($0.time)), "association": $0.record.json] }),
                ])
        }
    }

    struct DeveloperMode: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "developer-mode",
            abstract: "Turn developer mode on or off. When on, the device fetches mode=developer files from the site.",
            discussion: "Example: motivator device developer-mode on")

        @Argument(help: "on or off.")
        var wanted: Switch

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            await context.device.setDeveloperMode(wanted == .on)
            return DeviceResult(
                lines: ["Developer mode is \(wanted.rawValue)."], json: ["developer_mode": .truth(wanted == .on)])
        }
    }

    struct Managed: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "managed",
            abstract: "Add or remove a management profile. On a managed device, mode=managed files come from the site.",
            discussion: "Example: motivator device managed on")

        @Argument(help: "on or off.")
        var wanted: Switch

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            await context.device.setManaged(wanted == .on)
            return DeviceResult(
                lines: ["The device is \(wanted == .on ? "managed" : "not managed")."],
                json: ["managed": .truth(wanted == .on)])
        }
    }

    struct AutoFill: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "autofill", abstract: "Turn AutoFill on or off. When off, the device shares no passwords.",
            discussion: "Example: motivator device autofill off")

        @Argument(help: "on or off.")
        var wanted: Switch

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            await context.device.setAutoFill(wanted == .on)
            return DeviceResult(lines: ["AutoFill is \(wanted.rawValue)."], json: ["autofill": .truth(wanted == .on)])
        }
    }

    struct Answer: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "answer", abstract: "Set the answers to the prompts of all later commands.",
            discussion: """
                Example: motivator device answer save=yes pick=ray

                The prompts are save, update, delete, pick, create-passkey and use-passkey. The answers are yes, no, \
                never (only for save), an account (only for pick and use-passkey), and ask (to remove a saved answer).
                """)

        @Argument(help: ArgumentHelp("A prompt and its answer.", valueName: "prompt=answer"))
        var answers: [String] = []

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            try require(
                prompts.policy != nil || !answers.isEmpty, "the answer is missing",
                fix: "Pass an answer such as save=yes, or use --yes or --no")
            var policy = await context.device.state.prompts
            if let given = prompts.policy { policy = given }
            for answer in answers { try policy.add(answer) }
            await context.device.setPrompts(policy)
            return DeviceResult(lines: ["Saved."], json: ["noted": true])
        }
    }

    struct Status: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show the device's system, time, apps and settings.",
            discussion: "Example: motivator device status --json")

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            .status(await context.device.state, at: await context.device.now)
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset",
            abstract: "Replace the device with a new device: no apps, no passwords, and this machine's time.",
            discussion: """
                Example: motivator device reset --system ios9

                Without --system, the new device keeps the old device's system.
                """)

        @OptionGroup var options: DeviceOptions

        func run() async throws {
            let result = try await options.withDevice(fresh: true) { device, _, _ in
                DeviceResult.status(await device.state, at: await device.now)
            }
            try result.print(asJSON: options.json)
        }
    }
}

/// A duration on the command line, such as `3h`.
struct DurationArgument: ExpressibleByArgument {
    let seconds: Int64

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = argument.last, let unit = units[last], argument.count > 1,
            argument.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int64(argument.dropLast())
        else { return nil }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow else { return nil }
        self.seconds = seconds
    }
}

extension DeviceResult {
    /// Returns a summary of the device without passwords.
    fileprivate static func status(_ state: DeviceState, at time: UnixTime) -> DeviceResult {
        let approved = state.records.count { $0.siteApproval == .approved }
        let answers = Prompt.Kind.allCases.compactMap { kind in
            state.prompts.given(kind).map { (key: kind.rawValue, value: "\($0)") }
        }
        let isOn = { (truth: Bool) in truth ? "on" : "off" }
        return DeviceResult(
            lines: [
                "System: \(state.system.rawValue)", "Time: \(Timestamp.text(time))",
                "Apps: \(state.apps.map { "\($0.identifier)" }.joined(separator: ", "))",
                "Associations: \(approved) of \(state.records.count) approved",
                "Saved passwords: \(state.credentials.count)", "Passkeys: \(state.passkeys.count)",
                "Passkey sync: \(isOn(state.syncsPasskeys))", "AutoFill: \(isOn(state.autoFill))",
                "Developer mode: \(isOn(state.developerMode))", "Managed: \(isOn(state.isManaged))",
                "Prepared answers: \(answers.map { "\($0.key)=\($0.value)" }.joined(separator: " "))",
            ].map { $0.hasSuffix(": ") ? $0 + "none" : $0.printable },
            json: [
                "system": .text(state.system.rawValue), "now": .text(Timestamp.text(time)),
                "apps": .list(state.apps.map { .text("\($0.identifier)") }),
                "associations": ["approved": .number(approved), "all": .number(state.records.count)],
                "passwords": .number(state.credentials.count), "passkeys": .number(state.passkeys.count),
                "passkey_sync": .truth(state.syncsPasskeys), "autofill": .truth(state.autoFill),
                "developer_mode": .truth(state.developerMode), "managed": .truth(state.isManaged),
                "answers": .members(answers.map { (key: $0.key, value: .text($0.value)) }),
            ])
    }
}
