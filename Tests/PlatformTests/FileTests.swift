import Dispatch
import MotivatorPlatform
import TestSupport
import Testing

@Suite("Files") final class FileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var folder: String { directory.path }
    private var names: [String] { directory.names() }

    private func path(_ name: String) -> String { directory.file(name) }
    private func mode(_ name: String) throws -> mode_t { try directory.mode(name) }

    @Test("A written file is read back", arguments: [0, 1, 65_535, 65_536, 65_537, 300_000])
    func roundTrip(_ count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try File.write(content, to: path("file"), mode: 0o600)
        #expect(try File.read(path("file"), limit: count) == content)
    }

    @Test("A file has the requested mode with any umask", arguments: [mode_t(0o600), 0o644, 0o666, 0o755])
    func modes(_ wanted: mode_t) throws {
        try File.write([1], to: path("file"), mode: wanted)
        #expect(try mode("file") == wanted)
    }

    @Test("New content replaces the old content and its mode, and leaves no other file")
    func replaced() throws {
        try File.write(Array("old and longer".utf8), to: path("file"), mode: 0o644)
        try File.write(Array("new".utf8), to: path("file"), mode: 0o600)
        #expect(try File.read(path("file"), limit: 100) == Array("new".utf8))
        #expect(try mode("file") == 0o600)
        #expect(names == ["file"])
    }

    @Test("A link stays a link to the new content, and a pipe, a device or a link to nothing is not replaced")
    func special() throws {
        try File.write([1], to: path("file"), mode: 0o600)
        try #require(symlink("file", path("link")) == 0 && symlink("nowhere", path("dangling")) == 0)
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        try File.write([2], to: path("link"), mode: 0o600)
        #expect(try File.read(path("file"), limit: 10) == [2])
        for name in ["pipe", "dangling"] {
            #expect(throws: FileError.cannotReplace(path: path(name))) {
                try File.write([3], to: self.path(name), mode: 0o600)
            }
        }
        #expect(names.count == 4)
    }

    @Test("A reader that has the old content open still reads it")
    func atomic() throws {
        try File.write(Array("old".utf8), to: path("file"), mode: 0o644)
        let reader = FileDescriptor(owning: open(path("file"), O_RDONLY))
        try File.write(Array("new".utf8), to: path("file"), mode: 0o644)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader.number, &bytes, bytes.count) == 3)
        #expect(bytes.starts(with: Array("old".utf8)))
    }

    @Test("A write that fails leaves the old content and no temporary file")
    func failedWrite() throws {
        mkdir(path("folder"), 0o755)
        #expect(throws: FileError.cannotWrite(path: path("folder"), SystemError("rename", code: EISDIR))) {
            try File.write([1], to: self.path("folder"), mode: 0o600)
        }
        #expect(names == ["folder"])
        #expect(throws: FileError.cannotWrite(path: path("none/file"), SystemError("mkstemp", code: ENOENT))) {
            try File.write([1], to: self.path("none/file"), mode: 0o600)
        }
    }

    @Test("One byte more than the limit is refused, the limit itself is read", arguments: [0, 1, 70_000])
    func limit(_ limit: Int) throws {
        try File.write([UInt8](repeating: 7, count: limit), to: path("fits"), mode: 0o600)
        try File.write([UInt8](repeating: 7, count: limit + 1), to: path("large"), mode: 0o600)
        #expect(try File.read(path("fits"), limit: limit).count == limit)
        #expect(throws: FileError.tooLarge(path: path("large"), size: limit + 1, limit: limit)) {
            try File.read(self.path("large"), limit: limit)
        }
    }

    #if os(Linux)
    @Test("A file without a known size is read to its end, up to the limit")
    func sizeless() throws {
        #expect(try File.read("/proc/self/status", limit: 1 << 20).starts(with: Array("Name:".utf8)))
        #expect(throws: FileError.self) { try File.read("/proc/self/status", limit: 10) }
    }
    #endif

    @Test("A file that is not regular is refused immediately, and a pipe without waiting for a writer")
    func notAFile() throws {
        mkdir(path("folder"), 0o755)
        try #require(mkfifo(path("pipe"), 0o600) == 0)
        for name in ["folder", "pipe"] {
            #expect(throws: FileError.notAFile(path: path(name))) { try File.read(self.path(name), limit: 10) }
            #expect(throws: FileError.self) { try File.readSecret(self.path(name), limit: 10) }
        }
        #expect(throws: FileError.notAFile(path: "/dev/null")) { try File.read("/dev/null", limit: 10) }
    }

    @Test("A pipe that the user names is read to its end, at any time and in any number of parts")
    func pipe() throws {
        var ends: [Int32] = [-1, -1]
        try #require(MotivatorPlatform.pipe(&ends) == 0)
        defer { close(ends[0]) }
        // More than a pipe's capacity, so that the writer cannot finish before the reader reads.
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        let end = ends[1]
        DispatchQueue.global().async {
            var rest = content[...]
            while !rest.isEmpty {
                let put = rest.withUnsafeBytes { write(end, $0.baseAddress, min($0.count, 7_001)) }
                guard put > 0 else { break }
                rest = rest.dropFirst(put)
            }
            close(end)
        }
        #expect(try File.readInput("/dev/fd/\(ends[0])", limit: 1 << 20) == content)
    }

    @Test("A pipe is bounded as a file is, and folders and devices are refused")
    func otherInput() throws {
        mkdir(path("folder"), 0o755)
        try File.write([1, 2], to: path("file"), mode: 0o600)
        #expect(try File.readInput(path("file"), limit: 10) == [1, 2])
        for name in [path("folder"), "/dev/null"] {
            #expect(throws: FileError.notAFile(path: name)) { try File.readInput(name, limit: 10) }
        }
        var ends: [Int32] = [-1, -1]
        try #require(MotivatorPlatform.pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try #require(write(ends[1], Array(repeating: 1, count: 11), 11) == 11)
        let path = "/dev/fd/\(ends[0])"
        #expect(throws: FileError.tooLarge(path: path, size: nil, limit: 10)) { try File.readInput(path, limit: 10) }
    }

    @Test("A file that does not exist, or whose parent is not a folder, is reported as missing")
    func missing() throws {
        try File.write([], to: path("file"), mode: 0o600)
        try #require(symlink("nowhere", path("dangling")) == 0)
        for name in ["none", "none/none", "file/none", "dangling"] {
            #expect(throws: FileError.notFound(path: path(name))) { try File.read(self.path(name), limit: 10) }
        }
    }

    @Test(
        "A file that this user may not open is named with its mode", .enabled(if: geteuid() != 0, "root may open all"))
    func unreadable() throws {
        try File.write([1], to: path("file"), mode: 0o000)
        #expect(throws: FileError.notPermitted(path: path("file"), mode: " (mode 00)")) {
            try File.read(self.path("file"), limit: 10)
        }
    }

    @Test("A symbolic link is followed")
    func link() throws {
        try File.write([7], to: path("file"), mode: 0o600)
        try #require(symlink("file", path("link")) == 0)
        #expect(try File.read(path("link"), limit: 10) == [7])
    }

    @Test("A secret is read if no other user can read it", arguments: [mode_t(0o600), 0o400, 0o700])
    func secret(_ mode: mode_t) throws {
        try File.write([1, 2], to: path("key"), mode: mode)
        #expect(try File.readSecret(path("key"), limit: 10) == [1, 2])
    }

    @Test(
        "A secret is refused when the group or others have any right to it",
        arguments: [mode_t(0o640), 0o604, 0o620, 0o602, 0o610, 0o601, 0o777, 0o644])
    func openSecret(_ mode: mode_t) throws {
        try File.write([1, 2], to: path("key"), mode: mode)
        let wanted = FileError.readableByOthers(path: path("key"), mode: "0" + String(mode, radix: 8))
        #expect(throws: wanted) { try File.readSecret(self.path("key"), limit: 10) }
        #expect(wanted.fix.contains("chmod 600 \(path("key"))"))
    }

    @Test("The secret's mode is that of the target of a link")
    func linkedSecret() throws {
        try File.write([1], to: path("key"), mode: 0o644)
        try #require(symlink("key", path("link")) == 0)
        #expect(throws: FileError.self) { try File.readSecret(self.path("link"), limit: 10) }
        #expect(throws: FileError.notFound(path: path("none"))) { try File.readSecret(self.path("none"), limit: 10) }
    }

    @Test("A folder is created with its parents, and creating it again has no effect")
    func folders() throws {
        for _ in 0..<2 { try File.makeFolder(path("one/two/three"), mode: 0o700) }
        for name in ["one", "one/two", "one/two/three"] { #expect(try mode(name) == 0o700) }
        try File.makeFolder("/", mode: 0o700)
    }

    @Test("A folder is not made where a file is, or below one")
    func noFolder() throws {
        try File.write([], to: path("file"), mode: 0o600)
        for name in ["file", "file/below"] {
            #expect(throws: FileError.cannotWrite(path: path("file"), SystemError("mkdir", code: ENOTDIR))) {
                try File.makeFolder(self.path(name), mode: 0o700)
            }
        }
    }

    @Test("A version changes with content, time and file, and is the same otherwise")
    func versions() throws {
        try File.write([1], to: path("file"), mode: 0o600)
        let first = try FileVersion(path: path("file"))
        #expect(try FileVersion(path: path("file")) == first)
        #expect(!first.isFolder && first.isRegular)
        let whole = try FileVersion(path: folder)
        #expect(whole.isFolder && !whole.isRegular)

        try File.write([1], to: path("file"), mode: 0o600)
        #expect(try FileVersion(path: path("file")) != first, "another file must have another version")
        let second = try FileVersion(path: path("file"))
        try append([2], to: "file", at: second)
        #expect(try FileVersion(path: path("file")) != second, "another size must have another version")
        let third = try FileVersion(path: path("file"))
        try setTime(of: "file", seconds: time_t(third.modified), nanoseconds: 1)
        let fourth = try FileVersion(path: path("file"))
        try setTime(of: "file", seconds: time_t(third.modified), nanoseconds: 2)
        #expect(try FileVersion(path: path("file")) != fourth, "another nanosecond must have another version")
        #expect(fourth.modified == third.modified)
        #expect(throws: FileError.notFound(path: path("none"))) { try FileVersion(path: self.path("none")) }
        #expect(try FileVersion.ifPresent(path("none")) == nil)
        #expect(try FileVersion.ifPresent(path("file/none")) == nil)
        let present = try FileVersion.ifPresent(path("file"))
        #expect(try present == FileVersion(path: path("file")))
    }

    @Test("Content that is never complete leaves the old file, and no temporary file")
    func abandoned() throws {
        try File.write([1], to: path("file"), mode: 0o600)
        do {
            let replacement = try File.Replacement(of: path("file"))
            try replacement.write([2, 3])
            #expect(names.count == 2 && replacement.temporaryPath.hasPrefix(path("file.")))
        }
        #expect(names == ["file"])
        #expect(try File.read(path("file"), limit: 10) == [1])
    }

    /// Appends bytes without changing the modification time.
    private func append(_ bytes: [UInt8], to name: String, at version: FileVersion) throws {
        var before = stat()
        try #require(stat(path(name), &before) == 0)
        let file = FileDescriptor(owning: open(path(name), O_WRONLY | O_APPEND))
        try #require(write(file.number, bytes, bytes.count) == bytes.count)
        let time = before.modificationTime
        try setTime(of: name, seconds: time.tv_sec, nanoseconds: time.tv_nsec)
    }

    private func setTime(of name: String, seconds: time_t, nanoseconds: Int) throws {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        try #require(utimensat(AT_FDCWD, path(name), [time, time], 0) == 0)
    }
}
