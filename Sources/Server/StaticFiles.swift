import Certificates
import Dispatch
import HTTP
import HTTPTypes
public import Platform

/// The files below one folder, and nothing outside of it, however a path is written.
///
/// Files are read on a queue of their own; a loop keeps what was read for a second, then asks again whether the file is
/// still the same, so that an edited file is served without a restart.
public final class StaticFiles: Sendable {
    /// The most bytes of a file that is served: it is held in memory as a whole.
    static let largestFile = 64 << 20
    /// The most bytes of files that are remembered, compressed forms not counted.
    private static let rememberedBytes = 128 << 20

    /// What a path stands for.
    enum Outcome: Sendable {
        case found(Representation)
        /// A folder named without the slash behind it.
        case folder
        case notFound
        case failed(FileError)
    }

    private struct Remembered: Sendable {
        let version: FileVersion
        let representation: Representation
    }

    private let root: String
    private let types: [String: String]
    private let queue = DispatchQueue(label: "static-files")
    /// A queue of its own for what takes long to read and compress, so that small files do not wait behind it.
    private let largeQueue = DispatchQueue(label: "large-static-files")
    private static let large = 1 << 20
    private let remembered = Guarded<(files: [String: Remembered], bytes: Int)>(([:], 0))

    /// - Parameters:
    ///   - folder: the folder; symbolic links in it are followed only to files below it.
    ///   - types: values of Content-Type by file name, for names without an extension. These files are compressed.
    /// - Throws: `FileError` if the folder is missing, is not a folder, or cannot be read.
    public init(folder: String, types: [String: String] = [:]) throws(FileError) {
        self.types = types
        guard let real = unsafe realpath(folder, nil) else {
            throw errno == EACCES ? .notPermitted(path: folder, mode: "") : .notFound(path: folder)
        }
        defer { unsafe free(real) }
        var status = stat()
        guard unsafe stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .notAFolder(path: folder)
        }
        guard unsafe access(real, R_OK | X_OK) == 0 else { throw .notPermitted(path: folder, mode: "") }
        root = unsafe String(cString: real)
    }

    /// Finds the file of a path, away from the event loop.
    ///
    /// - Parameters:
    ///   - path: the path of the request target, percent-encoded.
    ///   - done: called on the files' queue.
    func load(_ path: [UInt8], done: @escaping @Sendable (Outcome) -> Void) {
        queue.async { self.find(path, done) }
    }

    private func find(_ path: [UInt8], _ done: @escaping @Sendable (Outcome) -> Void) {
        guard let segments = Self.segments(path) else { return done(.notFound) }
        let wantsFolder = segments.last?.isEmpty ?? true
        let relative = segments.filter { !$0.isEmpty }.joined(separator: "/")
        let name = wantsFolder ? "\(root)/\(relative)/index.html" : "\(root)/\(relative)"
        guard let real = unsafe realpath(name, nil) else { return done(.notFound) }
        defer { unsafe free(real) }
        let resolved = unsafe String(cString: real)
        guard resolved.hasPrefix(root == "/" ? "/" : root + "/"), let version = try? FileVersion(path: resolved) else {
            return done(.notFound)
        }
        if version.isFolder { return done(wantsFolder ? .notFound : .folder) }
        guard version.size > Self.large else { return done(outcome(resolved, version)) }
        largeQueue.async { done(self.outcome(resolved, version)) }
    }

    private func outcome(_ path: String, _ version: FileVersion) -> Outcome {
        do throws(FileError) {
            return .found(try representation(path, version))
        } catch {
            return switch error {
            case .notFound, .notAFile: .notFound
            case .notPermitted, .notAFolder, .tooLarge, .cannotRead, .cannotWrite, .cannotWriteOutput,
                .readableByOthers:
                .failed(error)
            }
        }
    }

    /// The decoded segments behind the first slash; nil for a path that no file of ours can have.
    static func segments(_ path: [UInt8]) -> [String]? {
        let decoded = path.withFieldBytes { bytes -> [[UInt8]]? in
            guard bytes.first == UInt8(ascii: "/") else { return nil }
            // Split before decoding: an encoded slash is no separator, and no file has one in its name.
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
            // Empty segments only at the end: "//" would give one file many names.
            guard !text.isEmpty || index == decoded.count - 1 else { return nil }
            // By its byte: a dot and the accent behind it are one character, which no longer begins with a dot.
            guard bytes.first != UInt8(ascii: ".") || (index == 0 && text == ".well-known") else { return nil }
            segments.append(text)
        }
        return segments
    }

    /// Returns the content type of a file, and whether compression makes its content smaller.
    func type(of name: String) -> (type: String, isCompressible: Bool) {
        types[name].map { ($0, true) } ?? MediaType.of(name)
    }

    private func representation(_ path: String, _ version: FileVersion) throws(FileError) -> Representation {
        if let known = remembered.withLock({ $0.files[path] }), known.version == version {
            return known.representation
        }
        let content = try File.read(path, limit: Self.largestFile)
        let (type, isCompressible) = type(of: path.split(separator: "/").last.map(String.init) ?? "")
        let representation = Representation(
            content: content,
            gzip: isCompressible && Gzip.pays(content.count) ? Gzip.compress(content) : nil,
            contentType: type, entityTag: ContentTag.of(content), lastModified: version.modified,
            cacheControl: "no-cache")
        remembered.withLock { state in
            // Simple and bounded: when the memory is full, everything is read anew.
            if state.bytes + content.count > Self.rememberedBytes { state = ([:], 0) }
            state.bytes += content.count - (state.files[path]?.representation.count ?? 0)
            state.files[path] = Remembered(version: version, representation: representation)
        }
        return representation
    }
}

/// The entity tag of content: the same bytes have the same tag on every machine and after every restart.
public enum ContentTag {
    /// Returns the first 32 hexadecimal digits of the SHA-256 digest.
    public static func of(_ content: [UInt8]) -> String { Digest.sha256(content).prefix(16).hexadecimal }
}

/// The static files that a loop has looked at within the last second, by host folder and path.
struct FileCache {
    /// Milliseconds after which a file is looked at again.
    static let freshness: Int64 = 1_000
    /// Paths are a client's choice: a memory of them has a bound.
    private static let mostPaths = 4_096

    private var paths: [ObjectIdentifier: PathTable<Representation>] = [:]
    private var count = 0
    private var started: Int64 = 0

    @inline(__always)
    func find(_ path: FieldBytes, in files: StaticFiles) -> Representation? {
        paths[ObjectIdentifier(files)]?[path]
    }

    mutating func remember(_ representation: Representation, _ path: [UInt8], in files: StaticFiles, now: Int64) {
        if count == 0 { started = now }
        guard count < Self.mostPaths else { return }
        count += 1
        paths[ObjectIdentifier(files), default: PathTable()][path] = representation
    }

    /// Forgets everything once the oldest is a second old: simple, and a busy path is looked at once a second.
    mutating func forget(before now: Int64) {
        guard count > 0, now - started >= Self.freshness else { return }
        paths.removeAll(keepingCapacity: true)
        count = 0
    }
}

/// The media types of files by the ending of their names.
enum MediaType {
    /// - Parameter name: the last segment of a path.
    /// - Returns: the value of Content-Type, and whether compressing helps.
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
