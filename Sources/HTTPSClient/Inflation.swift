import CZlib

extension FetchedResponse {
    /// The content coding; nil for none.
    package var coding: String? {
        first("content-encoding").flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }

    /// Returns the content without its coding, truncated to `limit` bytes. Nil for another coding or malformed content.
    package func decoded(limit: Int) -> [UInt8]? {
        guard let coding else { return content }
        return Inflation.undo(content, coding: coding, limit: limit)
    }
}

/// Decodes the content codings that a site may use even if the client does not request them (RFC 9110 §8.4.1).
package enum Inflation {
    package static var libraryVersion: String { unsafe String(cString: zlibVersion()) }

    /// Decodes content.
    /// - Parameters:
    ///   - coding: the name of the coding, case-insensitive: `gzip`, `x-gzip` or `deflate`.
    ///   - limit: the maximum number of decoded bytes. Decoding stops there.
    /// - Returns: the content; nil for another coding or malformed content.
    package static func undo(_ content: [UInt8], coding: String, limit: Int) -> [UInt8]? {
        switch coding.lowercased() {
        // Adding 16 makes zlib expect a gzip wrapper. Otherwise, it expects a zlib wrapper, as "deflate" requires.
        case "gzip", "x-gzip": inflated(content, windowBits: 15 + 16, limit: limit)
        case "deflate": inflated(content, windowBits: 15, limit: limit)
        case _: nil
        }
    }

    private static func inflated(_ content: [UInt8], windowBits: Int32, limit: Int) -> [UInt8]? {
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        guard unsafe inflateInit2_(&stream, windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
        defer { unsafe inflateEnd(&stream) }
        var content = content
        var made = [UInt8](repeating: 0, count: limit)
        let (status, count) = unsafe content.withUnsafeMutableBufferPointer { input in
            unsafe made.withUnsafeMutableBufferPointer { output in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(clamping: input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(clamping: output.count)
                let status = unsafe inflate(&stream, Z_FINISH)
                return unsafe (status, output.count - Int(stream.avail_out))
            }
        }
        // A full buffer is not an error, because content above the limit is not needed.
        guard status == Z_STREAM_END || (status == Z_BUF_ERROR && count == limit) else { return nil }
        return Array(made[..<count])
    }
}
