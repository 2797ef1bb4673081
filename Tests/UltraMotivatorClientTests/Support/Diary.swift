import Platform

/// What happened, in its order: the server, the stores and the person all write into one.
final class Diary: Sendable {
    private let written = Guarded<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func write(_ line: String) { written.withLock { $0.append(line) } }
}
