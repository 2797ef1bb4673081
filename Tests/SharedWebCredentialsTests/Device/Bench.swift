import AssociatedDomains
import MotivatorPlatform
import Testing

@testable import SharedWebCredentials

/// A device with the demo app installed.
struct Bench {
    static let start: UnixTime = 1_800_000_000
    static let host = "ultra-motivator.test"

    let device: SimulatedDevice
    let network: ScriptedNetwork
    let prompter: RecordingPrompter
    let app: AppIdentifier

    var functions: any SharedWebCredentials { device.credentials(of: app) }

    /// - Parameters:
    ///   - system: The simulated system.
    ///   - entries: The entries of the app.
    ///   - answers: The responses of sites. By default, the demo site approves the app.
    ///   - answer: The user's answer to every prompt.
    ///   - change: Changes the device's state before the app is installed.
    init(
        _ system: DeviceSystem = .current, entries: [String] = ["webcredentials:\(host)"],
        answers: [String: [SiteResponse]] = [:], answer: Prompt.Answer = .no,
        _ change: (inout DeviceState) -> Void = { _ in }
    ) async throws {
        app = try AppIdentifier("D3KQX62K1A.com.example.DemoApp")
        var state = DeviceState(system)
        change(&state)
        network = ScriptedNetwork([Bench.host: [.good]].merging(answers) { $1 })
        prompter = RecordingPrompter(answer)
        device = try SimulatedDevice(
            state: state, network: network, prompter: prompter, clock: Clock { Bench.start })
        try await device.install(app: app, entries: entries)
    }

    /// The record of the first entry.
    var record: AssociationRecord {
        get async throws { try #require(await device.state.records.first) }
    }

    /// The times of the requests in seconds after the start, in order.
    var timesAsked: [Int64] { network.asked.map { $0.time - Bench.start } }
}

extension SharedCredential {
    static func demo(
        _ account: String, _ password: String = "secret", server: String = Bench.host, port: UInt16? = nil
    ) -> SharedCredential {
        SharedCredential(server: server, account: account, password: password, port: port)
    }

    /// The complete credential as text. `description` omits the password.
    var whole: String { "\(account)/\(password)@\(server)" + (port.map { ":\($0)" } ?? "") }
}
