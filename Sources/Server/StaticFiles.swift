import Certificates
import Dispatch
import MotivatorHTTP
package import MotivatorPlatform

/// A server for the files in one folder and its subfolders. No request path and no link can reach other files.
///
/// It reads files on its own queues. A loop checks at most once a second whether a file has changed, so edits take
/// effect without a restart.
package final class StaticFiles: Sendable {
    /// The maximum size of a served file in bytes. The server keeps files in memory.
    static let largestFile = 64 << 20

    enum Outcome: Sendable {
        case found(Representation)
        /// A folder whose path lacks the trailing slash.
        case folder
        case notFound
        case failed(FileError)
        /// Too many requests are waiting, or too many large files are being sent.
        case busy
    }

    private struct Remembered {
        let version: FileVersion
        /// The file; nil if it is no longer in the cache.
        var cached: Representation?
        /// The file as long as it is in memory, so all responses share it.
        weak var loaded: Representation?
    }

    private struct Key: Hashable {
        let file: FileVersion.Identity
        let type: String
    }

    private let folder: Folder
    private let types: [String: String]
    private let queue = StaticFiles.queue("static-files", waiting: 1_024)
    /// The queue for large files, which take a long time to read and compress. Small files must not wait for them.
    private let largeQueue = StaticFiles.queue("large-static-files", waiting: 64)
    private static let large: Int64 = 1 << 20
    private let cachedBytes: Int
    private let loadedBytes: Int
    private let remembered = Guarded<(files: [Key: Remembered], bytes: Int)>(([:], 0))

    /// - Parameters:
    ///   - folder: the folder. It stays open, so the server keeps serving this folder if its path changes.
    ///   - types: the values of Content-Type by file name, for names without an extension. The server compresses these
    ///     files.
    ///   - cachedBytes: the maximum total size of all cached files in bytes, excluding their gzip variants.
    ///   - loadedBytes: the maximum total size of the cached files and of those that responses still send. Above it, the
    ///     server refuses requests for other large files.
    package init(
        folder: Folder, types: [String: String] = [:], cachedBytes: Int = 128 << 20, loadedBytes: Int = 384 << 20
    ) {
        (self.folder, self.types) = (folder, types)
        (self.cachedBytes, self.loadedBytes) = (cachedBytes, loadedBytes)
    }

    private static func queue(_ label: String, waiting: Int) -> BoundedQueue<[UInt8]> {
        let queue = DispatchQueue(label: label)
        return BoundedQueue(lanes: [{ work in queue.async(execute: work) }], waiting: waiting)
    }

    /// Looks up a path outside the event loop, when it is the client's turn.
    /// - Parameter path: the path of the request target, percent-encoded.
    func load(_ path: [UInt8], for client: [UInt8], done: @escaping @Sendable (Outcome) -> Void) {
        guard var segments = Self.segments(path) else { return done(.notFound) }
        let wantsFolder = segments.last == ""
        if wantsFolder { segments[segments.count - 1] = "index.html" }
        let name = segments.joined(separator: "/")
        queue.submit(for: client) {
            if let outcome = self.find(name, wantsFolder, limit: Self.large) { return done(outcome) }
            // The file is opened again, so waiting requests do not use descriptors.
            self.largeQueue.submit(for: client) {
                done(self.find(name, wantsFolder, limit: .max) ?? .notFound)
            } refuse: { _ in
                done(.busy)
            }
        } refuse: { _ in
            done(.busy)
        }
    }

    /// Opens and reads a file.
    /// - Returns: nil if the file is larger than `limit`.
    private func find(_ name: String, _ wantsFolder: Bool, limit: Int64) -> Outcome? {
        do throws(FileError) {
            let file = try folder.open(name)
            let version = try FileVersion(of: file, path: folder.path(of: name))
            if version.isFolder { return wantsFolder ? .notFound : .folder }
            guard version.size <= limit else { return nil }
            return try representation(of: file, name, version).map(Outcome.found) ?? .busy
        } catch {
            return switch error {
            case .notFound, .notAFile, .linkNotFollowed: .notFound
            case .notPermitted, .notAFolder, .tooLarge, .cannotRead, .cannotWrite, .cannotReplace,
                .cannotWriteOutput, .readableByOthers:
                .failed(error)
            }
        }
    }

    /// Returns the decoded segments after the first slash, or nil if no served file can have this path.
    static func segments(_ path: [UInt8]) -> [String]? {
        let decoded = path.withFieldBytes { bytes -> [[UInt8]]? in
            guard bytes.first == UInt8(ascii: "/") else { return nil }
            // The path is split before it is decoded, because an encoded slash does not separate segments.
            let parts = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let decoded = parts.compactMap { PercentCoding.decode(FieldBytes(rebasing: $0)) }
            return decoded.count == parts.count ? decoded : nil
        }
        guard let decoded else { return nil }
        var segments: [String] = []
        for (index, bytes) in decoded.enumerated() {
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0), !bytes.contains(0x2F),
                !bytes.contains(0x5C)
            else { return nil }
            // Only the last segment may be empty: "//" would give a file several paths.
            guard !text.isEmpty || index == decoded.count - 1 else { return nil }
            // This check compares the byte, because a dot with a combining mark is a different `Character`.
            guard bytes.first != UInt8(ascii: ".") || (index == 0 && text == ".well-known") else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// Returns the content type of a file, and whether compression makes its content smaller.
    func type(of name: String) -> (type: String, isCompressible: Bool) {
        types[name].map { ($0, true) } ?? MediaType.of(name)
    }

    /// Returns a file from memory, or reads it.
    /// - Returns: nil if the memory has no room for a large file.
    private func representation(
        of file: borrowing FileDescriptor, _ name: String, _ version: FileVersion
    ) throws(FileError) -> Representation? {
        let (type, isCompressible) = type(of: name.split(separator: "/").last.map(String.init) ?? "")
        let key = Key(file: version.identity, type: type)
        if let known = remembered.withLock({ $0.files[key] }), known.version == version, let file = known.loaded {
            return file
        }
        guard version.size > Self.largestFile || hasRoom(for: Int(version.size)) else { return nil }
        let content = try File.read(file, path: folder.path(of: name), limit: Self.largestFile)
        let representation = Representation(
            content: content,
            gzip: isCompressible && Gzip.pays(content.count) ? Gzip.compress(content) : nil,
            contentType: type, entityTag: ContentTag.of(content),
            // A date in the future would make later changes invisible (RFC 9110 §8.8.2.1).
            lastModified: min(version.modified, Clock.system.now()),
            cacheControl: "no-cache")
        remembered.withLock { state in
            state.bytes += content.count - (state.files[key]?.cached?.count ?? 0)
            state.files[key] = Remembered(version: version, cached: representation, loaded: representation)
        }
        return representation
    }

    /// Clears the cache if a file does not fit. Files that responses are still sending stay shared.
    /// - Returns: whether the memory has room for the file.
    private func hasRoom(for size: Int) -> Bool {
        remembered.withLock { state in
            if state.bytes + size > cachedBytes {
                state.bytes = 0
                for key in state.files.keys { state.files[key]?.cached = nil }
                state.files = state.files.filter { $0.value.loaded != nil }
            }
            guard size > Self.large else { return true }
            return state.files.values.reduce(size) { $0 + ($1.loaded?.count ?? 0) } <= loadedBytes
        }
    }
}

/// Entity tags derived from the content. The same bytes have the same tag on every machine and after every restart.
package enum ContentTag {
    /// Returns the first 32 hexadecimal digits of the SHA-256 digest.
    package static func of(_ content: [UInt8]) -> String { Digest.sha256(content).prefix(16).hexadecimal }
}

/// The static files that a loop has checked within the last second, by folder and path.
///
/// Without this cache, each request would change queues twice, open, check and close the file, allocate 16 times, and
/// take 29,000 more instructions (82%).
struct FileCache {
    /// The interval between checks of a file, in milliseconds.
    static let freshness: Int64 = 1_000
    /// The maximum number of cached paths. It bounds the memory, because clients choose the paths.
    private static let mostPaths = 4_096

    private var paths: [ObjectIdentifier: PathTable<Representation>] = [:]
    private var count = 0
    private var started: Int64 = 0

    func find(_ path: FieldBytes, in files: StaticFiles) -> Representation? {
        paths[ObjectIdentifier(files)]?[path]
    }

    mutating func remember(_ representation: Representation, _ path: [UInt8], in files: StaticFiles, now: Int64) {
        if count == 0 { started = now }
        guard count < Self.mostPaths else { return }
        count += 1
        paths[ObjectIdentifier(files), default: PathTable()][path] = representation
    }

    /// Clears the cache when its oldest entry is one second old.
    mutating func forget(before now: Int64) {
        guard count > 0, now - started >= Self.freshness else { return }
        paths.removeAll(keepingCapacity: true)
        count = 0
    }
}

/// The content types of files, by file name extension.
enum MediaType {
    static func of(_ name: String) -> (type: String, isCompressible: Bool) {
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
        return table[ending] ?? ("application/octet-stream", false)
    }

    private static let table: [String: (String, Bool)] = [
        "html": ("text/html; charset=utf-8", true), "htm": ("text/html; charset=utf-8", true),
        "css": ("text/css; charset=utf-8", true), "js": ("text/javascript; charset=utf-8", true),
        "mjs": ("text/javascript; charset=utf-8", true), "json": ("application/json", true),
        "map": ("application/json", true), "webmanifest": ("application/manifest+json", true),
        "txt": ("text/plain; charset=utf-8", true), "md": ("text/markdown; charset=utf-8", true),
        "xml": ("application/xml", true), "svg": ("image/svg+xml", true), "wasm": ("application/wasm", true),
        "ico": ("image/x-icon", false), "png": ("image/png", false), "jpg": ("image/jpeg", false),
        "jpeg": ("image/jpeg", false), "gif": ("image/gif", false), "webp": ("image/webp", false),
        "avif": ("image/avif", false), "woff": ("font/woff", false), "woff2": ("font/woff2", false),
        "pdf": ("application/pdf", false), "zip": ("application/zip", false), "gz": ("application/gzip", false),
        "mp4": ("video/mp4", false), "pem": ("application/x-pem-file", false),
        "cer": ("application/x-x509-ca-cert", false), "der": ("application/x-x509-ca-cert", false),
        "mobileconfig": ("application/x-apple-aspen-config", false),
    ]
}
