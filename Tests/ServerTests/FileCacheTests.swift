import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

@Suite("A loop's memory of files") struct FileCacheTests {
    private let scratch: TemporaryDirectory
    private let files: StaticFiles

    init() throws {
        scratch = try TemporaryDirectory()
        files = StaticFiles(folder: try Folder(scratch.path))
    }

    @Test("A cached file is found only in its own folder")
    func found() throws {
        var memory = FileCache()
        let other = StaticFiles(folder: try Folder(scratch.path))
        let page = Representation.text("page")
        memory.remember(page, Array("/a".utf8), in: files, now: 0)
        #expect(memory.find("/a", in: files) === page)
        #expect(memory.find("/b", in: files) == nil)
        #expect(memory.find("/a", in: other) == nil)
    }

    @Test("All files are forgotten when the oldest is a second old")
    func forgotten() {
        var memory = FileCache()
        memory.remember(.text("old"), Array("/old".utf8), in: files, now: 5_000)
        memory.remember(.text("new"), Array("/new".utf8), in: files, now: 5_900)
        memory.forget(before: 5_999)
        #expect(memory.find("/old", in: files) != nil)
        memory.forget(before: 6_000)
        #expect(memory.find("/old", in: files) == nil)
        #expect(memory.find("/new", in: files) == nil)
        memory.remember(.text("again"), Array("/old".utf8), in: files, now: 6_500)
        memory.forget(before: 7_400)
        #expect(memory.find("/old", in: files) != nil)
    }

    @Test("A client that makes up paths cannot fill the memory")
    func bounded() {
        var memory = FileCache()
        let page = Representation.text("page")
        for number in 0..<5_000 { memory.remember(page, Array("/\(number)".utf8), in: files, now: 0) }
        #expect(memory.find("/0", in: files) === page)
        let known = (0..<5_000).filter { memory.find("/\($0)", in: files) != nil }
        #expect(known.count == 4_096)
    }
}

@Suite("The memory of large files") struct LargeFileTests {
    private let scratch: TemporaryDirectory
    private let files: StaticFiles

    init() throws {
        scratch = try TemporaryDirectory()
        for name in ["a", "b", "c"] {
            try scratch.write([UInt8](repeating: UInt8(ascii: "x"), count: 2 << 20), to: "\(name).bin")
        }
        files = StaticFiles(folder: try Folder(scratch.path), cachedBytes: 3 << 20, loadedBytes: 5 << 20)
    }

    @Test("All responses share a file, and a file for which the memory has no room is refused until another is sent")
    func shared() async throws {
        var sent: [Representation] = []
        for name in ["/a.bin", "/b.bin", "/a.bin"] {
            guard case .found(let file) = await files.find(name) else {
                Issue.record("\(name) is not found")
                return
            }
            sent.append(file)
        }
        // The second file has displaced the first one from the cache.
        #expect(sent[0] === sent[2])
        guard case .busy = await files.find("/c.bin") else {
            Issue.record("the third file is loaded")
            return
        }
        sent.removeAll()
        guard case .found = await files.find("/c.bin") else {
            Issue.record("the third file is not loaded")
            return
        }
    }
}

extension FileCache {
    fileprivate func find(_ path: String, in files: StaticFiles) -> Representation? {
        Array(path.utf8).withFieldBytes { find($0, in: files) }
    }
}
