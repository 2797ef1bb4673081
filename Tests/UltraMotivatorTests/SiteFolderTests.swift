import Certificates
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

/// The rules are in docs/site-and-api.md.
@Suite("A host whose files come from a folder") struct SiteFolderTests {
    private static let root = "apple-app-site-association"
    private static let wellKnown = ".well-known/apple-app-site-association"
    private static let links = ".well-known/assetlinks.json"
    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    private static func file(_ app: String) -> String {
        #"{"webcredentials":{"apps":["A1B2C3D4E5.com.example.\#(app)"]}}"#
    }

    private func load(
        _ format: ServedAssociation.Format = .plain, signer: () throws -> Identity = { throw Bench.Trouble.noHead }
    ) throws -> (site: Site, association: ServedAssociation) {
        let folder = SiteFolder(host: "one.test", folder: scratch.path)
        return try folder.load(format: format, ownRoots: [], now: 1_800_000_000, signer: signer)
    }

    /// Returns the media type and the content at a path.
    private func served(_ path: String, of site: Site) throws -> (type: String?, content: [UInt8]) {
        let head = try Bench.head("GET", "/" + path, host: "one.test")
        let router = Router(fallback: site, servesEveryHost: true)
        guard case .representation(let representation) = router.decide(head) else { throw Bench.Trouble.noHead }
        let selection = representation.select(for: head, now: 0)
        let reply = Reply(
            status: selection.status, lines: String(decoding: selection.fields, as: UTF8.self),
            content: Array(selection.content[selection.range]))
        return (reply["Content-Type"].first, reply.content)
    }

    @Test(
        "A folder with one association file serves it at both paths, and with two, each at its own path",
        arguments: [([root: "A"], "A", "A"), ([wellKnown: "B"], "B", "B"), ([root: "A", wellKnown: "B"], "A", "B")])
    func paths(_ files: [String: String], _ atRoot: String, _ inWellKnown: String) throws {
        for (name, app) in files { try scratch.write(Self.file(app), to: name) }
        let (site, association) = try load()
        #expect(association.files.count == files.count)
        for (path, app) in [(Self.root, atRoot), (Self.wellKnown, inWellKnown)] {
            let (type, content) = try served(path, of: site)
            #expect(type == "application/json" && content == Array(Self.file(app).utf8), "\(path)")
        }
    }

    @Test("The formats sign each file of the folder, or only the file at the root", arguments: [true, false])
    func formats(_ hasTwoFiles: Bool) throws {
        try scratch.write(Self.file("A"), to: Self.root)
        if hasTwoFiles { try scratch.write(Self.file("B"), to: Self.wellKnown) }
        let identity = try Authority.temporary(permitted: ["one.test"]).issue(hosts: ["one.test"])
        let other = Self.file(hasTwoFiles ? "B" : "A")
        let signed = try load(.signed) { identity }.site
        for (path, text) in [(Self.root, Self.file("A")), (Self.wellKnown, other)] {
            let (type, content) = try served(path, of: signed)
            let inside = try CMS.open(content).content
            #expect(type == "application/pkcs7-mime" && inside == Array(text.utf8), "\(path)")
        }
        let legacy = try load(.legacy) { identity }.site
        #expect(try served(Self.root, of: legacy).type == "application/pkcs7-mime")
        let (type, content) = try served(Self.wellKnown, of: legacy)
        #expect(type == "application/json" && content == Array(other.utf8))
    }

    @Test("A folder needs an association file")
    func noFile() throws {
        try scratch.write("{}", to: Self.links)
        let error = #expect(throws: ExplainedFailure.self) { try load() }
        #expect(error?.exitCode == .noInput && error?.problem.contains("has no association file") == true)
    }

    @Test("assetlinks.json of the folder is served if it is valid JSON")
    func assetLinks() throws {
        try scratch.write(Self.file("A"), to: Self.root)
        #expect(throws: Bench.Trouble.self, "the static files must handle the path") {
            try served(Self.links, of: load().site)
        }
        try scratch.write("[ ]", to: Self.links)
        let (type, content) = try served(Self.links, of: load().site)
        #expect(type == "application/json" && content == Array("[ ]".utf8))
        try scratch.write("[,]", to: Self.links)
        #expect(throws: (any Error).self) { try load() }
    }
}
