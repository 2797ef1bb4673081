import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SharedWebCredentials

/// A network without sockets, in which each site has the same file.
struct FixedNetwork: AssociationNetwork {
    let file: AssociationFile

    func fetch(
        _ entry: AssociatedDomain, for app: AppIdentifier, modes: AssociatedDomain.Modes, now: UnixTime
    ) async -> SiteResponse { .file(file) }

    func relatedOrigins(of rpID: String, now: UnixTime) async -> Result<[WebURL], AssociationFailure> { .success([]) }
}

/// A user who accepts every prompt and picks the first account.
struct AcceptingUser: Prompter {
    func answer(_ prompt: Prompt) async -> Prompt.Answer { prompt.kind == .pick ? .choice(0) : .yes }
}

let app = try AppIdentifier("D3KQX62K1A.com.example.DemoApp")
let file = AssociationFile(AssociationFile.json(webcredentials: [app]), name: "example", at: 0)
let device = try SimulatedDevice(state: DeviceState(), network: FixedNetwork(file: file), prompter: AcceptingUser())
try await device.install(app: app, entries: ["webcredentials:example.com"])

// Call the functions as an app on a device does.
let credentials = device.credentials(of: app)
let password = credentials.createPassword()
if let error = await credentials.add(domain: "example.com", account: "antoine", password: password) { throw error }
for item in try await credentials.request(domain: "example.com", account: nil).get() {
    print(item.account, "at", item.server, item.password == password ? "with the saved password" : "")
}
switch await credentials.request(domain: "example.org", account: nil) {
case .success: print("example.org: found")
case .failure(let error): print("example.org:", error.status?.rawValue ?? 0)
}
