import CZlib
package import MotivatorPlatform

/// Bytes that are read in parts, because an app can be too large to load into memory.
package protocol ByteSource {
    var size: Int { get }

    /// Returns a part of the bytes.
    /// - Throws: `BuiltAppError.truncated` if the range is out of bounds, or another error if reading fails.
    func read(at offset: Int, count: Int) throws(BuiltAppError) -> [UInt8]
}

extension ByteSource {
    func require(_ offset: Int, _ count: Int) throws(BuiltAppError) {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            throw .truncated(offset: offset, count: count, size: size)
        }
    }
}

package final class FileBytes: ByteSource {
    package let size: Int
    private let path: String
    private let descriptor: FileDescriptor

    package init(_ path: String) throws(FileError) {
        descriptor = try File.openRegular(path)
        self.path = path
        size = Int(try descriptor.status(path: path).st_size)
    }

    package func read(at offset: Int, count: Int) throws(BuiltAppError) -> [UInt8] {
        try require(offset, count)
        var failure: SystemError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
            while done < count {
                let start = unsafe buffer.baseAddress?.advanced(by: done)
                let got = unsafe pread(descriptor.number, start, count - done, off_t(offset + done))
                if got < 0, errno == EINTR { continue }
                if got < 0 { failure = SystemError("pread") }
                if got <= 0 { return }
                done += got
            }
        }
        if let failure { throw .file(.cannotRead(path: path, failure)) }
        // Another process may have shortened the file.
        guard bytes.count == count else { throw .truncated(offset: offset, count: count, size: size) }
        return bytes
    }
}

/// A part of another byte source, such as an entry that an archive stores without compression.
struct SlicedBytes: ByteSource {
    let base: any ByteSource
    let start: Int
    let size: Int

    func read(at offset: Int, count: Int) throws(BuiltAppError) -> [UInt8] {
        try require(offset, count)
        return try base.read(at: start + offset, count: count)
    }
}

extension Array<UInt8> {
    /// Returns a little-endian number of 1 to 7 bytes. The caller checks the bounds.
    func littleEndian(at offset: Int, size: Int) -> Int {
        self[offset..<(offset + size)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns a big-endian number of 1 to 7 bytes. The caller checks the bounds.
    func bigEndian(at offset: Int, size: Int) -> Int {
        self[offset..<(offset + size)].reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The content of a compressed entry (raw deflate, RFC 1951), decompressed on demand.
///
/// Callers read parts from front to back, because the stream cannot seek backward. Memory use does not depend on the
/// size of the entry.
@safe final class InflatedBytes: ByteSource {
    /// The size of the buffers for input and for skipped content, in bytes.
    private static let step = 64 << 10

    let size: Int
    private let name: String
    private let compressed: any ByteSource
    /// zlib stores the address of the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let isOpen: Bool
    private var input: [UInt8] = []
    private var used = 0
    private var consumed = 0
    private var position = 0

    init(_ compressed: any ByteSource, size: Int, name: String) {
        (self.compressed, self.size, self.name) = (compressed, size, name)
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // A negative window size selects raw deflate data, without a zlib header.
        isOpen = unsafe inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    deinit {
        if isOpen { unsafe inflateEnd(stream) }
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    func read(at offset: Int, count: Int) throws(BuiltAppError) -> [UInt8] {
        try require(offset, count)
        guard isOpen else { throw damaged("zlib cannot start") }
        guard offset >= position else { throw damaged("its parts were not read in order") }
        while position < offset { _ = try inflate(atMost: min(offset - position, Self.step)) }
        var content: [UInt8] = []
        while content.count < count { content += try inflate(atMost: min(count - content.count, Self.step)) }
        return content
    }

    /// Returns the next bytes: at least one, and at most `count`.
    private func inflate(atMost count: Int) throws(BuiltAppError) -> [UInt8] {
        while true {
            if used == input.count {
                input = try compressed.read(at: consumed, count: min(Self.step, compressed.size - consumed))
                consumed += input.count
                used = 0
            }
            var status = Z_OK
            let available = input.count - used
            let content = unsafe [UInt8](unsafeUninitializedCapacity: count) { output, made in
                unsafe input.withUnsafeMutableBufferPointer { input in
                    unsafe stream.pointee.next_in = unsafe input.baseAddress?.advanced(by: used)
                    unsafe stream.pointee.avail_in = UInt32(available)
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(count)
                    status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                    made = unsafe count - Int(stream.pointee.avail_out)
                }
            }
            let taken = unsafe available - Int(stream.pointee.avail_in)
            used += taken
            position += content.count
            if !content.isEmpty { return content }
            guard status == Z_OK, taken > 0 else {
                throw damaged(status == Z_STREAM_END ? "it is shorter than declared" : "zlib cannot inflate it")
            }
        }
    }

    private func damaged(_ reason: String) -> BuiltAppError { .damagedEntry(name: name, reason: reason) }
}
