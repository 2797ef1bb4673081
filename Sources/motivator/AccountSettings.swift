import Accounts
import ArgumentParser
import MotivatorPlatform

/// The account options. `AccountOptions` gives the reasons for the defaults.
struct AccountSettings: ParsableArguments {
    @Option(help: ArgumentHelp("SQLite file for the accounts. It is created if it does not exist.", valueName: "path"))
    var database = DataFolder.path("motivator.sqlite")

    @Option(help: ArgumentHelp("Minimum length of a new password, in characters.", valueName: "n"))
    var minimumPasswordLength = 8

    @Option(
        help: ArgumentHelp(
            "Cost of a password hash: scrypt's log2(N), r and p. 15,8 uses 32 MiB.", valueName: "N,r,p")
    )
    var scrypt = "15,8,3"

    @Option(
        help: ArgumentHelp(
            "Failed sign-ins allowed to one address in a burst. The allowance refills over an hour.", valueName: "n"))
    var failuresPerAddress = 100

    @Option(
        help: ArgumentHelp(
            "Sign-ups allowed to one address in a burst. The allowance refills over an hour.", valueName: "n"))
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
        guard !database.contains("://") else {
            throw ValidationError("--database \(database.quoted) is a URL. Use the path of a SQLite file.")
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
