import MotivatorPlatform
import Testing

@testable import Accounts

@Suite("Password hashes") struct PasswordHashTests {
    /// Created with Python's hashlib.scrypt from the password `pässword` and the salt 0, 1, 2 and so on.
    private static let known =
        "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$nx7tI5/kAl0Tw4KtNqh7rxpdq9gupWVX8SjBzfbO8CA"
    private static let salt = "AAECAwQFBgcICQoLDA0ODw"
    private static let hash = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let text: String
        let fault: PasswordHash.Failure
        var testDescription: String { rule }

        init(_ rule: String, _ text: String, _ fault: PasswordHash.Failure) {
            (self.rule, self.text, self.fault) = (rule, text, fault)
        }
    }

    private static func with(_ parameters: String) -> String { "$scrypt$\(parameters)$\(salt)$\(hash)" }

    @Test(
        "Any other spelling is not a password hash",
        arguments: [
            Case("nothing", "", .structure),
            Case("one part", "scrypt", .structure),
            Case("no dollar in front", "scrypt$ln=4,r=8,p=1$\(salt)$\(hash)", .structure),
            Case("something in front", "x$scrypt$ln=4,r=8,p=1$\(salt)$\(hash)", .structure),
            Case("a part too few", "$scrypt$ln=4,r=8,p=1$\(salt)", .structure),
            Case("a part too many", with("ln=4,r=8,p=1") + "$", .structure),
            Case("a version as of Argon2", "$scrypt$v=19$ln=4,r=8,p=1$\(salt)$\(hash)", .structure),
            Case("another scheme", "$argon2id$ln=4,r=8,p=1$\(salt)$\(hash)", .scheme),
            Case("another case", "$Scrypt$ln=4,r=8,p=1$\(salt)$\(hash)", .scheme),
            Case("no parameters", with(""), .parameters),
            Case("another order", with("r=8,ln=4,p=1"), .parameters),
            Case("one parameter too few", with("ln=4,r=8"), .parameters),
            Case("one parameter too many", with("ln=4,r=8,p=1,x=1"), .parameters),
            Case("N itself", with("n=16,r=8,p=1"), .parameters),
            Case("leading zero", with("ln=04,r=8,p=1"), .parameters),
            Case("zero", with("ln=4,r=0,p=1"), .parameters),
            Case("sign", with("ln=+4,r=8,p=1"), .parameters),
            Case("negative", with("ln=-4,r=8,p=1"), .parameters),
            Case("space", with("ln= 4,r=8,p=1"), .parameters),
            Case("no digits", with("ln=,r=8,p=1"), .parameters),
            Case("hexadecimal", with("ln=0x4,r=8,p=1"), .parameters),
            Case("Arabic digits", with("ln=٤,r=8,p=1"), .parameters),
            Case("ln out of range", with("ln=21,r=1,p=1"), .parameters),
            Case("ln with three digits", with("ln=100,r=8,p=1"), .parameters),
            Case("a number past every integer", with("ln=99999999999999999999,r=8,p=1"), .parameters),
            Case("ln not below 16 r (RFC 7914 §2)", with("ln=16,r=1,p=1"), .parameters),
            Case("512 MiB", with("ln=19,r=8,p=1"), .parameters),
            Case("256 MiB for half a minute", with("ln=18,r=8,p=16"), .parameters),
            Case("r out of range", with("ln=4,r=33,p=1"), .parameters),
            Case("p out of range", with("ln=4,r=8,p=17"), .parameters),
            Case("salt too short", "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0O$\(hash)", .salt),
            Case("salt too long", "$scrypt$ln=4,r=8,p=1$\(salt)A$\(hash)", .salt),
            Case("salt with padding", "$scrypt$ln=4,r=8,p=1$\(salt)==$\(hash)", .salt),
            Case("salt with bits left over", "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODx$\(hash)", .salt),
            Case("salt in the other alphabet", "$scrypt$ln=4,r=8,p=1$_AECAwQFBgcICQoLDA0ODw$\(hash)", .salt),
            Case("salt with a space", "$scrypt$ln=4,r=8,p=1$ AECAwQFBgcICQoLDA0ODw$\(hash)", .salt),
            Case("no salt", "$scrypt$ln=4,r=8,p=1$$\(hash)", .salt),
            Case("no hash", "$scrypt$ln=4,r=8,p=1$\(salt)$", .hash),
            Case("hash too short", "$scrypt$ln=4,r=8,p=1$\(salt)$\(hash.dropLast())", .hash),
            Case("hash too long", "$scrypt$ln=4,r=8,p=1$\(salt)$\(hash)A", .hash),
            Case("hash with padding", "$scrypt$ln=4,r=8,p=1$\(salt)$\(hash)=", .hash),
            Case("hash with bits left over", "$scrypt$ln=4,r=8,p=1$\(salt)$\(hash.dropLast())B", .hash),
            Case("newline at the end", "$scrypt$ln=4,r=8,p=1$\(salt)$\(hash)\n", .hash),
            Case("megabytes", "$scrypt$ln=4,r=8,p=1$\(salt)$" + String(repeating: "A", count: 10_000_000), .hash),
        ])
    func malformed(_ example: Case) {
        #expect(throws: example.fault) { try PasswordHash(example.text) }
    }

    @Test(
        "A well-formed hash is parsed, and its text is unchanged",
        arguments: [
            known, with("ln=15,r=8,p=3"), with("ln=1,r=1,p=1"), with("ln=18,r=8,p=1"), with("ln=20,r=2,p=8"),
            with("ln=10,r=32,p=16"),
            "$scrypt$ln=14,r=8,p=5$+/+/+/+/+/+/+/+/+/+/+w$+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/+/8",
        ])
    func wellFormed(_ text: String) throws {
        #expect(try PasswordHash(text).text == text)
    }

    private let hasher: PasswordHasher

    init() throws {
        hasher = PasswordHasher(parameters: try ScryptParameters(log2N: 4, r: 8, p: 1))
    }

    @Test("A hash from another program verifies in every composition of the password")
    func foreign() throws {
        let hash = try PasswordHash(Self.known)
        #expect(try hasher.verify(Password("p\u{E4}ssword"), against: hash) == .right)
        #expect(try hasher.verify(Password("pa\u{308}ssword"), against: hash) == .right)
        #expect(try hasher.verify(Password("passw\u{F6}rd"), against: hash) == .wrong)
    }

    // A NUL at the very end is excluded, because HMAC pads keys with NUL (RFC 2104 §2).
    @Test(
        "Every byte of a password counts",
        arguments: ["", "secret\0\u{1}", "\0secret", "secret\0more", "Secret", "secret ", "secre"])
    func everyByte(_ other: String) throws {
        let hash = try hasher.hash(Password("secret"))
        #expect(try hasher.verify(Password("secret"), against: hash) == .right)
        #expect(try hasher.verify(Password(other), against: hash) == .wrong)
        #expect(try hasher.verify(Password(other), against: hasher.hash(Password(other))) == .right)
    }

    @Test("Each hash has its own salt")
    func salts() throws {
        let password = try Password("secret")
        let hashes = try (0..<20).map { _ in try hasher.hash(password) }
        #expect(Set(hashes.map(\.salt)).count == 20)
        #expect(Set(hashes.map(\.hash)).count == 20)
    }

    @Test("A right password with other parameters is outdated, a wrong one is wrong")
    func outdated() throws {
        let old = PasswordHasher(parameters: try ScryptParameters(log2N: 5, r: 8, p: 1))
        let hash = try old.hash(Password("secret"))
        #expect(try hasher.verify(Password("secret"), against: hash).isOutdated)
        #expect(try hasher.verify(Password("wrong"), against: hash) == .wrong)
    }

    @Test("Every verification derives with all parameters in use, in the same order")
    func sameWork() throws {
        let (old, older) = (try ScryptParameters(log2N: 5, r: 8, p: 1), try ScryptParameters(log2N: 3, r: 8, p: 2))
        let used = Guarded<[ScryptParameters]>([])
        var counting = hasher
        counting.derive = { password, salt, parameters throws(Scrypt.Failed) in
            used.withLock { $0.append(parameters) }
            return try Scrypt.derive(password, salt: salt, parameters, length: PasswordHash.length)
        }
        let secret = try Password("secret")
        let hashes = [
            nil, try hasher.hash(secret), try PasswordHasher(parameters: old).hash(secret),
            try PasswordHasher(parameters: older).hash(secret),
        ]
        for hash in hashes {
            for typed in ["secret", "wrong"] {
                used.withLock { $0 = [] }
                _ = try counting.verify(Password(typed), against: hash, inUse: [older, hasher.parameters, old])
                #expect(used.withLock { $0 } == [older, old, hasher.parameters])
            }
        }
    }

    @Test("A hash with parameters that no account uses still verifies")
    func unlisted() throws {
        let old = PasswordHasher(parameters: try ScryptParameters(log2N: 5, r: 8, p: 1))
        let hash = try old.hash(Password("secret"))
        #expect(try hasher.verify(Password("secret"), against: hash, inUse: []).isOutdated)
        #expect(try hasher.verify(Password("wrong"), against: hash, inUse: []) == .wrong)
    }

    @Test("A renewed hash has the current parameters and its own salt, and verifies the same password")
    func renewed() throws {
        let old = PasswordHasher(parameters: try ScryptParameters(log2N: 5, r: 8, p: 1))
        let hash = try old.hash(Password("secret"))
        guard case .outdated(let renewed) = try hasher.verify(Password("secret"), against: hash) else {
            Issue.record("not outdated")
            return
        }
        #expect(renewed.parameters == hasher.parameters)
        #expect(renewed.salt != hash.salt)
        #expect(try hasher.verify(Password("secret"), against: renewed) == .right)
    }

    @Test(
        "The prefix of a hash has its parameters, and other texts have none",
        arguments: [
            ("$scrypt$ln=4,r=8,p=1", true), ("$scrypt$ln=4,r=8,p=1$", false), ("$scrypt$ln=21,r=8,p=1", false),
            ("$argon2id$ln=4,r=8,p=1", false), ("scrypt$ln=4,r=8,p=1", false), ("x$scrypt$ln=4,r=8,p=1", false),
            ("", false),
        ])
    func prefix(_ prefix: String, _ isValid: Bool) {
        #expect(PasswordHash.parameters(inPrefix: prefix) == (isValid ? hasher.parameters : nil))
    }

    @Test("Verifying a password without an account always fails", arguments: ["", "secret", "\0"])
    func nobody(_ typed: String) throws {
        #expect(try hasher.verify(Password(typed), against: nil) == .wrong)
    }

    @Test("The default follows the specification")
    func defaults() throws {
        let text = PasswordHash(
            parameters: .default, salt: [UInt8](repeating: 0, count: 16), hash: [UInt8](repeating: 0, count: 32)
        ).text
        #expect(text == "$scrypt$ln=15,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA$\(Self.hash)")
    }
}

extension PasswordHasher.Verdict {
    fileprivate var isOutdated: Bool {
        switch self {
        case .outdated: true
        case .right, .wrong: false
        }
    }
}
