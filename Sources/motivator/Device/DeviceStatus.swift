import ArgumentParser
import MotivatorPlatform
import SharedWebCredentials

extension DeviceTools {
    struct Status: DeviceCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the device's system, time, apps and settings.",
            discussion: "Example: motivator device status --json")

        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            .status(await context.device.state, at: await context.device.now)
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
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
