import AssociatedDomains

/// Bytes in memory that are read only inside their bounds. A fuzz target uses this file too.
struct ArrayBytes: ByteSource {
    let bytes: [UInt8]
    var size: Int { bytes.count }

    func read(at offset: Int, count: Int) throws(BuiltAppError) -> [UInt8] {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            throw .truncated(offset: offset, count: count, size: size)
        }
        return Array(bytes[offset..<(offset + count)])
    }
}
