import HTTP

/// The static files that a loop has looked at within the last second, by host folder and path.
struct FileCache {
    /// Milliseconds after which a file is looked at again.
    static let freshness: Int64 = 1_000
    /// Paths are a client's choice: a memory of them has a bound.
    private static let mostPaths = 4_096

    private var paths: [ObjectIdentifier: PathTable<Representation>] = [:]
    private var count = 0
    private var started: Int64 = 0

    @inline(__always)
    func find(_ path: FieldBytes, in files: StaticFiles) -> Representation? {
        paths[ObjectIdentifier(files)]?[path]
    }

    mutating func remember(_ representation: Representation, _ path: [UInt8], in files: StaticFiles, now: Int64) {
        if count == 0 { started = now }
        guard count < Self.mostPaths else { return }
        count += 1
        paths[ObjectIdentifier(files), default: PathTable()][path] = representation
    }

    /// Forgets everything once the oldest is a second old: simple, and a busy path is looked at once a second.
    mutating func forget(before now: Int64) {
        guard count > 0, now - started >= Self.freshness else { return }
        paths.removeAll(keepingCapacity: true)
        count = 0
    }
}
