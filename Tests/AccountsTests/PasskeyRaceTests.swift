#if PostgreSQL
import MotivatorPlatform
import Passkeys
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

@Suite("Passkeys with two servers") struct PasskeyRaceTests {
    @Test("Of many servers, one accepts a challenge, and one accepts a counter", arguments: [true, false])
    func race(_ sharesChallenge: Bool) async throws {
        let database = try TestDatabase()
        var servers: [Bench] = []
        for _ in 0..<4 { servers.append(try Bench(try await database.open())) }
        let token = try await servers[0].signUp().token
        let session = try #require(try await servers[0].accounts.session(token))
        func challenge() throws -> UsedChallenge {
            UsedChallenge(try #require(RandomBytes.make(56)), expires: 1_800_000_300)
        }
        let passkey = Passkey(
            credential: [UInt8](repeating: 1, count: 16), rpID: "a.test", publicKey: [1], signCount: 0,
            aaguid: [UInt8](repeating: 0, count: 16), isBackupEligible: false, isBackedUp: false,
            isUserVerified: false, transports: [], name: "x", created: 0)
        try await servers[0].accounts.addPasskey(passkey, to: session, using: try challenge())
        let stored = try #require(try await servers[0].accounts.passkey(passkey.credential, rpID: "a.test"))
        for round: UInt32 in 1...10 {
            let shared = try challenge()
            var uses: [PasskeyUse] = []
            for number: UInt32 in 0..<8 {
                uses.append(
                    PasskeyUse(
                        of: stored, signCount: sharesChallenge ? round * 10 + number : round, isBackedUp: false,
                        challenge: sharesChallenge ? shared : try challenge()))
            }
            let results = await withTaskGroup(of: AccountError?.self) { [uses, servers] group in
                for (number, use) in uses.enumerated() {
                    group.addTask {
                        do throws(AccountError) {
                            // Half of the ceremonies confirm a session.
                            if number < 4 {
                                _ = try await servers[number].accounts.signIn(with: use, from: Bench.home)
                            } else {
                                try await servers[number - 4].accounts.confirm(session, with: use)
                            }
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                return await group.reduce(into: [AccountError?]()) { $0.append($1) }
            }
            #expect(results.filter { $0 == nil }.count == 1)
            let refusal = AccountError.passkey(sharesChallenge ? .challengeUsed : .counterRegression)
            #expect(results.filter { $0 == refusal }.count == 7, "\(results)")
        }
    }
}
#endif
