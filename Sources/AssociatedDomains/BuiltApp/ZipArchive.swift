/// The entries in a zip archive, such as an IPA file. Nothing is extracted to disk.
///
/// The format is described in PKWARE's APPNOTE.TXT. ZIP64, encryption and methods other than deflate are rejected.
struct ZipArchive {
    /// The maximum size of the list of entries, in bytes. This is enough for 65,535 entries with names of 450 bytes.
    static let maximumDirectorySize = 32 << 20

    /// The maximum compression ratio of deflate, rounded up. A larger ratio means that the stated size is wrong.
    static let maximumRatio = 1_040

    struct Entry {
        let name: String
        let size: Int
        fileprivate let compressedSize: Int
        fileprivate let flags: Int
        fileprivate let method: Int
        fileprivate let header: Int
    }

    private let entries: [Entry]
    private let source: any ByteSource
    /// The offset of the list. All content precedes the list.
    private let directory: Int

    init(_ source: any ByteSource) throws(BuiltAppError) {
        self.source = source
        let (count, size, offset) = try ZipArchive.end(of: source)
        directory = offset
        entries = try ZipArchive.entries(in: source.read(at: offset, count: size), count: count)
    }

    /// The folder of the only app in an IPA file, such as `Payload/Demo.app/`.
    var appFolder: String {
        get throws(BuiltAppError) {
            let paths = entries.map { $0.name.split(separator: "/", omittingEmptySubsequences: false) }
            let apps = paths.filter {
                $0.count == 3 && $0[0] == "Payload" && $0[1].hasSuffix(".app") && $0[2] == "Info.plist"
            }
            let names = Set(apps.map { "Payload/\($0[1])/" })
            guard let name = names.first else { throw .noAppInArchive }
            guard names.count == 1 else { throw .severalApps(names.sorted()) }
            return name
        }
    }

    /// Returns the entry with the given name, if any.
    /// - Throws: `BuiltAppError.damagedEntry` if several entries have this name, because programs disagree on which
    ///   entry to use.
    func entry(named name: String) throws(BuiltAppError) -> Entry? {
        let found = entries.filter { $0.name == name }
        guard found.count < 2 else { throw .damagedEntry(name: name, reason: "several entries have this name") }
        return found.first
    }

    /// Returns the content of an entry, which is decompressed while it is read.
    func content(of entry: Entry, limit: Int) throws(BuiltAppError) -> any ByteSource {
        func damaged(_ reason: String) -> BuiltAppError { .damagedEntry(name: entry.name, reason: reason) }
        guard entry.flags & 1 == 0 else { throw .encryptedEntry(name: entry.name) }
        guard entry.size <= limit else { throw .tooLarge(name: entry.name, size: entry.size, limit: limit) }
        guard entry.header <= directory - 30 else { throw damaged("its header is not in the archive") }
        let header = try source.read(at: entry.header, count: 30)
        guard header.littleEndian(at: 0, size: 4) == 0x0403_4B50 else {
            throw damaged("its header is not in the archive")
        }
        let nameLength = header.littleEndian(at: 26, size: 2)
        let start = entry.header + 30 + nameLength + header.littleEndian(at: 28, size: 2)
        guard start <= directory, entry.compressedSize <= directory - start else {
            throw damaged("its content overlaps the list of entries")
        }
        let name = try source.read(at: entry.header + 30, count: nameLength)
        guard name.elementsEqual(entry.name.utf8) else { throw damaged("its header contains a different name") }
        let stored = SlicedBytes(base: source, start: start, size: entry.compressedSize)
        switch entry.method {
        case 0:
            guard entry.size == entry.compressedSize else { throw damaged("its two sizes differ") }
            return stored
        case 8:
            guard entry.size <= entry.compressedSize * ZipArchive.maximumRatio else {
                throw damaged("deflate cannot compress \(entry.size) bytes to \(entry.compressedSize)")
            }
            return InflatedBytes(stored, size: entry.size, name: entry.name)
        case let method: throw .compression(name: entry.name, method: method)
        }
    }

    /// Returns the number of entries, and the size and offset of their list, from the record at the end.
    private static func end(of source: any ByteSource) throws(BuiltAppError) -> (count: Int, size: Int, offset: Int) {
        // A comment of at most 65,535 bytes can follow the 22-byte record.
        let count = min(source.size, 22 + 0xFFFF)
        let tail = try source.read(at: source.size - count, count: count)
        var index = count - 22
        while index >= 0, !isEnd(tail, index) { index -= 1 }
        guard index >= 0 else { throw .notAnArchive(reason: "it has no list of entries at its end") }
        let entries = tail.littleEndian(at: index + 10, size: 2)
        let size = tail.littleEndian(at: index + 12, size: 4)
        let offset = tail.littleEndian(at: index + 16, size: 4)
        guard entries != 0xFFFF, size != 0xFFFF_FFFF, offset != 0xFFFF_FFFF else { throw .zip64 }
        guard tail.littleEndian(at: index + 4, size: 4) == 0, tail.littleEndian(at: index + 8, size: 2) == entries
        else { throw .notAnArchive(reason: "it is one part of a split archive") }
        guard size <= maximumDirectorySize else {
            throw .notAnArchive(reason: "its list of entries is \(size) bytes; the limit is \(maximumDirectorySize)")
        }
        guard offset + size <= source.size - count + index else {
            throw .notAnArchive(reason: "its list of entries is not in the file")
        }
        return (entries, size, offset)
    }

    /// Returns whether the end record begins at an index and, with its comment, fills the remaining bytes.
    private static func isEnd(_ tail: [UInt8], _ index: Int) -> Bool {
        tail[index] == 0x50 && tail.littleEndian(at: index, size: 4) == 0x0605_4B50
            && tail.littleEndian(at: index + 20, size: 2) == tail.count - index - 22
    }

    private static func entries(in list: [UInt8], count: Int) throws(BuiltAppError) -> [Entry] {
        var entries: [Entry] = []
        var index = 0
        while entries.count < count {
            guard list.count - index >= 46, list.littleEndian(at: index, size: 4) == 0x0201_4B50 else {
                throw .notAnArchive(reason: "its list of entries is damaged")
            }
            let nameLength = list.littleEndian(at: index + 28, size: 2)
            let length =
                46 + nameLength + list.littleEndian(at: index + 30, size: 2)
                + list.littleEndian(at: index + 32, size: 2)
            guard length <= list.count - index else { throw .notAnArchive(reason: "its list of entries is damaged") }
            entries.append(
                Entry(
                    name: String(decoding: list[(index + 46)..<(index + 46 + nameLength)], as: UTF8.self),
                    size: list.littleEndian(at: index + 24, size: 4),
                    compressedSize: list.littleEndian(at: index + 20, size: 4),
                    flags: list.littleEndian(at: index + 8, size: 2),
                    method: list.littleEndian(at: index + 10, size: 2),
                    header: list.littleEndian(at: index + 42, size: 4)))
            index += length
        }
        return entries
    }
}
