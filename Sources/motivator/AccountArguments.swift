import Accounts
import ArgumentParser
import MotivatorPlatform
import PostgreSQLAccounts

/// The account options. `AccountOptions` explains the defaults.
struct AccountArguments: ParsableArguments {
    @OptionGroup var store: StoreArguments

    @Option("Minimum length of a new password, in characters.", value: "n")
    var minimumPasswordLength = 8

    @Option("Cost of a password hash: scrypt's log2(N), r and p. The default uses 32 MiB.", value: "N,r,p")
    var scrypt = "15,8,3"

    @Option("Failed sign-ins allowed from one address in a burst. The allowance refills over an hour.", value: "n")
    var failuresPerAddress = 100

    @Option("Sign-ups allowed from one address in a burst. The allowance refills over an hour.", value: "n")
    var signUpsPerAddress = 20

    func validate() throws {
        try require("minimum-password-length", minimumPasswordLength, in: PasswordPolicy.minimumLengths)
        try require("failures-per-address", failuresPerAddress, in: 1...1_000_000)
        try require("sign-ups-per-address", signUpsPerAddress, in: 1...1_000_000)
        _ = try options()
    }

    func options() throws -> AccountOptions {
        let numbers = scrypt.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let n = numbers[0], let r = numbers[1], let p = numbers[2] else {
            throw ValidationError(
                "--scrypt \(scrypt.quoted) is not a list of three numbers. Use log2(N), r and p, such as 15,8,3.")
        }
        var options = AccountOptions()
        do {
            options.scrypt = try ScryptParameters(log2N: n, r: r, p: p)
        } catch {
            throw ValidationError("--scrypt: \(error.problem). \(error.fix).")
        }
        options.minimumPasswordLength = minimumPasswordLength
        options.failuresPerAddress = failuresPerAddress
        options.signUpsPerAddress = signUpsPerAddress
        return options
    }
}

/// The option for the store of the accounts, which the `database` commands share.
struct StoreArguments: ParsableArguments {
    @Option(
        "SQLite file for the accounts, which serve and import create, or the postgres:// URL of a shared database.",
        value: "path")
    var database = DataFolder.path("motivator.sqlite")

    func validate() throws {
        // A URL may contain a password, so messages must not include the URL.
        try require(
            Database.isShared(database) || !database.contains("://"),
            "--database is a URL with an unsupported scheme. Use a postgres:// URL, or the path of a SQLite file.")
    }
}

enum Database {
    static func isShared(_ name: String) -> Bool { ["postgres://", "postgresql://"].contains { name.hasPrefix($0) } }

    /// Opens a database. A PostgreSQL store opens even if its server is unreachable, and connects later.
    static func open(_ name: String, creates: Bool = true) async throws -> any AccountStore {
        guard isShared(name) else { return try SQLiteStore.open(path: name, creates: creates) }
        #if PostgreSQL
        return try await PostgreSQLStore.open(url: name)
        #else
        throw ExplainedFailure(
            "--database \(Redaction.hidingPasswords(name).excerpt) needs a program with PostgreSQL support",
            fix: "Build the program with `swift build --traits PostgreSQL`, or use the path of a SQLite file")
        #endif
    }

    /// Returns why a shared database is not available; nil if it responds. Changes nothing.
    /// - Throws: the error with which `open` fails.
    static func outage(of name: String) async throws -> String? {
        #if PostgreSQL
        return try await PostgreSQLStore.outage(url: name)
        #else
        _ = try await open(name)
        return nil
        #endif
    }
}
