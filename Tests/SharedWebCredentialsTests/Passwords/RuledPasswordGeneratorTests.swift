import MotivatorPlatform
import TestSupport
import Testing

@testable import SharedWebCredentials

@Suite("Passwords after rules")
struct RuledPasswordGeneratorTests {
    static let lengths: [(String, Int, String)] = [
        ("", 20, "the usual length"), ("minlength: 8", 20, "a lower minimum leaves it"),
        ("minlength: 21", 21, "a higher one raises it"), ("minlength: 1024", 1_024, "as far as it goes"),
        ("maxlength: 19", 19, "a lower maximum shortens it"), ("maxlength: 21", 20, "a higher one leaves it"),
        ("minlength: 3; maxlength: 3", 3, "one length"), ("maxlength: 1", 1, "the shortest"),
        ("minlength: 24; maxlength: 999999999", 24, "between both"),
        ("allowed: [a]; max-consecutive: 3", 3, "shorter, where only that obeys"),
        ("allowed: [a]; max-consecutive: 20", 20, "no shorter than needed"),
        ("minlength: 1024; required: lower; required: upper; required: digit; max-consecutive: 1", 1_024, "long"),
        ("minlength: 12; maxlength: 12; \(singles(12))", 12, "as many demands as characters"),
        ("allowed: [ac]; max-consecutive: 1; minlength: 1000", 1_000, "one of two that are left"),
        ("allowed: [ab]; max-consecutive: 1", 1, "two neighbors cannot alternate"),
        ("allowed: [ab]; max-sequential: 1; max-repeating: 3", 3, "but one of them can repeat"),
        ("allowed: [ab]; max-consecutive: 2", 20, "or both alternate"),
        ("minlength: 1024; allowed: [abc]; max-sequential: 2", 1_024, "sequences that cannot be avoided by chance"),
        ("required: ascii-printable; required: unicode", 20, "demands that everything meets"),
        ("minlength: 1024; max-consecutive: 1000; \(singles(8))", 1_024, "a long run that rarely occurs"),
        (
            "maxlength: 2; allowed: ascii-printable; required: [a]; required: [b]; required: [ab]", 2,
            "more demands than characters"
        ),
    ]

    /// Returns requirements such that no character satisfies two of them.
    static func singles(_ count: Int) -> String {
        "abcdefghijklmnop".prefix(count).map { "required: [\($0)]" }.joined(separator: "; ")
    }

    @Test("Passwords have the length that the rules ask for, and obey them", arguments: lengths)
    func length(_ text: String, _ length: Int, _ why: String) throws {
        let rules = try PasswordRules(text)
        let generator = try RuledPasswordGenerator(rules)
        #expect(generator.length == length, "\(why)")
        for _ in 0..<20 {
            let password = generator.next()
            #expect(password.unicodeScalars.count == length, "\(why)")
            #expect(rules.isSatisfied(by: password), "\(password.debugDescription): \(why)")
        }
        #expect(rules.isSatisfied(by: try rules.generate()))
    }

    @Test("Each of 2,000 passwords after the rules of a usual site obeys them, and no two are equal")
    func many() throws {
        let rules = try PasswordRules(
            "minlength: 10; maxlength: 16; required: lower; required: upper; required: digit, special; max-consecutive: 2"
        )
        let generator = try RuledPasswordGenerator(rules)
        var random = SeededGenerator(seed: 5)
        let passwords = (0..<2_000).map { _ in generator.next(using: &random) }
        #expect(passwords.filter { !rules.isSatisfied(by: $0) } == [])
        #expect(Set(passwords).count == 2_000)
    }

    @Test("No space is drawn but where it is listed: forms trim it")
    func space() throws {
        var random = SeededGenerator(seed: 6)
        for text in ["", "allowed: unicode", "required: special", "allowed: ascii-printable"] {
            let generator = try RuledPasswordGenerator(PasswordRules(text))
            let drawn = Set((0..<500).flatMap { _ in generator.next(using: &random).unicodeScalars })
            #expect(!drawn.contains(" "), "\(text)")
            #expect(drawn.count == (text == "required: special" ? 30 : 94), "\(text)")
        }
        let listed = try RuledPasswordGenerator(PasswordRules("allowed: [ ]; maxlength: 2")).next(using: &random)
        #expect(listed == "  ")
    }

    /// Rules that permit few passwords, so that a test can count all of them.
    static let small = [
        "maxlength: 3; allowed: [abcd]", "maxlength: 3; required: [abc]; required: [12]",
        "maxlength: 4; required: [ab]; required: [bc]; required: [cd]",
        "maxlength: 5; allowed: [abc]; max-repeating: 1", "maxlength: 4; allowed: [abcx]; max-sequential: 2",
        "maxlength: 5; allowed: [abc]; max-consecutive: 2", "maxlength: 6; allowed: [ab]; max-consecutive: 4",
        "maxlength: 5; required: [ab]; required: [x]; max-consecutive: 2",
        "maxlength: 4; required: [a]; required: [b]; allowed: [cdef]; max-repeating: 1",
    ]

    @Test("Every password that obeys the rules is drawn, each as often as any other", arguments: small)
    func uniform(_ text: String) throws {
        let rules = try PasswordRules(text)
        let generator = try RuledPasswordGenerator(rules)
        let all = Self.strings(of: rules.permitted.drawn.sorted(), length: generator.length)
        let possible = all.filter(rules.isSatisfied)
        var random = SeededGenerator(seed: 7)
        var counts = Dictionary(uniqueKeysWithValues: possible.map { ($0, 0) })
        for _ in 0..<possible.count * 60 {
            let password = generator.next(using: &random)
            try #require(counts[password] != nil, "\(password) does not satisfy the rules")
            counts[password, default: 0] += 1
        }
        #expect(possible.count > 10)
        #expect(Statistics.isUniform(Array(counts.values)))
    }

    @Test("In the longest passwords, whose number no floating point holds, each character is as likely as any other")
    func longest() throws {
        let rules = try PasswordRules("minlength: 1024; required: lower; required: upper; required: digit")
        let generator = try RuledPasswordGenerator(rules)
        var random = SeededGenerator(seed: 9)
        var counts: [UInt8: Int] = [:]
        for _ in 0..<10 {
            for byte in generator.next(using: &random).utf8 { counts[byte, default: 0] += 1 }
        }
        #expect(counts.count == 62)
        #expect(Statistics.isUniform(Array(counts.values)))
    }

    @Test("The statistics detect a character of each class at a fixed position")
    func biasIsFound() throws {
        let rules = try PasswordRules("maxlength: 4; required: [abc]; required: [12]")
        let possible = Self.strings(of: Array("abc12".utf8), length: 4).filter(rules.isSatisfied)
        var random = SeededGenerator(seed: 8)
        var counts = Dictionary(uniqueKeysWithValues: possible.map { ($0, 0) })
        for _ in 0..<possible.count * 60 {
            var characters = try [#require("abc".randomElement(using: &random))]
            characters.append(try #require("12".randomElement(using: &random)))
            for _ in 0..<2 { characters.append(try #require("abc12".randomElement(using: &random))) }
            counts[String(characters.shuffled(using: &random)), default: 0] += 1
        }
        #expect(counts.count == possible.count)
        #expect(!Statistics.isUniform(Array(counts.values)))
    }

    static let contradictions: [(String, ClosedRange<Int>)] = [
        ("minlength: 4; allowed: [a]; max-consecutive: 3", 4...20),
        ("maxlength: 2; required: lower; required: upper; required: digit", 1...2),
        ("minlength: 30; allowed: [x]; max-consecutive: 1", 30...30),
        ("minlength: 2; maxlength: 2; required: [a]; required: [b]; required: [c]", 2...2),
    ]

    @Test("Rules that contradict each other are an error that quotes them", arguments: contradictions)
    func impossible(_ text: String, _ lengths: ClosedRange<Int>) throws {
        let rules = try PasswordRules(text)
        let error = #expect(throws: ExplainedFailure.self) { try rules.generate() }
        #expect(error == .noPassword(rules: rules.description, lengths: lengths))
        #expect(error?.problem.contains("\(lengths.upperBound) characters") == true)
        #expect(error?.problem.contains(rules.description) == true)
    }

    @Test("Too many rules are an error, not a wait")
    func tooMuch() throws {
        let rules = try PasswordRules(Self.singles(13))
        #expect(throws: ExplainedFailure.tooMuch(rules: rules.description)) { try rules.generate() }
    }

    @Test("Rules that only a device accepts are errors if no password is possible")
    func onlyOnDevices() throws {
        let long = try #require(PasswordRules.read("minlength: 99999").rules)
        #expect(throws: ExplainedFailure.tooMuch(rules: long.description)) { try long.generate() }
        let none = try #require(PasswordRules.read("minlength: 9; maxlength: 3").rules)
        #expect(throws: ExplainedFailure.noPassword(rules: none.description, lengths: 3...3)) {
            try none.generate()
        }
    }

    private static func strings(of alphabet: [UInt8], length: Int) -> [String] {
        (0..<length).reduce([""]) { strings, _ in
            strings.flatMap { string in alphabet.map { string + String(Character(Unicode.Scalar($0))) } }
        }
    }
}
