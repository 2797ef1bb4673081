import MotivatorPlatform

/// A record of events, in order. The server, the stores and the user write to the same diary.
final class Diary: Sendable {
    private let written = Guarded<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func write(_ line: String) { written.withLock { $0.append(line) } }
}
