import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer

/// A public folder with a secret next to it, and possible attack paths.
struct PublicFolder: Sendable {
    static let secret = "the secret that no client may read"

    let scratch: TemporaryDirectory
    let files: StaticFiles

    init() throws {
        scratch = try TemporaryDirectory()
        for name in ["secret.txt", "outside/secret.txt", "outside/index.html", "public-more/secret.txt"] {
            try scratch.write(Self.secret, to: name)
        }
        for name in [".hidden", ".git/config", "sub/.env", ".well-known/.hidden", "sub/.well-known/file", ".\u{301}x"] {
            try scratch.write(Self.secret, to: "public/\(name)")
        }
        try scratch.write("<p>home</p>", to: "public/index.html")
        try scratch.write("page", to: "public/page.txt")
        try scratch.write("sub", to: "public/sub/index.html")
        try scratch.write("well known", to: "public/.well-known/file")
        try scratch.write("spaced é", to: "public/a b é.txt")
        try scratch.write("dotted", to: "public/a..b.txt")
        try scratch.write("nothing here", to: "public/bare/other.txt")
        try scratch.link("public/inside.txt", to: "page.txt")
        try scratch.link("public/inside", to: "sub")
        try scratch.link("public/outside.txt", to: "../secret.txt")
        try scratch.link("public/absolute.txt", to: scratch.file("secret.txt"))
        try scratch.link("public/outside", to: "../outside")
        try scratch.link("public/sibling", to: "../public-more/secret.txt")
        try scratch.link("public/up", to: "..")
        try scratch.link("public/loop", to: "loop")
        try scratch.link("public/dangling", to: "nowhere")
        try scratch.makePipe("public/pipe")
        files = StaticFiles(folder: try Folder(scratch.file("public")))
    }
}

@Suite("Paths of static files") struct StaticPathTests {
    /// Paths that would lead to a secret or to an unrelated file if a rule were missing.
    static let hostile = [
        "/../secret.txt", "/..", "/../", "/sub/../../secret.txt", "/sub/..", "/./page.txt", "/.", "/sub/./index.html",
        "/%2e%2e/secret.txt", "/%2E%2E/secret.txt", "/.%2e/secret.txt", "/%2e./secret.txt", "/%2e/page.txt",
        "/..%2fsecret.txt", "/..%2Fsecret.txt", "/%2e%2e%2fsecret.txt", "/sub%2f..%2f..%2fsecret.txt",
        "/sub%2findex.html", "/sub/..%2f..%2fsecret.txt", "/..%5csecret.txt", "/..%5Csecret.txt", "/%5c..%5csecret.txt",
        "/%252e%252e/secret.txt", "/..%252fsecret.txt", "/%25252e%25252e/secret.txt", "/%2e%2e%255csecret.txt",
        "/%c0%ae%c0%ae/secret.txt", "/..%c0%afsecret.txt", "/%e0%80%ae%e0%80%ae/secret.txt",
        "/%f0%80%80%ae./secret.txt",
        "/%c0%ae%c0%ae%c0%afsecret.txt", "/%ff/page.txt", "/page.txt%ff", "/%ed%a0%80/page.txt",
        "/page.txt%00", "/page.txt%00.html", "/%00", "/..%00/secret.txt", "/page.txt%0a", "/page.txt%20",
        "//page.txt", "//secret.txt", "/sub//index.html", "///", "/%2f", "/%2fpage.txt", "/page.txt/", "/page.txt/.",
        "/..;/secret.txt", "/.../secret.txt", "/....//secret.txt", "/~/secret.txt", "/~root/secret.txt",
        "/.hidden", "/%2ehidden", "/.git/config", "/%2egit/config", "/sub/.env", "/.well-known/.hidden",
        "/.well-known/..", "/.well-known/../.hidden", "/sub/.well-known/file", "/.well-known%2ffile",
        "/.Well-Known/file",
        "/.well-knowns/file", "/.%CC%81x",
        "/outside.txt", "/absolute.txt", "/outside/secret.txt", "/outside/", "/outside", "/sibling", "/up/secret.txt",
        "/up/public/page.txt/../../secret.txt", "/loop", "/loop/page.txt", "/dangling", "/pipe", "/pipe/", "/bare/",
        "/PAGE.TXT", "/page", "/" + String(repeating: "a", count: 300), "/" + String(repeating: "a/", count: 2_100),
    ]

    @Test("No path leads outside the folder or to its hidden files", arguments: Depth.all)
    func hostile(_ depth: Depth) async throws {
        let folder = try PublicFolder()
        let router = Router.serving(folder.files)
        // A path that the parser rejects ends its connection, so each of these paths has its own connection.
        let refused = Self.hostile.filter { $0.contains("%00") }
        let others = Self.hostile.filter { !$0.contains("%00") }
        let responses = try await depth.ask(others.map { TestRequest("GET", $0) }, of: router)
        #expect(responses.count == others.count)
        for (path, response) in zip(others, responses) {
            #expect(response.status == 404, "\(path)")
            #expect(!response.text.contains(PublicFolder.secret), "\(path)")
        }
        for path in refused {
            do {
                #expect(try await depth.ask(TestRequest("GET", path), of: router).status == 400, "\(path)")
            } catch let error as TestRequest.Refused {
                #expect(error.rejection == .malformedTarget)
            }
        }
    }

    @Test(
        "A path that the parser would refuse is also refused here",
        arguments: ["", "page.txt", "/%", "/%4", "/%zz", "/a\\b", "/%00"])
    func unparsed(_ path: String) async throws {
        let folder = try PublicFolder()
        guard case .notFound = await folder.files.find(path) else {
            Issue.record("\(path) must not exist")
            return
        }
    }

    static let friendly: [(String, String, String)] = [
        ("/", "<p>home</p>", "text/html; charset=utf-8"), ("/index.html", "<p>home</p>", "text/html; charset=utf-8"),
        ("/page.txt", "page", "text/plain; charset=utf-8"), ("/p%61ge%2Etxt", "page", "text/plain; charset=utf-8"),
        ("/page.txt?../secret.txt", "page", "text/plain; charset=utf-8"),
        ("/sub/", "sub", "text/html; charset=utf-8"), ("/.well-known/file", "well known", "application/octet-stream"),
        ("/%2ewell-known/file", "well known", "application/octet-stream"),
        ("/a%20b%20%C3%A9.txt", "spaced é", "text/plain; charset=utf-8"),
        ("/a..b.txt", "dotted", "text/plain; charset=utf-8"), ("/inside.txt", "page", "text/plain; charset=utf-8"),
        ("/inside/", "sub", "text/html; charset=utf-8"), ("/inside/index.html", "sub", "text/html; charset=utf-8"),
    ]

    @Test("A file is found by its name, or through a link inside the folder", arguments: Depth.all)
    func friendly(_ depth: Depth) async throws {
        let folder = try PublicFolder()
        let responses = try await depth.ask(
            Self.friendly.map { TestRequest("GET", $0.0) }, of: .serving(folder.files))
        #expect(responses.count == Self.friendly.count)
        for ((path, text, type), response) in zip(Self.friendly, responses) {
            #expect(response.status == 200, "\(path)")
            #expect(response.text == text, "\(path)")
            #expect(response["content-type"] == type, "\(path)")
        }
    }

    @Test("A site that serves one file of a folder serves no other file of it", arguments: Depth.all)
    func single(_ depth: Depth) async throws {
        let folder = try PublicFolder()
        let requests = [
            TestRequest("GET", "/page.txt"), TestRequest("HEAD", "/page.txt"), TestRequest("POST", "/page.txt"),
            TestRequest("GET", "/index.html"), TestRequest("GET", "/"),
        ]
        let router = Router.serving { $0.serve(folder.files, at: "/page.txt") }
        let responses = try await depth.ask(requests, of: router)
        #expect(responses.map(\.status) == [200, 200, 405, 404, 404])
        #expect(responses.first?.text == "page" && responses.dropFirst().first?.content.isEmpty == true)
    }

    @Test("A folder without the final slash redirects to it, with the query", arguments: Way.all)
    func redirected(_ way: Way) async throws {
        let folder = try PublicFolder()
        try await Live.run(way.poller, .serving(folder.files)) { live in
            let wire = try await live.connect(isSecure: way.isSecure)
            let plain = try await wire.ask(TestRequest("GET", "/sub"))
            #expect(plain.status == 308)
            #expect(plain["location"] == "/sub/" && plain["cache-control"] == "no-cache" && plain["vary"] == "Accept")
            #expect(try await wire.ask(TestRequest("GET", "/bare?a=b%20c"))["location"] == "/bare/?a=b%20c")
            #expect(try await wire.ask(TestRequest("HEAD", "/sub"))["location"] == "/sub/")
        }
    }

    @Test("Only a readable folder is accepted")
    func root() throws {
        let scratch = try TemporaryDirectory()
        try scratch.write("", to: "file")
        #expect(throws: FileError.notFound(path: scratch.file("none"))) {
            try Folder(scratch.file("none"))
        }
        #expect(throws: FileError.notAFolder(path: scratch.file("file"))) {
            try Folder(scratch.file("file"))
        }
    }
}
