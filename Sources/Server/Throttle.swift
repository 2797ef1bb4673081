/// Lets one event through a second and counts the others, so that a flood of them does not become a flood of lines.
struct Throttle: Sendable {
    private static let interval: Int64 = 1_000

    private var last: Int64?
    private var held = 0

    /// - Parameter now: milliseconds of a clock that never goes back.
    /// - Returns: how many were held back since the last one that came through; nil when this one is held back too.
    mutating func admit(now: Int64) -> Int? {
        if let last, now - last < Self.interval {
            held += 1
            return nil
        }
        last = now
        defer { held = 0 }
        return held
    }
}
