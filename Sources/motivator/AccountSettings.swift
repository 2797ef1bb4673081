import Accounts
import ArgumentParser
import Platform

/// What can be set about accounts; the rules behind the defaults are with `AccountOptions`.
struct AccountSettings: ParsableArguments {
    @Option(help: ArgumentHelp("SQLite file with the accounts; made when it is not there.", valueName: "path"))
    var database = "data/motivator.sqlite"

    @Option(help: ArgumentHelp("Fewest characters of a new password.", valueName: "n"))
    var minimumPasswordLength = 8

    @Option(
        help: ArgumentHelp(
            "Cost of hashing a password: log2 of scrypt's N, then r and p (32 MiB each with 15,8).", valueName: "N,r,p")
    )
    var scrypt = "15,8,3"

    @Option(
        help: ArgumentHelp(
            "Failed sign-ins that one address has at once; they come back within an hour.", valueName: "n"))
    var failuresPerAddress = 100

    @Option(
        help: ArgumentHelp(
            "Sign-ups that one address has at once; they come back within an hour.", valueName: "n"))
    var signUpsPerAddress = 20

    func validate() throws {
        let lengths = PasswordPolicy.minimumLengths
        guard lengths.contains(minimumPasswordLength) else {
            throw ValidationError(
                "--minimum-password-length is \(minimumPasswordLength). "
                    + "Give a number from \(lengths.lowerBound) to \(lengths.upperBound).")
        }
        guard (1...1_000_000).contains(failuresPerAddress) else {
            throw ValidationError(
                "--failures-per-address is \(failuresPerAddress). Give a number from 1 to 1000000.")
        }
        guard (1...1_000_000).contains(signUpsPerAddress) else {
            throw ValidationError(
                "--sign-ups-per-address is \(signUpsPerAddress). Give a number from 1 to 1000000.")
        }
        guard !database.contains("://") else {
            throw ValidationError("--database \(database.quoted) is no file. Give the path of a SQLite file.")
        }
        _ = try options()
    }

    func options() throws -> AccountOptions {
        let numbers = scrypt.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 3, let n = numbers[0], let r = numbers[1], let p = numbers[2] else {
            throw ValidationError(
                "--scrypt \(scrypt.quoted) is not three numbers. Give log2 N, r and p, such as 15,8,3.")
        }
        var options = AccountOptions()
        do {
            options.scrypt = try ScryptParameters(log2N: n, r: r, p: p)
        } catch {
            throw ValidationError("--scrypt: \(error.problem). \(error.remedy).")
        }
        options.minimumPasswordLength = minimumPasswordLength
        options.failuresPerAddress = failuresPerAddress
        options.signUpsPerAddress = signUpsPerAddress
        return options
    }
}
