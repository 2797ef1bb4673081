/// A running digest of a parser's results. It can compare two deliveries without storing them.
///
/// The digest is not cryptographic: two different results have the same digest with a probability of about 2^-64.
public struct Digest: Equatable, Sendable {
    public private(set) var value: UInt64

    public init(seed: UInt64 = 0x9E37_79B9_7F4A_7C15) {
        value = seed
    }

    /// Adds a number.
    @inline(__always)
    public mutating func add(_ number: UInt64) {
        let (high, low) = (value ^ number).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        value = high ^ low &+ 0x9E37_79B9_7F4A_7C15
    }

    /// Adds a number.
    @inline(__always)
    public mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number))) }

    /// Adds bytes and their number.
    @inline(__always)
    public mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        let raw = UnsafeRawBufferPointer(bytes)
        var index = 0
        while index + 8 <= raw.count {
            add(raw.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest = UInt64(raw.count)
        while index < raw.count {
            rest = rest << 8 | UInt64(raw[index])
            index += 1
        }
        add(rest)
    }

    /// Adds bytes and their number.
    @inline(__always)
    public mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { add($0) } }

    /// Adds the UTF-8 of a text.
    public mutating func add(_ text: String) { add(Array(text.utf8)) }
}
