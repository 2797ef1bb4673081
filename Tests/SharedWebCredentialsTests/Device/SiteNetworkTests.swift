import AssociatedDomains
import HTTPSClient
import Testing

@testable import SharedWebCredentials

@Suite("The network of real sites") struct SiteNetworkTests {
    static let modes: [(query: String, ofDevice: AssociatedDomain.Modes, isOff: Bool)] = [
        ("", [], false), ("", [.developer], false),
        ("?mode=developer", [], true), ("?mode=developer", [.managed], true),
        ("?mode=developer", [.developer], false), ("?mode=developer", [.developer, .managed], false),
        ("?mode=managed", [.developer], true), ("?mode=managed", [.managed], false),
        ("?mode=developer+managed", [], true), ("?mode=developer+managed", [.developer], true),
        ("?mode=developer+managed", [.managed], true), ("?mode=developer+managed", [.developer, .managed], false),
    ]

    @Test("Since iOS 14, a device uses an entry with modes only if it is in all of them", arguments: modes)
    func isUsed(_ query: String, _ ofDevice: AssociatedDomain.Modes, _ isOff: Bool) async throws {
        let entry = try AssociatedDomain("webcredentials:a.test\(query)")
        let app = try AppIdentifier("D3KQX62K1A.com.example.DemoApp")
        var options = Fetcher.Options()
        options.connectTo = [try Fetcher.ConnectTo("a.test::127.0.0.1:1")]
        // The device tries to fetch the file, but connects to no address.
        options.permits = { _ in false }
        for system in DeviceSystem.allCases {
            let network = HTTPSAssociationSource(system, options: options, trust: [])
            let response = await network.fetch(entry, for: app, modes: ofDevice, now: 0)
            let expectsOff = isOff && !system.isBeforeIOS14
            let failure: AssociationFailure? = if case .denied(let failure) = response { failure } else { nil }
            #expect((failure == .modeOff(entry)) == expectsOff, "\(system): \(response)")
        }
    }
}
