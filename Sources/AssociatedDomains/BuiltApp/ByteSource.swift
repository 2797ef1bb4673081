package import MotivatorPlatform

/// Bytes that are read in parts, because an app can be too large to load into memory.
package protocol ByteSource {
    var size: Int { get }

    /// Returns a part of the bytes.
    /// - Throws: `BuiltAppError.truncated` if the range is out of bounds, or another error if reading fails.
    func read(at offset: Int, count: Int) throws(BuiltAppError) -> [UInt8]
}

extension ByteSource {
    /// Throws `BuiltAppError.truncated` if a range is out of bounds.
    func require(_ offset: Int, _ count: Int) throws(BuiltAppError) {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else {
            throw .truncated(offset: offset, count: count, size: size)
        }
    }
}

/// An open regular file.
package final class FileBytes: ByteSource {
    package let size: Int
    private let path: String
    private let descriptor: FileDescriptor

    package init(_ path: String) throws(FileError) {
        let descriptor = try File.openRegular(path)
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .cannotRead(path: path, SystemError("fstat")) }
        self.descriptor = descriptor
        self.path = path
        size = Int(status.st_size)
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
