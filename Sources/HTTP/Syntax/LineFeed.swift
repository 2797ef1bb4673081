#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension FieldBytes {
    /// The index of the first LF at or after `start`.
    @inline(__always)
    func lineFeed(from start: Int) -> Int? {
        start < count ? first(0x0A, in: start..<count) : nil
    }

    /// The index of the first byte with a value in a range; the C library searches many bytes at a time.
    @inline(__always)
    func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        check(range)
        guard let base = unsafe buffer.baseAddress,
            let found = unsafe memchr(base + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
