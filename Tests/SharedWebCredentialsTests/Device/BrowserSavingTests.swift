import HTTPSClient
import Testing

@testable import SharedWebCredentials

@Suite("When the browser offers to save a password")
struct BrowserSavingTests {
    @Test(
        "An empty user name or password is not saved, and causes no prompt", arguments: [("", "secret"), ("ray", "")])
    func empty(_ account: String, _ password: String) async throws {
        let bench = try await Bench(answer: .yes)
        let url = try WebURL("https://\(Bench.host)/")
        #expect(await bench.device.saveInBrowser(url, account: account, password: password) == false)
        #expect(bench.prompter.asked.isEmpty)
        #expect(await bench.device.state.credentials.isEmpty)
    }

    @Test("After never, the browser does not ask again at any port of the host")
    func never() async throws {
        let bench = try await Bench(answer: .never)
        for text in ["https://\(Bench.host)/", "https://\(Bench.host)/", "https://\(Bench.host):8443/"] {
            let url = try WebURL(text)
            #expect(await bench.device.saveInBrowser(url, account: "ray", password: "secret") == false)
        }
        #expect(bench.prompter.asked.map(\.kind) == [.save])
        #expect(await bench.device.state.neverSaved == [Bench.host])
    }

    @Test("After Not Now, the browser asks again")
    func notNow() async throws {
        let bench = try await Bench(answer: .no)
        let url = try WebURL("https://\(Bench.host)/")
        for _ in 0..<2 {
            #expect(await bench.device.saveInBrowser(url, account: "ray", password: "secret") == false)
        }
        #expect(bench.prompter.asked.map(\.kind) == [.save, .save])
    }

    @Test("Never is not offered for a changed password, and does not apply to later prompts")
    func neverForUpdate() async throws {
        let bench = try await Bench(answer: .never) { $0.credentials = [.demo("ray", "old")] }
        let url = try WebURL("https://\(Bench.host)/")
        #expect(await bench.device.saveInBrowser(url, account: "ray", password: "secret") == false)
        #expect(bench.prompter.asked.map(\.kind) == [.update])
        #expect(await bench.device.state.neverSaved.isEmpty)
    }
}
