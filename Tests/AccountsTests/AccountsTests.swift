import Platform
import Testing

@testable import Accounts

@Suite("Accounts") struct AccountsTests {
    private let scratch: Scratch
    private let bench: Bench

    init() throws {
        scratch = try Scratch()
        bench = try Bench(try SQLiteStore.open(path: scratch.database))
    }

    @Test("Who signs up is signed in, and can sign in again with the name in whatever case")
    func signUpAndIn() async throws {
        let new = try await bench.signUp("Ada")
        #expect(new.name == "Ada")
        #expect(try await bench.accounts.session(new.token) == Session(name: "Ada"))
        let again = try await bench.signIn("aDA")
        #expect(again.name == "Ada")
        #expect(again.token != new.token)
        #expect(try await bench.accounts.session(again.token) == Session(name: "Ada"))
        #expect(try await bench.accounts.session(new.token) == Session(name: "Ada"))
    }
}
