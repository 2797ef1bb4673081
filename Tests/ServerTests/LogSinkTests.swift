import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

/// The behavior of a log sink after its reader closes the pipe.
@Suite("The sink of log lines") struct LogSinkTests {
    private let scratch: TemporaryDirectory

    init() throws {
        signal(SIGPIPE, SIG_IGN)
        scratch = try TemporaryDirectory()
        try scratch.makePipe("log")
    }

    private func open() -> FileDescriptor {
        FileDescriptor(owning: MotivatorPlatform.open(scratch.file("log"), O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    }

    private func waitForBytes(_ reader: borrowing FileDescriptor) -> Bool {
        (ProgressLimit.wait(on: reader.number) ?? 0) & Int16(POLLIN) != 0
    }

    /// Reads until the last line starts with `end`.
    private func lines(_ reader: borrowing FileDescriptor, upTo end: String) -> [String] {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !text.hasSuffix("\n") || text.split(separator: "\n").last?.hasPrefix(end) != true {
            guard waitForBytes(reader) else { break }
            let count = read(reader.number, &buffer, buffer.count)
            text += String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
    }

    /// Writes lines of `x` that exceed the pipe's capacity, and closes the reader while the sink waits.
    private func leave(_ sink: LogSink, lines count: Int) {
        let line = String(repeating: "x", count: Self.length / count) + "\n"
        do {
            let reader = open()
            sink.write(Array(String(repeating: line, count: count).utf8), count: count)
            let hasBytes = waitForBytes(reader)
            #expect(hasBytes)
        }
        sink.flush(within: Int(ProgressLimit.milliseconds))
    }

    private static let length = 200_000

    @Test("After an incomplete line, the next line starts on its own, and lost lines are counted", arguments: [1, 10])
    func incomplete(_ count: Int) throws {
        let first = open()
        let sink = try LogSink(path: scratch.file("log"), format: .text)
        _ = consume first
        leave(sink, lines: count)
        let reader = open()
        sink.write(Array("next\n".utf8))
        sink.write(Array("last\n".utf8))
        let lines = lines(reader, upTo: "last")
        // The pipe still contains the lines that fit.
        let next = try #require(lines.firstIndex(of: "next"), "\(lines.map { $0.prefix(100) })")
        #expect(lines[..<next].allSatisfy { $0.allSatisfy { $0 == "x" } })
        let lost = count - lines[..<next].filter { $0.count == Self.length / count }.count
        #expect(lost > 0 && sink.lostLines == lost)
        let report = try #require(lines.dropFirst(next + 1).first)
        #expect(report.hasSuffix(Self.report(lost)))
        #expect(lines.last == "last" && lines.count == next + 3, "the loss must be reported once")
    }

    @Test("A new log file does not start with the end of a line in the old one")
    func rotated() throws {
        let first = open()
        let sink = try LogSink(path: scratch.file("log"), format: .text)
        _ = consume first
        leave(sink, lines: 1)
        try #require(unlink(scratch.file("log")) == 0)
        sink.reopen { Issue.record("\($0)") }
        sink.write(Array("next\n".utf8))
        sink.flush(within: Int(ProgressLimit.milliseconds))
        let lines = try scratch.text(of: "log").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 3 && lines[0].hasSuffix(Self.report(1)) && lines.dropFirst() == ["next", ""])
    }

    @Test("Lines that do not fit in 4 MiB of waiting lines are lost, counted, and reported once")
    func backlog() throws {
        let reader = open()
        let sink = try LogSink(path: scratch.file("log"), format: .text)
        // A pipe takes only a part of the first line before its reader reads, so all lines wait.
        let part = [UInt8](repeating: UInt8(ascii: "x"), count: (1 << 20) - 5)
        for _ in 0..<3 { sink.write(part + Array("xxxx\n".utf8)) }
        sink.write(part + Array("\nend\n".utf8), count: 2)
        sink.write(Array("a\nb\n".utf8), count: 2)
        #expect(sink.lostLines == 2)
        let lines = lines(reader, upTo: "end")
        try #require(lines.count == 6)
        #expect(lines[1].hasSuffix(" warning 2 log lines were lost because the log was written too slowly"))
        #expect(lines.map(\.utf8.count).filter { $0 == (1 << 20) - 1 }.count == 3 && lines[5] == "end")
        #expect(sink.lostLines == 2)
    }

    /// Returns the end of the line that reports lost lines.
    private static func report(_ lost: Int) -> String {
        let count = lost == 1 ? "1 log line was lost" : "\(lost) log lines were lost"
        return " warning \(count) because of an error: write: \(SystemError("", code: EPIPE).reason)"
    }

    @Test("Bytes that a slow reader leaves in the pipe arrive completely")
    func slow() throws {
        let reader = open()
        let sink = try LogSink(path: scratch.file("log"), format: .text)
        let expected = (0..<1_000).map { "line \($0) " + String(repeating: "x", count: 300) } + ["end"]
        for line in expected { sink.write(Array("\(line)\n".utf8)) }
        #expect(lines(reader, upTo: "end") == expected)
        #expect(sink.lostLines == 0)
    }
}
