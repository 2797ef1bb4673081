#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension FieldBytes {
    /// The index of the first LF at or behind `start`; the C library searches many bytes at a time.
    @inline(__always)
    func lineFeed(from start: Int) -> Int? {
        guard let base = baseAddress, start < count,
            let found = memchr(base + start, 0x0A, count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
