import MotivatorPlatform
import TestSupport
import Testing

@Suite("Open folders") struct FolderTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
        for name in ["outside/file", "public/file", "public/sub/file", "public/sub/deep/file"] {
            try scratch.write(name, to: name)
        }
        try scratch.link("public/absolute", to: scratch.file("outside/file"))
        try scratch.link("public/absolute-inside", to: scratch.file("public/file"))
        try scratch.link("public/up", to: "../outside")
        try scratch.link("public/sub/up", to: "../../outside/file")
        try scratch.link("public/loop", to: "loop")
        try scratch.link("public/chain", to: "up")
        try scratch.link("public/inside", to: "sub/deep")
        try scratch.link("public/sub/deep/back", to: "../../file")
    }

    private func content(_ name: String, followsLinks: Bool = true) throws -> String? {
        let folder = try Folder(scratch.file("public"), followsLinks: followsLinks)
        return try folder.readIfPresent(name, limit: 100).map { String(decoding: $0.content, as: UTF8.self) }
    }

    @Test("A file is opened by its path relative to the folder", arguments: [true, false])
    func files(_ followsLinks: Bool) throws {
        for name in ["file", "sub/file", "sub/deep/file"] {
            #expect(try content(name, followsLinks: followsLinks) == "public/" + name)
        }
        for name in ["none", "file/none", "sub/none/file", String(repeating: "a", count: 300)] {
            #expect(try content(name, followsLinks: followsLinks) == nil)
        }
    }

    @Test(
        "A path or a link that leaves the folder opens nothing", arguments: [true, false],
        [
            "absolute", "absolute-inside", "up/file", "sub/up", "loop", "chain/file", "..", "../outside/file",
            "sub/../../outside/file", "sub/deep/../../../outside/file", "/etc/passwd", "",
        ])
    func escapes(_ followsLinks: Bool, _ name: String) throws {
        let path = scratch.file("public/" + name)
        do {
            // Some systems report a link to a folder as "not a folder", so the file is missing.
            #expect(try content(name, followsLinks: followsLinks) == nil)
        } catch {
            #expect(error as? FileError == .linkNotFollowed(path: path))
        }
    }

    #if os(Linux)
    @Test("A relative link inside the folder is followed", arguments: ["inside/file", "sub/deep/back", "inside/back"])
    func links(_ name: String) throws {
        #expect(try content(name) == (name.hasSuffix("back") ? "public/file" : "public/sub/deep/file"))
    }
    #endif

    @Test("If links cannot be checked, no link is followed", arguments: ["inside/file", "sub/deep/back"])
    func withoutLinks(_ name: String) throws {
        do {
            #expect(try content(name, followsLinks: false) == nil)
        } catch {
            #expect(error as? FileError == .linkNotFollowed(path: scratch.file("public/" + name)))
        }
    }

    @Test("The folder stays the same if its path changes")
    func moved() throws {
        let folder = try Folder(scratch.file("public"))
        try #require(rename(scratch.file("public"), scratch.file("moved")) == 0)
        try #require(rename(scratch.file("outside"), scratch.file("public")) == 0)
        #expect(try folder.readIfPresent("file", limit: 100)?.content == Array("public/file".utf8))
    }

    @Test("A pipe is not read, and a subfolder can be opened")
    func others() throws {
        try scratch.makePipe("public/pipe")
        let folder = try Folder(scratch.file("public"))
        #expect(throws: FileError.notAFile(path: scratch.file("public/pipe"))) {
            try folder.readIfPresent("pipe", limit: 100)
        }
        #expect(try FileVersion(of: folder.open("sub"), path: "sub").isFolder)
    }
}
