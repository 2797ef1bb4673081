import MotivatorPlatform
import TestSupport
import Testing

@Suite("Text for people, shells and programs") struct TextTests {
    static let quoted: [(String, String)] = [
        ("", #""""#), ("plain words", #""plain words""#), ("é ✓", #""é ✓""#), (#"a"b\c"#, #""a\"b\\c""#),
        ("a\nb\rc\td", #""a\nb\rc\td""#), ("\r\n", #""\r\n""#), ("\u{1B}[31m", #""\u{1b}[31m""#),
        ("\u{7F}\u{9B}", #""\u{7f}\u{9b}""#), ("a\u{202E}b", #""a\u{202e}b""#), ("\u{FEFF}", #""\u{feff}""#),
        ("\u{2028}\u{2029}", #""\u{2028}\u{2029}""#),
    ]

    @Test("A quoted text stays on one line and commands no terminal", arguments: quoted)
    func quoting(_ text: String, _ wanted: String) {
        #expect(text.quoted == wanted)
    }

    @Test("An excerpt has at most 80 scalars of the text", arguments: [79, 80, 81])
    func excerpt(_ count: Int) {
        let text = String(repeating: "é", count: count)
        #expect(text.excerpt == (count > 80 ? "\"\(text.dropLast(count - 80))…\"" : "\"\(text)\""))
    }

    @Test(
        "A number of bytes has a unit, and is not rounded up",
        arguments: [
            (0, "0 bytes"), (1, "1 byte"), (1_023, "1023 bytes"), (1_024, "1 KiB"), (1_580, "1.5 KiB"),
            (16_384, "16 KiB"), (131_071, "127.9 KiB"), (1_048_575, "1023.9 KiB"), (1_048_576, "1 MiB"),
            (.max, "8796093022207.9 MiB"),
        ])
    func byteCount(_ count: Int, _ text: String) { #expect(count.byteCount == text) }

    @Test("A byte has two hexadecimal digits", arguments: [(UInt8(0), "00"), (0x0A, "0A"), (0x10, "10"), (0xFF, "FF")])
    func hexadecimal(_ byte: UInt8, _ expected: String) {
        #expect(byte.hexadecimal == expected)
    }

    static let words = [
        "plain", "a b", "", "it's", "''", "$(reboot)", "`reboot`", "a;b", "a\nb", "\"", "\\", "*", "~", "é", "a=b",
        "!x",
        "/usr/bin:x@y+z-_.1", "-n",
    ]

    @Test("A shell reads a quoted word as it was", arguments: words)
    func shell(_ word: String) throws {
        let directory = try TemporaryDirectory()
        let command = "printf '%s' x \(word.shellQuoted)"
        let process = try Spawn.start(["sh", "-c", command], output: directory.file("output"))
        #expect(Spawn.status(of: process) == 0)
        #expect(String(decoding: try directory.read("output"), as: UTF8.self) == "x" + word)
    }

    @Test("A plain word stays as it is")
    func plainWord() {
        #expect("/usr/bin:x@y+z-_.1".shellQuoted == "/usr/bin:x@y+z-_.1")
    }

    @Test(
        "Text for people is on one line and commands no terminal, but keeps its quotes and backslashes",
        arguments: [
            ("", ""), (#"a "b\c""#, #"a "b\c""#), (#"é "b\c\""#, #"é "b\c\""#), ("a\nb\tc", #"a\nb\tc"#),
            ("\u{1B}[31m\"", #"\u{1b}[31m""#), ("a\u{202E}b", #"a\u{202e}b"#),
        ])
    func printable(_ text: String, _ wanted: String) {
        #expect(text.printable == wanted)
    }

    @Test("Text is trimmed at both ends, a list loses its repetitions, and a table has rows without its header")
    func lists() {
        #expect(["  a b ", "a", "", "   "].map { $0.trimming(\.isWhitespace) } == ["a b", "a", "", ""])
        #expect([3, 1, 3, 2, 1].distinct == [3, 1, 2])
        #expect(Array("a\tb\n1\t\n\t3\n".utf8).tableRows == [["1", ""], ["", "3"]])
    }

    static let json: [(String, String)] = [
        ("", #""""#), ("é😀", #""é😀""#), (#""\/"#, #""\"\\/""#), ("\n\r\t", #""\n\r\t""#),
        ("\u{0}\u{1F}", ##""\u0000\u001f""##), ("\u{7F}\u{80}\u{9F}\u{A0}", "\"\\u007f\\u0080\\u009f\u{A0}\""),
        ("\u{2028}\u{2029}", ##""\u2028\u2029""##), ("\r\n", #""\r\n""#),
        ("\u{200E}\u{202E}\u{2069}\u{FEFF}", ##""\u200e\u202e\u2069\ufeff""##),
    ]

    @Test("A JSON string escapes what RFC 8259 §7 wants escaped", arguments: json)
    func jsonText(_ text: String, _ wanted: String) {
        #expect(JSONText.quote(text) == wanted)
    }

    @Test("An error in a file has the file's name in front, and is otherwise the same")
    func errorInFile() throws {
        let inner = FileError.tooLarge(path: "inner", size: 2, limit: 1)
        let error = ExplainedFailure(inner, in: "a\n.json")
        #expect(error.problem == #""a\n.json": "# + inner.problem)
        #expect(error.fix == inner.fix)
        #expect(error.exitCode == inner.exitCode)
        #expect(error.description == "\(error.problem). \(inner.fix).")
        #expect(throws: ExplainedFailure.self) { try ExplainedFailure.naming("file") { throw inner } }
        #expect(throws: CancellationError.self) { try ExplainedFailure.naming("file") { throw CancellationError() } }
        #expect(try ExplainedFailure.naming("file") { 7 } == 7)
    }

    static let fileErrors: [(FileError, ExitCode, String)] = [
        (.notFound(path: "a\u{1B}"), .noInput, #""a\u{1b}""#),
        (.notPermitted(path: "a", mode: " (mode 0600)"), .notPermitted, "0600"),
        (.notAFile(path: "a"), .noInput, "regular"), (.notAFolder(path: "a"), .noInput, "folder"),
        (.tooLarge(path: "a", size: 9, limit: 8), .badInput, "9 bytes long; the limit is 8"),
        (.tooLarge(path: "a", size: nil, limit: 8), .badInput, "larger than 8 bytes"),
        (.cannotRead(path: "a", SystemError("read", code: EIO)), .inputOutput, "read: "),
        (.cannotWrite(path: "a", SystemError("write", code: ENOSPC)), .cannotCreate, "No space"),
        (.cannotWriteOutput(SystemError("write", code: ENOSPC)), .inputOutput, "standard output"),
        (.readableByOthers(path: "a b", mode: "0644"), .notPermitted, "chmod 600 'a b'"),
    ]

    @Test("A file's error names what happened, the value, and what to do", arguments: fileErrors)
    func fileError(_ error: FileError, _ code: ExitCode, _ words: String) {
        #expect(error.exitCode == code)
        #expect(error.description.contains(words))
        #expect(error.description.hasSuffix("\(error.fix)."))
        #expect(!error.fix.isEmpty)
    }
}

@Suite("Clocks") struct ClockTests {
    @Test(
        "A clock has milliseconds for every time",
        arguments: [
            (0, 0), (1, 1_000), (-1, -1_000), (.max, .max), (.min, .min), (1_443_657_600, 1_443_657_600_000),
        ] as [(UnixTime, Int64)])
    func milliseconds(_ time: UnixTime, _ expected: Int64) {
        let clock = Clock { time }
        #expect(clock.now() == time)
        #expect(clock.milliseconds() == expected)
    }

    @Test(
        "A duration is rounded up to whole seconds",
        arguments: [
            (.zero, 0), (.nanoseconds(1), 1), (.milliseconds(999), 1), (.seconds(1), 1), (.milliseconds(1_001), 2),
            (.seconds(60), 60),
        ] as [(Duration, Int)])
    func wholeSeconds(_ duration: Duration, _ seconds: Int) {
        #expect(duration.wholeSeconds == seconds)
    }

    @Test(
        "Milliseconds are rounded down to seconds",
        arguments: [
            (0, 0), (999, 0), (1_000, 1), (-1, -1), (-1_000, -1), (-1_001, -2),
        ] as [(Int64, UnixTime)])
    func seconds(_ milliseconds: Int64, _ expected: UnixTime) {
        #expect(Clock.seconds(milliseconds) == expected)
    }
}

@Suite("Timestamps") struct TimestampTests {
    static let times: [(UnixTime, String)] = [
        (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
        (1_443_657_600, "2015-10-01T00:00:00Z"), (2_147_483_648, "2038-01-19T03:14:08Z"),
        (4_107_542_399, "2100-02-28T23:59:59Z"), (253_402_300_799, "9999-12-31T23:59:59Z"),
        (-62_135_596_800, "0001-01-01T00:00:00Z"),
    ]

    @Test("A time is written and read as RFC 3339 has it", arguments: times)
    func roundTrip(_ time: UnixTime, _ text: String) {
        #expect(Timestamp.text(time) == text)
        #expect(Timestamp.parse(text) == time)
    }

    @Test("Every second of three days around a leap day comes back")
    func leapDay() {
        let start: UnixTime = 1_709_078_400
        for time in stride(from: start, to: start + 3 * 86_400, by: 97) {
            #expect(Timestamp.parse(Timestamp.text(time)) == time)
        }
    }

    @Test("A date alone is its midnight")
    func date() {
        #expect(Timestamp.parse("2015-10-01") == 1_443_657_600)
    }

    static let refused = [
        "", "now", "2015-10-01T00:00:00", "2015-10-01T00:00:00z", "2015-10-01t00:00:00Z", "2015-10-01 00:00:00Z",
        "2015-10-01T00:00:00+00:00", "2015-10-01T00:00:00.0Z", "2015-10-1", "15-10-01", "2015/10/01", "2015-13-01",
        "2015-00-10", "2015-02-30", "2015-02-29", "2100-02-29", "2015-10-01T24:00:00Z", "2015-10-01T23:60:00Z",
        "2015-10-01T23:59:60Z", "+015-10-01", "2015-+1-01", "2015-10-01T00:00:00ZZ", " 2015-10-01", "２０１５-10-01",
        "2015-10-0é", "-001-10-01",
    ]

    @Test("An invalid or unusually written time is refused", arguments: refused)
    func refusal(_ text: String) {
        #expect(Timestamp.parse(text) == nil)
    }
}
