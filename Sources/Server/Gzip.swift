import CZlib

/// Gzip compression of complete content with zlib (RFC 1952).
package enum Gzip {
    /// Content of at most this size, in bytes, is not compressed. The additional field lines would cost more than
    /// compression saves.
    static let smallest = 1 << 10

    /// The maximum size of content to compress, in bytes. Larger content would take seconds and twice the memory.
    static let largest = 8 << 20

    static func pays(_ count: Int) -> Bool { count > smallest && count <= largest }

    /// Compresses at the best level, for content that is compressed once and sent often.
    /// - Parameter content: any bytes, less than 4 GiB.
    /// - Returns: the compressed content; nil if zlib runs out of memory or the result is not smaller.
    package static func compress(_ content: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        guard unsafe ultra_gzip_start(&stream, Z_BEST_COMPRESSION) == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        let bound = unsafe Int(deflateBound(&stream, UInt(content.count)))
        var source = content
        var status = Z_STREAM_ERROR
        let compressed = unsafe [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            unsafe source.withUnsafeMutableBufferPointer { input in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(bound)
                status = unsafe deflate(&stream, Z_FINISH)
                count = unsafe status == Z_STREAM_END ? Int(stream.total_out) : 0
            }
        }
        guard status == Z_STREAM_END, compressed.count < content.count else { return nil }
        return compressed
    }
}
