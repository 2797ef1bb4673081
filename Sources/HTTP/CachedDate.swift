/// The text of the present second, for the Date field (RFC 9110 §6.6.1): formatted once a second, not once an answer.
public struct CachedDate {
    private var second: Int64
    private var text: [UInt8]

    /// - Parameter now: the present in seconds since 1970-01-01T00:00:00Z.
    public init(now: Int64) {
        second = now
        text = HTTPDate.bytes(now)
    }

    /// The date of `now` in ``HTTPDate/length`` bytes; formats only when the second is another one than the last time,
    /// be it later or earlier, because a clock can be set back.
    /// - Parameter now: the present in seconds since 1970-01-01T00:00:00Z.
    public mutating func update(now: Int64) -> [UInt8] {
        if now != second {
            second = now
            text.withUnsafeMutableBufferPointer { HTTPDate.write(now, into: $0) }
        }
        return text
    }
}
