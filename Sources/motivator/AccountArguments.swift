import Accounts
import ArgumentParser
import MotivatorPlatform
import PostgreSQLAccounts

/// The account options. `AccountOptions` explains the defaults.
struct AccountArguments: ParsableArguments {
    @OptionGroup var store: StoreArguments

    @Option(help: ArgumentHelp("Minimum length of a new password, in characters.", valueName: "n"))
    var minimumPasswordLength = 8

    @Option(
        help: ArgumentHelp(
            "Cost of a password hash: scrypt's log2(N), r and p. The default uses 32 MiB.", valueName: "N,r,p")
    )
    var scrypt = "15,8,3"

    @Option(
        help: ArgumentHelp(
            "Failed sign-ins allowed from one address in a burst. The allowance refills over an hour.", valueName: "n"))
    var failuresPerAddress = 100

    @Option(
        help: ArgumentHelp(
            "Sign-ups allowed from one address in a burst. The allowance refills over an hour.", valueName: "n"))
    var signUpsPerAddress = 20

    func validate() throws {
        let lengths = PasswordPolicy.minimumLengths
        guard lengths.contains(minimumPasswordLength) else {
            throw ValidationError(
                "--minimum-password-length is \(minimumPasswordLength). "
                    + "Use a number from \(lengths.lowerBound) to \(lengths.upperBound).")
        }
        let buckets = [
            ("failures-per-address", failuresPerAddress), ("sign-ups-per-address", signUpsPerAddress),
        ]
        for (name, value) in buckets where !(1...1_000_000).contains(value) {
            throw ValidationError("--\(name) is \(value). Use a number from 1 to 1000000.")
        }
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
        help: ArgumentHelp(
            "SQLite file for the accounts (created if missing), or the postgres:// URL of a shared database.",
            valueName: "path"))
    var database = DataFolder.path("motivator.sqlite")

    /// Rejects URLs with unsupported schemes.
    func validate() throws {
        // A URL may contain a password, so messages must not include the URL.
        guard Database.isShared(database) || !database.contains("://") else {
            throw ValidationError(
                "--database is a URL with an unsupported scheme. Use a postgres:// URL, or the path of a SQLite file.")
        }
    }
}

enum Database {
    static func isShared(_ name: String) -> Bool { ["postgres://", "postgresql://"].contains { name.hasPrefix($0) } }

    /// Opens a database. A PostgreSQL store opens even if its server is unreachable, and connects later.
    static func open(_ name: String, creates: Bool = true) async throws -> any AccountStore & RecordStore {
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
