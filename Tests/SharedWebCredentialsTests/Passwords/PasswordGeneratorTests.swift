import TestSupport
import Testing

@testable import SharedWebCredentials

@Suite("The password generator, after SecCreateSharedWebCredentialPassword")
struct PasswordGeneratorTests {
    static let number = 100_000
    static let lower = Array("abcdefghkmnopqrstuvwxyz")
    static let upper = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
    static let digits = Array("23456789")
    static let all = lower + upper + digits

    @Test("The alphabets have 23, 24 and 8 characters, none that is mistaken for another")
    func alphabet() {
        #expect(String(decoding: PasswordGenerator.alphabet, as: UTF8.self) == String(Self.all))
        #expect((Self.lower.count, Self.upper.count, Self.digits.count) == (23, 24, 8))
        #expect(Set(Self.all).count == 55)
        #expect(Set(Self.all).isDisjoint(with: "ijlIO01"))
    }

    @Test("Each of 100,000 passwords has the form, the alphabet and the classes, and no two are equal")
    func form() {
        var generator = SeededGenerator(seed: 1)
        let passwords = (0..<Self.number).map { _ in PasswordGenerator.next(using: &generator) }
        #expect(passwords.filter { !Self.isWellFormed($0) } == [])
        #expect(Set(passwords).count == Self.number)
    }

    @Test(
        "The check of the form takes no other form",
        arguments: [
            ("", "nothing"), ("abcDEF345ghk", "no dashes"), ("abc-DEF-345-gh", "14 characters"),
            ("abc-DEF-345-ghkm", "16 characters"), ("abc-DEF-345-ghi", "an i"), ("abcD-EF-345-ghk", "a dash elsewhere"),
            ("abc-def-345-ghk", "no upper-case letter"), ("ABC-DEF-345-GHK", "no lower-case letter"),
            ("abc-DEF-222-ghk", "2 alone does not count as a digit"),
        ])
    func otherForms(_ text: String, _ why: String) {
        #expect(!Self.isWellFormed(text), "\(why)")
        #expect(Self.isWellFormed("abc-DEF-345-ghk"))
    }

    @Test("Each character is as likely as the rules make it, in each alphabet, with a fixed seed")
    func uniform() {
        var generator = SeededGenerator(seed: 2)
        let counts = Self.count { PasswordGenerator.next(using: &generator) }
        for verdict in Self.verdicts(counts) { #expect(verdict.isFair, "\(verdict)") }
    }

    @Test("The same with the system's randomness; four bounds that chance exceeds once in 10^9 runs at the most")
    func uniformFromTheSystem() {
        let system = PasswordGenerator()
        let counts = Self.count { system.next() }
        for verdict in Self.verdicts(counts) { #expect(verdict.isFair, "\(verdict)") }
    }

    @Test("The test detects a draw by the remainder of a byte, which favors 36 characters")
    func biasIsFound() {
        var generator = SeededGenerator(seed: 3)
        let counts = Self.count {
            Self.redrawn { Self.all[Int(UInt8.random(in: 0...255, using: &generator)) % 55] }
        }
        #expect(Self.verdicts(counts).contains { !$0.isFair })
    }

    @Test("The statistics detect a password that is corrected instead of drawn again")
    func mendingIsFound() {
        var generator = SeededGenerator(seed: 4)
        let counts = Self.count {
            var password = (0..<12).compactMap { _ in Self.all.randomElement(using: &generator) }
            if Set(password).isDisjoint(with: Self.digits.dropFirst()) { password[11] = "3" }
            return Self.grouped(password)
        }
        #expect(Self.verdicts(counts).contains { !$0.isFair })
    }

    @Test("A password without one of the classes is drawn again as a whole")
    func redraw() {
        let without: [[Int]] = [
            Array(repeating: 0, count: 12), [23] + Array(repeating: 54, count: 11),
            // a, A and 2. The digit 2 does not satisfy the rule.
            [0, 23] + Array(repeating: 47, count: 10),
        ]
        var script = Script(indices: without.flatMap(\.self) + [0, 23, 48] + Array(repeating: 1, count: 9))
        #expect(PasswordGenerator.next(using: &script) == "aA3-bbb-bbb-bbb")
    }

    // MARK: Expected results

    /// The kind of each byte: a lowercase, A uppercase, 9 a digit that satisfies the rule, 2 the digit that does not,
    /// a dash, or a dot for all others.
    static let kind: [Character] = (UInt8.min...UInt8.max).map { byte in
        let character = Character(Unicode.Scalar(byte))
        let kinds: [(Character, [Character])] = [
            ("a", lower), ("A", upper), ("2", ["2"]), ("9", digits), ("-", ["-"]),
        ]
        return kinds.first { $0.1.contains(character) }?.0 ?? "."
    }

    static func isWellFormed(_ password: String) -> Bool {
        let kinds = password.utf8.map { kind[Int($0)] }
        guard kinds.count == 15 else { return false }
        return kinds.enumerated().allSatisfy { $0.offset % 4 == 3 ? $0.element == "-" : "aA92".contains($0.element) }
            && "aA9".allSatisfy(kinds.contains)
    }

    /// Counts each of the 55 characters in 100,000 passwords.
    static func count(_ next: () -> String) -> [Character: Int] {
        var counts: [UInt8: Int] = [:]
        for _ in 0..<number {
            for byte in next().utf8 { counts[byte, default: 0] += 1 }
        }
        return Dictionary(uniqueKeysWithValues: counts.map { (Character(Unicode.Scalar($0.key)), $0.value) })
    }

    struct Verdict {
        let alphabet: String
        let chiSquared: Double
        let bound: Double
        var isFair: Bool { chiSquared < bound }
    }

    /// Tests each of three alphabets for uniformity, and the four kinds of characters for the expected shares.
    static func verdicts(_ counts: [Character: Int]) -> [Verdict] {
        let kinds = [lower, upper, Array(digits.dropFirst()), ["2"]]
        var verdicts = kinds.dropLast().map { kind in
            let observed = kind.map { counts[$0] ?? 0 }
            let mean = Double(observed.reduce(0, +)) / Double(kind.count)
            return Verdict(
                alphabet: String(kind), chiSquared: Statistics.chiSquared(observed, kind.map { _ in mean }),
                bound: Statistics.bound(outcomes: kind.count))
        }
        verdicts.append(
            Verdict(
                alphabet: "the kinds",
                chiSquared: Statistics.chiSquared(
                    kinds.map { $0.reduce(0) { $0 + (counts[$1] ?? 0) } },
                    expectedShares.map { $0 * Double(number) * 12 }),
                bound: Statistics.bound(outcomes: kinds.count)))
        return verdicts
    }

    /// The expected shares of lowercase letters, uppercase letters, 3 to 9, and 2. The first three are required.
    ///
    /// Applies the inclusion-exclusion principle to the missing kinds. Redrawing makes rare kinds less rare.
    static var expectedShares: [Double] {
        let sizes = [23.0, 24, 7, 1]
        func ways(length: Int, having needed: [Int]) -> Double {
            (0..<(1 << needed.count)).reduce(0) { sum, subset in
                let missing = needed.indices.filter { subset >> $0 & 1 == 1 }.map { needed[$0] }
                let left = 55 - missing.reduce(0) { $0 + sizes[$1] }
                let ways = (0..<length).reduce(1.0) { product, _ in product * left / 55 }
                return sum + (missing.count.isMultiple(of: 2) ? ways : -ways)
            }
        }
        return sizes.indices.map { kind in
            sizes[kind] / 55 * ways(length: 11, having: [0, 1, 2].filter { $0 != kind })
                / ways(length: 12, having: [0, 1, 2])
        }
    }

    static func redrawn(_ character: () -> Character) -> String {
        while true {
            let password = grouped((0..<12).map { _ in character() })
            if isWellFormed(password) { return password }
        }
    }

    static func grouped(_ characters: [Character]) -> String {
        stride(from: 0, to: 12, by: 3).map { String(characters[$0..<$0 + 3]) }.joined(separator: "-")
    }
}

/// A generator that draws the elements with the given indices from an array of 55 elements.
struct Script: RandomNumberGenerator {
    var indices: [Int]

    mutating func next() -> UInt64 { UInt64.max / 55 * UInt64(indices.removeFirst()) + 1_000 }
}
