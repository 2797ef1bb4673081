import ArgumentParser
import AssociatedDomains
import Platform
import SharedWebCredentials
import UltraMotivatorClient

extension DeviceTools {
    /// On or off.
    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    struct Advance: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "advance",
            abstract: "Let time pass, and ask the sites that fall due.",
            discussion: "Example: motivator device advance 3h")

        @Argument(help: "How long, such as 90s, 5m, 3h or 5d.")
        var duration: DurationArgument

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let checks = try await context.device.advance(duration.seconds)
            let now = await context.device.now
            let lines = checks.map { check in
                let outcome = check.record.failure.map { ": \($0)" } ?? ""
                return "\(Timestamp.text(check.time)) \(check.record.service.rawValue):\(check.record.domain) "
                    + "\(check.record.siteApproval.rawValue)\(outcome)"
            }
            return DeviceAnswer(
                lines: lines + ["It is \(Timestamp.text(now)) on the device."],
                json: [
                    "now": .text(Timestamp.text(now)),
                    "checks": .list(
                        checks.map { ["time": .text(Timestamp.text($0.time)), "association": $0.record.json] }),
                ])
        }
    }

    struct DeveloperMode: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "developer-mode", abstract: "Switch developer mode: entries with mode=developer ask the site.",
            discussion: "Example: motivator device developer-mode on")

        @Argument(help: "on or off.")
        var wanted: Switch

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            await context.device.setDeveloperMode(wanted == .on)
            return DeviceAnswer(
                lines: ["Developer mode is \(wanted.rawValue)."], json: ["developer_mode": .truth(wanted == .on)])
        }
    }

    struct AutoFill: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "autofill", abstract: "Switch AutoFill, without which no password is shared.",
            discussion: "Example: motivator device autofill off")

        @Argument(help: "on or off.")
        var wanted: Switch

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            await context.device.setAutoFill(wanted == .on)
            return DeviceAnswer(lines: ["AutoFill is \(wanted.rawValue)."], json: ["autofill": .truth(wanted == .on)])
        }
    }

    struct Allow: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow",
            abstract: "Allow again that passwords are saved for a host, after never.",
            discussion: "Example: motivator device allow --domain example.com")

        @Option(help: ArgumentHelp("The host.", valueName: "name"))
        var domain: String

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            let host = try UsageError.of("--domain") { try ServerAddress(domain) }.host
            let wasForbidden = await context.device.allowSaving(for: host)
            return DeviceAnswer(
                lines: ["Passwords may be saved for \(host)\(wasForbidden ? " again" : ", as before")."],
                json: ["allowed": .text(host), "changed": .truth(wasForbidden)])
        }
    }

    struct Answer: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "answer",
            abstract: "Answer prompts beforehand, for all commands to come.",
            discussion: """
                Example: motivator device answer save=yes pick=ray

                The prompts are save, update, delete and pick; the answers yes, no, never (save), an account (pick), \
                and ask, which takes an answer back.
                """)

        @Argument(help: ArgumentHelp("Prompt with its answer.", valueName: "prompt=answer"))
        var answers: [String] = []

        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceAnswer {
            guard prompts.policy != nil || !answers.isEmpty else {
                throw UsageError("there is no answer", remedy: "Write one such as save=yes, or give --yes or --no")
            }
            var policy = await context.device.state.prompts
            if let given = prompts.policy { policy = given }
            for answer in answers { try policy.add(answer) }
            await context.device.setPrompts(policy)
            return DeviceAnswer(lines: ["Noted."], json: ["noted": true])
        }
    }
}

/// A span of time on the command line, such as `3h`.
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
