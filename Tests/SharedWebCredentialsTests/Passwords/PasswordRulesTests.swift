import SharedWebCredentials
import Testing

@Suite("Password rules")
struct PasswordRulesTests {
    struct Reading: CustomTestStringConvertible {
        let text: String
        let canonical: String
        let source: String
        var testDescription: String { "\(text.debugDescription): \(source)" }

        init(_ text: String, _ canonical: String, _ source: String) {
            (self.text, self.canonical, self.source) = (text, canonical, source)
        }
    }

    private static let page = "Apple, Customizing Password AutoFill Rules"

    static let readings: [Reading] = [
        Reading("", "", "no rule"),
        Reading(" \t\r\n\u{C}", "", "white space alone"),
        Reading("minlength: 20", "minlength: 20", page),
        Reading("minlength:20", "minlength: 20", "the space is optional"),
        Reading("minlength: 020;", "minlength: 20", "a semicolon may end the last rule; a zero in front says nothing"),
        Reading("minlength: 1", "minlength: 1", "the least"),
        Reading("minlength: 1024", "minlength: 1024", "the most"),
        Reading("maxlength: 999999999", "maxlength: 999999999", "9 digits"),
        Reading("minlength: 8; maxlength: 8", "minlength: 8; maxlength: 8", "one length"),
        Reading("max-consecutive: 2; maxlength: 9", "maxlength: 9; max-consecutive: 2", "one order"),
        Reading(
            "max-sequential: 3; max-repeating: 2; max-consecutive: 4",
            "max-consecutive: 4; max-repeating: 2; max-sequential: 3", "password-manager-resources #1255"),
        Reading(
            "required: upper; required: lower; required: digit; max-consecutive: 2; minlength: 12",
            "minlength: 12; required: digit; required: lower; required: upper; max-consecutive: 2", page),
        Reading("required: lower;required:lower", "required: lower", "the same demand twice is one"),
        Reading("required: digit, upper", "required: upper, digit", "either of the two"),
        Reading("required: upper , digit;", "required: upper, digit", "space before the comma"),
        Reading("required: [abc], digit, [xyz]", "required: digit, [abcxyz]", "brackets add up"),
        Reading("allowed: ascii-printable", "allowed: ascii-printable", page),
        Reading("allowed: unicode", "allowed: unicode", page),
        Reading("allowed: upper; allowed: [!]; allowed: upper", "allowed: upper, [!]", "allowed adds up"),
        Reading("allowed: [-().&@?'#,/\"+]", "allowed: [-\"#&'()+,./?@]", page + ": a custom class"),
        Reading("allowed: [cba a]", "allowed: [ abc]", "a space in brackets is a member"),
        Reading("allowed: []]", "allowed: []]", "a closing bracket right before the closing one"),
        Reading("allowed: [a]]; minlength: 9", "minlength: 9; allowed: [a]]", "the same after others"),
        Reading("allowed: [-]", "allowed: [-]", "a hyphen alone"),
        Reading("allowed: [-]]", "allowed: [-]]", "both that have a place of their own"),
        Reading("allowed: [[;:,]", "allowed: [,:;[]", "signs of the language mean themselves in brackets"),
        Reading("allowed: [~ !]", "allowed: [ !~]", "from the first to the last printable character"),
        Reading("required: special; allowed: special", "required: special; allowed: special", page),
    ]

    @Test("Rules are read and written in one form, which reads as the same rules", arguments: readings)
    func canonical(_ reading: Reading) throws {
        let rules = try PasswordRules(reading.text)
        #expect(rules.description == reading.canonical)
        #expect(try PasswordRules(rules.description) == rules)
    }

    @Test("Parsed rules are available for display")
    func properties() throws {
        let rules = try PasswordRules(
            "minlength: 8; maxlength: 40; required: lower; max-consecutive: 3; allowed: digit")
        #expect(rules.minimumLength == 8 && rules.maximumLength == 40 && rules.maximumConsecutive == 3)
        #expect(rules.required.map(\.names) == [[.lower]] && rules.allowed?.names == [.digit])
        let none = try PasswordRules("")
        #expect(none.minimumLength == nil && none.maximumLength == nil && none.maximumConsecutive == nil)
        #expect(none.required.isEmpty && none.allowed == nil)
    }

    @Test("The fix of an empty rule does not name rules")
    func emptyRule() {
        let mistake = PasswordRules.Malformed.unknownRule("", column: 14)
        #expect(mistake.problem.contains("ignore the rest") && !mistake.fix.contains("minlength"))
    }

    static let mistakes: [(String, PasswordRules.Malformed)] = [
        ("length: 8", .unknownRule("length", column: 1)),
        ("Minlength: 8", .unknownRule("Minlength", column: 1)),
        ("minlength: 8; requires: lower", .unknownRule("requires", column: 15)),
        ("minlength: 8;; maxlength: 9", .unknownRule("", column: 14)),
        (";", .unknownRule("", column: 1)), (": 8", .unknownRule("", column: 1)),
        ("minlength", .noColon(rule: "minlength", column: 10)),
        ("minlength = 8", .equalsSign(rule: "minlength", value: "8", column: 11)),
        ("minlength=14; required: lower", .equalsSign(rule: "minlength", value: "14", column: 10)),
        ("required=lower, [-!]", .equalsSign(rule: "required", value: "lower, [-!]", column: 9)),
        ("maxlength=\"20\"", .equalsSign(rule: "maxlength", value: "20", column: 10)),
        ("minlength=", .noColon(rule: "minlength", column: 10)),
        ("length=8", .unknownRule("length", column: 1)),
        ("minlength 8", .noColon(rule: "minlength", column: 11)),
        ("required; allowed: upper", .noColon(rule: "required", column: 9)),
        ("minlength: 8; minlength: 9", .repeated(rule: "minlength", column: 26)),
        ("maxlength: 8; maxlength: 8", .repeated(rule: "maxlength", column: 26)),
        ("max-consecutive: 1; max-consecutive: 2", .repeated(rule: "max-consecutive", column: 38)),
        ("minlength:", .noNumber(rule: "minlength", text: "", column: 11)),
        ("minlength: ;", .noNumber(rule: "minlength", text: "", column: 12)),
        ("minlength: -8", .noNumber(rule: "minlength", text: "-8", column: 12)),
        ("minlength: +8", .noNumber(rule: "minlength", text: "+8", column: 12)),
        ("minlength: 8.5", .noNumber(rule: "minlength", text: "8.5", column: 12)),
        ("minlength: 8em", .noNumber(rule: "minlength", text: "8em", column: 12)),
        ("minlength: ８", .noNumber(rule: "minlength", text: "８", column: 12)),
        ("minlength: eight", .noNumber(rule: "minlength", text: "eight", column: 12)),
        ("minlength: 0", .outOfRange(rule: "minlength", number: "0", range: 1...1_024, column: 12)),
        ("minlength: 1025", .outOfRange(rule: "minlength", number: "1025", range: 1...1_024, column: 12)),
        ("maxlength: 0", .outOfRange(rule: "maxlength", number: "0", range: 1...999_999_999, column: 12)),
        (
            "maxlength: 99999999999999999999",
            .outOfRange(rule: "maxlength", number: "99999999999999999999", range: 1...999_999_999, column: 12)
        ),
        (
            "max-consecutive: 0",
            .outOfRange(rule: "max-consecutive", number: "0", range: 1...999_999_999, column: 18)
        ),
        ("required:", .unknownClass(rule: "required", text: "", column: 10)),
        ("required: ;", .unknownClass(rule: "required", text: "", column: 11)),
        ("required: digits", .unknownClass(rule: "required", text: "digits", column: 11)),
        ("required: lower,", .unknownClass(rule: "required", text: "", column: 17)),
        ("required: lower,, upper", .unknownClass(rule: "required", text: "", column: 17)),
        ("allowed: Upper", .upperCaseClass("Upper", column: 10)),
        ("minlength: 8 ;", .spaceAfterNumber(rule: "minlength", column: 13)),
        ("minlength : 8", .equalsSign(rule: "minlength", value: "8", sign: " :", column: 10)),
        ("allowed: []", .emptyBrackets(column: 10)),
        ("allowed: upper, []; minlength: 8", .emptyBrackets(column: 17)),
        ("allowed: [", .openBrackets(column: 10)), ("allowed: [abc; minlength: 8", .openBrackets(column: 10)),
        ("allowed: [a-z]", .hyphen(insteadOf: "lower", column: 12)),
        ("required: [A-Z]; required: [0-9]", .hyphen(insteadOf: "upper", column: 13)),
        ("allowed: [0-9]", .hyphen(insteadOf: "digit", column: 12)), ("allowed: [a-]", .hyphen(column: 12)),
        ("allowed: [--]", .hyphen(column: 12)),
        ("required: [a-zA-Z0-9]", .hyphen(insteadOf: "upper, lower, digit", column: 13)),
        ("allowed: [a-zA-Z_x!-]", .hyphen(insteadOf: "upper, lower, [-!_]", column: 12)),
        ("allowed: [0-9a-f]", .hyphen(column: 12)),
        ("allowed: [ä]", .bracketCharacter("ä", column: 11)),
        ("allowed: [a\n]", .bracketCharacter("\n", column: 12)),
        ("allowed: [a\u{7F}]", .bracketCharacter("\u{7F}", column: 12)),
        ("required: lower upper", .noSeparator(rule: "required", text: "upper", column: 17)),
        ("minlength: 8 maxlength: 9", .noSeparator(rule: "minlength", text: "maxlength", column: 14)),
        ("minlength: 8, maxlength: 9", .noSeparator(rule: "minlength", text: ",", column: 13)),
        ("allowed: [a]]]", .noSeparator(rule: "allowed", text: "]", column: 14)),
        ("allowed: [a][b]", .noSeparator(rule: "allowed", text: "[", column: 13)),
        ("minlength: 9; maxlength: 8", .minimumOverMaximum(minimum: 9, maximum: 8, column: 26)),
        ("maxlength: 8; minlength: 9", .minimumOverMaximum(minimum: 9, maximum: 8, column: 26)),
    ]

    @Test("Each mistake has a name, its value and its column", arguments: mistakes)
    func malformed(_ text: String, _ mistake: PasswordRules.Malformed) {
        #expect(throws: mistake) { try PasswordRules(text) }
        #expect(mistake.problem.contains("column ") && !mistake.problem.hasSuffix("."))
        #expect(!mistake.fix.isEmpty && !mistake.fix.hasSuffix("."))
    }

    static let fixes: [(rules: String, fix: String)] = [
        ("minlength=14", "Write \"minlength: 14;\""), ("minlength = 14; maxlength: 20", "Write \"minlength: 14;\""),
        ("required=upper, lower;", "Write \"required: upper, lower;\""), ("minLength: 14", "Write minlength"),
        ("min-length: 14", "Write minlength"), ("max_length: 20", "Write maxlength"),
        ("require: lower", "Write required"),
        ("minlength: \"14\"", "Write \"minlength: 14;\""), ("minlength: 14px", "Write \"minlength: 14;\""),
        ("required: uppercase", "Write upper"), ("required: numbers", "Write digit"),
        ("required: symbols", "Write special"), ("required: 1", "Use upper, lower, digit"),
        ("minlength: 8, maxlength: 9", "Write a semicolon"),
        ("required: [a-z0-9]", "Brackets have no ranges. Write \"lower, digit\" instead of the brackets"),
        ("length: 14", "Use one of these rules, in lower case: minlength, maxlength"),
    ]

    @Test("If the intended rule is certain, the fix contains it", arguments: fixes)
    func fix(_ rules: String, _ fix: String) {
        #expect(PasswordRules.read(rules).mistakes.last?.fix.hasPrefix(fix) == true)
    }

    /// What a device makes of rules, in the canonical form; nil if it drops the whole text.
    static let grammar: [(String, String?, String)] = [
        ("minlength: 8; required: lower", "minlength: 8; required: lower", "strict rules"),
        ("minlength: 8;required:upper,lower,[!?]", "minlength: 8; required: upper, lower, [!?]", "no spaces"),
        ("\n minlength:8;\t", "minlength: 8", "white space around rules"),
        ("required: [!?£$]", "required: [!$?]", "a character outside ASCII in brackets is skipped"),
        ("allowed: [🔑a\u{7F}]", "allowed: [a]", "so are emoji and control characters"),
        ("required: [äöü]; minlength: 9", "minlength: 9", "brackets without ASCII require nothing"),
        ("allowed: [a-z]", "allowed: [az]", "a hyphen after another character is skipped: no range"),
        ("allowed: [-az-]", "allowed: [-az]", "a hyphen in front is a character"),
        ("allowed: [ä-]", "", "a skipped character is still the first one"),
        ("required: []; maxlength: 20", "maxlength: 20", "empty brackets have no effect"),
        ("allowed: [], upper", "allowed: upper", "nor in a list"),
        ("allowed: [a]]; allowed: []]", "allowed: [a]]", "a closing bracket before the closing one"),
        ("required: Upper; allowed: ASCII-Printable", "required: upper; allowed: ascii-printable", "any letter case"),
        ("minlength: 8; minlength: 12; minlength: 9", "minlength: 12", "the larger minlength"),
        ("maxlength: 30; maxlength: 20; maxlength: 25", "maxlength: 20", "the smaller maxlength"),
        ("max-consecutive: 2; max-consecutive: 3", "max-consecutive: 2", "the smaller max-consecutive"),
        ("max-repeating: 3; max-repeating: 2", "max-repeating: 2", "the smaller max-repeating"),
        ("max-sequential: 2; max-sequential: 3", "max-sequential: 2", "the smaller max-sequential"),
        ("minlength: 0; maxlength: 20", "maxlength: 20", "zero has no effect"),
        ("minlength: 99999999999999999999", "minlength: 999999999", "a huge number does not overflow"),
        ("minlength: ; maxlength: 20", "maxlength: 20", "a rule without a value"),
        ("minlength; maxlength: 20", "maxlength: 20", "a name alone is skipped"),
        ("minlength: 8 ; maxlength: 20", "maxlength: 20", "a space after a number ends its rule"),
        ("required: upper ; maxlength: 20", "maxlength: 20; required: upper", "but not after a class"),
        ("required: upper,; maxlength: 20", "maxlength: 20", "a comma without a class"),
        ("maxlength: 20; required: upper,", "maxlength: 20", "the same at the end"),
        ("maxlength: 20; allowed: upper, [abc", "maxlength: 20; allowed: upper", "open brackets hold the rest"),
        ("maxlength: 20; allowed: [", "maxlength: 20", "an open bracket at the end"),
        ("minlength: 8;; maxlength: 20", "minlength: 8", "nothing after text that begins no rule"),
        ("minlength: 8; (maxlength: 20)", "minlength: 8", "the same for other characters"),
        ("minlength: 9; maxlength: 3", "minlength: 9; maxlength: 3", "a contradiction is kept"),
        ("minlength: 8; Maxlength: 20", nil, "the name of a rule in upper case"),
        ("minlength: 8; length: 20", nil, "an unknown name"), ("minlength: 8; length", nil, "the same at the end"),
        ("minlength = 8", nil, "a missing colon"), ("minlength : 8", nil, "a space before the colon"),
        ("required: lower upper", nil, "text after a class"), ("allowed: [a]]]", nil, "a third bracket"),
        ("required: digits", nil, "an unknown class"), ("required: 1", nil, "no class"),
        ("required: lower,, upper", nil, "two commas"), ("required: lower: upper", nil, "two colons"),
        ("minlength: 8 characters", nil, "text after a number"), ("minlength: -8", nil, "a sign"),
        ("minlength: 8, maxlength: 20", nil, "a comma between rules"), ("minlength: ８", nil, "another digit"),
    ]

    @Test("A device reads rules leniently, and every deviation is a mistake for a strict reader", arguments: grammar)
    func device(_ text: String, _ canonical: String?, _ why: String) {
        let (rules, mistakes) = PasswordRules.read(text)
        #expect(rules?.description == canonical, "\(why)")
        #expect(rules != nil || !mistakes.isEmpty, "\(why)")
        if let strict = try? PasswordRules(text) { #expect(rules == strict && mistakes.isEmpty, "\(why)") }
    }

    @Test("All mistakes are reported in order, and a repeated one in brackets only once")
    func severalMistakes() {
        let text = "required: [ä-ö-]; minlength: 8; minlength: 9; allowed: Upper; max-consecutive: 0;;"
        #expect(
            PasswordRules.read(text).mistakes == [
                .hyphen(column: 13), .bracketCharacter("ä", column: 12), .repeated(rule: "minlength", column: 44),
                .upperCaseClass("Upper", column: 56),
                .outOfRange(rule: "max-consecutive", number: "0", range: 1...999_999_999, column: 80),
                .unknownRule("", column: 82),
            ])
    }

    static let weaknesses: [(String, String?)] = [
        ("", nil), ("minlength: 4", nil), ("maxlength: 12", nil), ("maxlength: 11", "12 characters"),
        ("allowed: digit", "2 character classes"), ("allowed: [abc]", "2 character classes"),
        ("allowed: [a1]", nil), ("required: special", "2 character classes"), ("allowed: unicode", nil),
        ("required: lower; allowed: upper", nil), ("maxlength: 4; allowed: digit", "12 characters"),
    ]

    @Test("Rules that allow too few characters or classes are weak", arguments: weaknesses)
    func weak(_ text: String, _ expected: String?) throws {
        let weakness = try PasswordRules(text).weakness
        #expect((weakness == nil) == (expected == nil))
        if let expected { #expect(weakness?.contains("fewer than \(expected). Apple devices may ") == true) }
    }

    static let verdicts: [(String, String, Bool, String)] = [
        ("", "Aa1 /\\~", true, "without classes all of printable ASCII"),
        ("", "ä", false, "and nothing else"), ("", "\t", false, "no control character"), ("", "", true, "no length"),
        ("minlength: 3", "ab", false, "too short"), ("minlength: 3", "abc", true, "just long enough"),
        ("maxlength: 3", "abcd", false, "too long"), ("maxlength: 3", "abc", true, "just short enough"),
        ("allowed: unicode; maxlength: 2", "🔑🔑", true, "scalars are counted, not bytes"),
        ("allowed: unicode", "ä\u{0}", true, "every character"),
        ("required: lower", "a", true, "the class is there"), ("required: lower", "A", false, "it is not"),
        ("required: lower", "aA", false, "only what is required may occur"),
        ("required: lower; allowed: upper", "aA", true, "or allowed"),
        ("required: lower; allowed: upper", "A", false, "what is allowed is not required"),
        ("required: lower, digit", "7", true, "one of several"),
        ("required: lower; required: digit", "7", false, "both of two"),
        ("required: lower; required: [abc]", "a", true, "one character for two rules"),
        ("max-consecutive: 2", "aabaa", true, "twice in a row"), ("max-consecutive: 2", "baaa", false, "three times"),
        ("max-consecutive: 1", "aa", false, "never in a row"), ("max-consecutive: 1", "aca", true, "but again"),
        ("max-consecutive: 1", "aba", false, "no neighbors"), ("max-consecutive: 2", "xabc", false, "a sequence"),
        ("max-repeating: 2", "aaa", false, "three times"), ("max-repeating: 2", "aabc", true, "sequences are allowed"),
        ("max-sequential: 2", "321", false, "downwards"), ("max-sequential: 2", "aaab", true, "runs are allowed"),
        ("max-sequential: 2", "ABa", true, "another letter case"), ("max-sequential: 2", "890", true, "no wrap"),
        ("max-sequential: 2", "()*", true, "only letters and digits"),
        ("allowed: special", "-~!@#$%^&*_+=`|(){}[:;\"'<>,.?] ", true, page + ": the signs of special"),
        ("allowed: special", "/", false, "not the slash"), ("allowed: special", "\\", false, "nor the backslash"),
        ("allowed: special", "a", false, "no letter"), ("allowed: special", "0", false, "no digit"),
        ("allowed: upper", "AZ", true, "both ends"), ("allowed: upper", "@", false, "the one before A"),
        ("allowed: upper", "[", false, "the one after Z"), ("allowed: upper", "Ä", false, "only ASCII"),
        ("allowed: lower", "az", true, "both ends"), ("allowed: lower", "`", false, "the one before a"),
        ("allowed: lower", "{", false, "the one after z"), ("allowed: digit", "09", true, "both ends"),
        ("allowed: digit", "/", false, "the one before 0"), ("allowed: digit", ":", false, "the one after 9"),
        ("allowed: [-a]]", "-a]", true, "what is in brackets"), ("allowed: [-a]]", "[", false, "not the brackets"),
    ]

    @Test("A password obeys rules, or does not", arguments: verdicts)
    func satisfied(_ rules: String, _ password: String, _ expected: Bool, _ why: String) throws {
        #expect(try PasswordRules(rules).isSatisfied(by: password) == expected, "\(why)")
    }
}
