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

extension FileCache {
    fileprivate func find(_ path: String, in files: StaticFiles) -> Representation? {
        Array(path.utf8).withFieldBytes { find($0, in: files) }
    }
}
