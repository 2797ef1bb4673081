import MotivatorPlatform
import Testing

@testable import Accounts

@Suite("Session tokens, addresses and their texts") struct SessionTokenTests {
    private static let zeros = String(repeating: "A", count: 43)
    private static let head = String(repeating: "A", count: 42)

    @Test("A random token is 43 characters, is read back, and is another one each time")
    func random() throws {
        let tokens = try (0..<50).map { _ in try #require(SessionToken.random()) }
        for token in tokens {
            #expect(token.text.utf8.count == 43)
            #expect(SessionToken(token.text) == token)
        }
        #expect(Set(tokens.map(\.text)).count == 50)
    }

    @Test(
        "Any other spelling is not a token",
        arguments: [
            "", "A", head, "\(zeros)A", "\(zeros)=", "\(head)B", "\(head)+", "\(head)/", "\(head) ", "\(head)\n",
            "\(head.dropLast())é", String(repeating: "A", count: 1_000_000),
        ])
    func malformed(_ text: String) {
        #expect(SessionToken(text) == nil)
    }

    @Test("The store's digest is the SHA-256 of the 32 bytes (checked with sha256sum)")
    func digest() throws {
        let digest = try #require(SessionToken(Self.zeros)).digest
        #expect(digest.bytes.prefix(4) == [0x66, 0x68, 0x7A, 0xAD])
        #expect(digest.bytes.suffix(4) == [0x0D, 0x5F, 0x29, 0x25])
        #expect(digest.bytes.count == 32)
    }

    @Test("Tokens that differ in one byte are different", arguments: [0, 10, 42])
    func different(_ place: Int) throws {
        var text = Array(Self.zeros.utf8)
        text[place] = UInt8(ascii: "E")
        let (one, other) = (SessionToken(Self.zeros), SessionToken(String(decoding: text, as: UTF8.self)))
        #expect(one != nil && other != nil && one != other)
    }

    @Test("A token is not printed, alone or inside of something")
    func redacted() throws {
        let text = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPE"
        let token = try #require(SessionToken(text))
        let signedIn = SignedIn(name: "Ada", token: token)
        var shown = "\(token) \(String(reflecting: token)) \(signedIn) \(String(reflecting: signedIn)) \([token])"
        dump(token, to: &shown)
        dump(signedIn, to: &shown)
        #expect(shown.contains("[session token]"))
        #expect(!shown.contains("abcdef") && !shown.contains("105") && !shown.contains("bytes"))
    }

    @Test(
        "Base64 without padding is written and read",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(_ plain: String, _ text: String) {
        // RFC 4648 §10.
        #expect(Base64.encode(Array(plain.utf8), .standard) == text)
        #expect(Base64.decode(text.utf8, .urlSafe) == Array(plain.utf8))
    }

    @Test("The alphabets differ in two characters (RFC 4648 §5), and each rejects the other's")
    func alphabets() {
        #expect(Base64.encode([0xFB, 0xFF], .standard) == "+/8")
        #expect(Base64.encode([0xFB, 0xFF], .urlSafe) == "-_8")
        #expect(Base64.decode("+/8".utf8, .standard) == [0xFB, 0xFF])
        #expect(Base64.decode("+/8".utf8, .urlSafe) == nil)
        #expect(Base64.decode("-_8".utf8, .standard) == nil)
        #expect(Base64.decode("A".utf8, .standard) == nil)
    }

    struct Address: CustomTestStringConvertible, Sendable {
        let rule: String
        let one: [UInt8]
        let other: [UInt8]
        let same: Bool
        var testDescription: String { rule }
    }

    private static func six(_ first: [UInt8], _ last: [UInt8]) -> [UInt8] {
        first + [UInt8](repeating: 0, count: 16 - first.count - last.count) + last
    }

    @Test(
        "Addresses count as the same where one person has them all",
        arguments: [
            Address(rule: "IPv4", one: [192, 0, 2, 1], other: [192, 0, 2, 1], same: true),
            Address(rule: "another IPv4", one: [192, 0, 2, 1], other: [192, 0, 2, 2], same: false),
            Address(
                rule: "one IPv6 network (RFC 6177)", one: six([0x20, 1, 0xD, 0xB8, 0, 0, 0, 1], [1]),
                other: six([0x20, 1, 0xD, 0xB8, 0, 0, 0, 1], [255, 2]), same: true),
            Address(
                rule: "another IPv6 network", one: six([0x20, 1, 0xD, 0xB8, 0, 0, 0, 1], [1]),
                other: six([0x20, 1, 0xD, 0xB8, 0, 0, 0, 2], [1]), same: false),
            Address(
                rule: "IPv4-mapped (RFC 4291 §2.5.5.2)", one: six([], [255, 255, 192, 0, 2, 1]),
                other: [192, 0, 2, 1], same: true),
            Address(
                rule: "two IPv4-mapped", one: six([], [255, 255, 192, 0, 2, 1]),
                other: six([], [255, 255, 192, 0, 2, 2]), same: false),
            Address(
                rule: "IPv4-compatible is not mapped", one: six([], [192, 0, 2, 1]),
                other: [192, 0, 2, 1], same: false),
        ])
    func addresses(_ pair: Address) {
        #expect((ClientAddress(pair.one) == ClientAddress(pair.other)) == pair.same)
        let attempts = [pair.one, pair.other].map { AttemptKeys(key: "ada", from: ClientAddress($0)) }
        #expect((attempts[0].address == attempts[1].address) == pair.same)
    }
}
