import ArgumentParser
import AssociatedDomains
import AssociationChecker
import Dispatch
import MotivatorPlatform
import MotivatorServer

struct ListOptions: ParsableArguments {
    @Option(
        name: .customLong("targets"),
        help: ArgumentHelp(
            """
            List of targets, or - for standard input. A line has a target, or a host, an app and a service separated \
            by tabs. Example: --targets sites.txt
            """, valueName: "file"))
    var list: String?

    @Option(help: "Maximum number of concurrent checks of a list, from 1 to 256. Example: --jobs 64")
    var jobs = 16

    @Option(
        help: ArgumentHelp(
            "Check every Nth target of the list, starting with target I. Example: --shard 1/4", valueName: "i/n"),
        transform: Shard.init)
    var shard: Shard?

    @Option(
        """
        Results of an earlier run (ndjson). Report only the changes. The exit code is 1 if a verdict became worse. \
        Example: --baseline monday.ndjson
        """, value: "file")
    var baseline: String?

    @Option(
        """
        File for the results (ndjson). After an interruption, the same command continues with the other targets. \
        Example: --resume results.ndjson
        """, value: "file")
    var resume: String?

    func validate() throws { try require(1...256 ~= jobs, "--jobs is \(jobs). Use 1 to 256.") }

    var isUsed: Bool { list != nil || shard != nil || baseline != nil || resume != nil }
}

// MARK: - Running

extension AssociationCommand.Check {
    /// Checks all targets of a list. One result is in memory for each job.
    func runList() throws {
        // An arena grows by fragmentation for a long time. Most allocations use a thread's cache, not an arena.
        Allocator.limitArenas(to: 1)
        let request = try request.request()
        let tools = try CheckTools(fetching, forMany: true)
        let source = try list.list.map { try LineSource($0, limit: TargetList.maximumLine) }
        var total: Int?
        // Only the progress needs the number of targets, and only a terminal shows it.
        if isatty(STDERR_FILENO) == 1, let source, source.rewind() {
            let counted = TargetList(request, shard: list.shard, lines: source.next)
            total = 0
            while try counted.next() != nil { total? += 1 }
            _ = source.rewind()
        }
        var arguments = targets.map { LineSource.Line(bytes: Array($0.utf8)) }[...]
        let targets = TargetList(request, shard: list.shard) {
            try source.map { try $0.next() } ?? arguments.popFirst()
        }
        let name = profile.shown[0].rawValue
        let baseline = try list.baseline.map { path in
            let source = try LineSource(path, limit: ResultRecord.maximumLine)
            return try ResultRecord.read(source, profile: name, isResumed: false) { $0.input.hashValue }.records
        }
        let (file, earlier) = try resumed()
        let collector = ResultCollector(
            file: file, selection: format == .ndjson ? .ndjson : quiet ? .summary : verbose ? .all : .failures,
            total: total, baseline: baseline, failsOnWarnings: issues.failOn == .warning)
        let signals = try Signals(reloads: false)
        let events = signals.events
        Task.detached { for await case .stop(let number) in events { collector.interrupt(by: number) } }
        try Workers.run(
            list.jobs,
            next: {
                while let target = try targets.next(), !collector.hasFailed {
                    guard let record = earlier[target.number] else { return target }
                    guard record.input == target.input else {
                        throw otherList("target \(target.number) is not \(target.input.excerpt)")
                    }
                    collector.add(record)
                }
                return nil
            },
            body: { collector.add(result(of: $0, tools)) })
        try require(
            targets.count > 0, "the list has no targets", fix: "Write one host in each line", exitCode: .badInput)
        if let last = earlier.keys.max(), last > targets.count {
            throw otherList("it has target \(last), but the list has \(targets.count)")
        }
        try withExtendedLifetime(signals) { try endCommand(with: collector.finish()) }
    }

    /// Opens the file of `--resume`, and reads its results by the number of the target.
    private func resumed() throws -> (file: LineSource?, earlier: [Int: ResultRecord]) {
        guard let path = list.resume else { return (nil, [:]) }
        let file = try LineSource(path, limit: ResultRecord.maximumLine, O_RDWR | O_CREAT)
        try require(
            !file.isStandardOutput() && file.rewind(),
            "--resume: \(path.quoted) is the standard output, or not a regular file",
            fix: "Remove the redirection; the command adds the results to the file")
        let name = profile.shown[0].rawValue
        let (earlier, end) = try ResultRecord.read(file, profile: name, isResumed: true) { $0.number }
        try file.truncate(to: end)
        return (file, earlier)
    }

    private func otherList(_ difference: String) -> ExplainedFailure {
        ExplainedFailure(
            "\((list.resume ?? "").quoted) has the results of another list: \(difference)",
            fix: "Use the list of the earlier run, or another file", exitCode: .badInput)
    }

    // MARK: - Results

    /// A new result of a list: its record, its report or error, and its first message.
    fileprivate typealias ListResult = (record: ResultRecord, rest: JSONNode, message: String)

    private func result(of target: ListedTarget, _ tools: CheckTools) -> ListResult {
        let shown = profile.shown
        func record(_ verdict: Standing, _ code: MotivatorPlatform.ExitCode, _ codes: [String]) -> ResultRecord {
            ResultRecord(
                number: target.number, input: target.input, profile: shown[0].rawValue, verdict: verdict,
                exitCode: code.rawValue, codes: codes)
        }
        do {
            let (text, request) = try target.parsed.get()
            let result = try result(text, request, tools)
            let counted = result.report.issues.filter { !$0.isIgnored && ($0.severity(in: shown[0]) ?? .note) > .note }
            let verdicts = result.reports.flatMap { report in
                profile.deciding.compactMap { Standing(rawValue: report.verdict($0).rawValue) }
            }
            return (
                record(verdicts.max() ?? .denied, exitCode([result]), Set(counted.map(\.code)).sorted()),
                ["report": result.json(shown)], counted.first.map { "\($0.message.clause) [\($0.code)]" } ?? ""
            )
        } catch {
            let problem = (error as? any ExplainedError)?.problem.sentence ?? "\(error)"
            let fix = (error as? any ExplainedError)?.fix.sentence ?? ""
            return (record(.unreadable, .no, []), ["error": .text(problem), "fix": .text(fix)], problem)
        }
    }
}

/// Writes the results of a list as they arrive, and counts them.
// Safe: all mutable state is confined to `queue`.
private final class ResultCollector: @unchecked Sendable {
    enum Selection { case ndjson, summary, failures, all }

    private let queue = DispatchQueue(label: "results")
    private let file: LineSource?
    private let selection: Selection
    private let total: Int?
    private let baseline: [Int: ResultRecord]?
    private let failsOnWarnings: Bool
    private let start = MonotonicTime.now
    private var shown = MonotonicTime.now
    private var summary = ListSummary()
    private var failure: FileError?
    private var isFinished = false

    init(file: LineSource?, selection: Selection, total: Int?, baseline: [Int: ResultRecord]?, failsOnWarnings: Bool) {
        (self.file, self.selection, self.total) = (file, selection, total)
        (self.baseline, self.failsOnWarnings) = (baseline, failsOnWarnings)
    }

    /// Whether a result could not be written.
    var hasFailed: Bool { queue.sync { failure != nil } }

    /// Adds a result of an earlier run.
    func add(_ record: ResultRecord) { queue.sync { summary.add(record, change(record), isResumed: true) } }

    /// Adds and writes a new result.
    func add(_ result: AssociationCommand.Check.ListResult) {
        let change = change(result.record)
        let isJSON = selection == .ndjson
        var line: [UInt8] = []
        if file != nil || isJSON, case .members(let rest) = result.rest {
            let head = result.record.json.adding("baseline", change?.json)
            line = rest.reduce(head) { $0.adding($1.key, $1.value) }.line()
        }
        let isShown =
            switch selection {
            case .summary: false
            case .failures: change.map { $0.kind != .same } ?? (result.record.exitCode != 0)
            case .all: true
            case .ndjson: change?.kind != .same
            }
        let text = isJSON ? line : Array("\(text(result, change).printable)\n".utf8)
        queue.sync {
            guard !isFinished, failure == nil else { return }
            do throws(FileError) {
                try file?.append(line)
                if isShown {
                    Output.progress(nil)
                    try Output.result(text)
                }
                summary.add(result.record, change, isResumed: false)
            } catch {
                failure = error
            }
            let now = MonotonicTime.now
            guard now - shown >= .milliseconds(100) else { return }
            shown = now
            Output.progress(summary.progress(of: total, seconds: (now - start) / .seconds(1)))
        }
    }

    private func change(_ record: ResultRecord) -> Change? {
        baseline.map { baseline in
            let old = baseline[record.input.hashValue].flatMap { $0.input == record.input ? $0 : nil }
            return Change(from: old, to: record, failsOnWarnings: failsOnWarnings)
        }
    }

    private func text(_ result: AssociationCommand.Check.ListResult, _ change: Change?) -> String {
        let before = change.map { "\($0.kind.rawValue): " + ($0.before.map { "\($0.rawValue) → " } ?? "") } ?? ""
        let input = result.record.input.replacing("\t", with: " ")
        return "\(before)\(result.record.verdict.rawValue)  \(input)  \(result.message)"
    }

    func finish() throws -> MotivatorPlatform.ExitCode {
        try queue.sync {
            isFinished = true
            if let failure { throw failure }
            writeSummary()
            return summary.exitCode
        }
    }

    func interrupt(by signal: Int32) {
        queue.sync {
            guard !isFinished else { return }
            writeSummary()
            Output.sentence(
                "motivator: interrupted after \(summary.done) targets."
                    + (file == nil ? "" : " Run the same command again to continue."))
            // Other threads still use memory that exit handlers free. Shells use this code for a signal.
            _exit(128 + signal)
        }
    }

    /// Writes the tables to standard output; with NDJSON, to standard error.
    private func writeSummary() {
        Output.progress(nil)
        let text = summary.text(width: Output.width)
        if selection == .ndjson { return Output.sentence(text) }
        // The results are complete. Only the tables are lost.
        try? Output.result(Array(text.utf8))
    }
}
