import Accounts
import AssociatedDomains
import AssociationChecker
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import SourceJSON
import Testing

@testable import MotivatorServer
@testable import UltraMotivator

/// A single host of the demo, with its routes and a real store. It parses, routes and handles requests without sockets.
final class Backend {
    static let host = "one.test"

    /// The current time.
    let time = Guarded<UnixTime>(1_800_000_000)
    let accounts: Accounts
    /// The description of the API.
    private(set) lazy var openAPI = Result { [operations] in
        try JSONDocument(OpenAPI.document(operations).bytes())
    }
    private let operations: [Operation]
    private let router: Router
    /// The owner of the files. It removes the files at the end.
    let bench: Bench

    /// - Parameter change: Changes the configuration.
    init(_ change: (inout Demo) throws -> Void = { _ in }) throws {
        let bench = try Bench()
        let clock = Clock { [time] in time.withLock { $0 } }
        accounts = try bench.accounts(clock)
        var demo = try bench.demo([Self.host])
        try change(&demo)
        let content = try SiteContent(
            demo, pages: Pages.shared, accounts: accounts,
            files: StaticFiles(folder: Folder(bench.folder + "/Public")), root: nil, now: clock.now())
        let file = AssociationFile(
            AssociationFile.json(webcredentials: [try AppIdentifier("A1B2C3D4E5.com.example.App")]), name: "file",
            at: clock.now())
        let association = try ServedAssociation((file, 0), format: .plain) { throw Bench.Trouble.noHead }
        operations = content.operations.all
        let site = Routes.site(association, content)
        var router = Router(fallback: site)
        for host in demo.domains + demo.aliases { router.add(site, for: host) }
        self.router = router
        self.bench = bench
    }

    /// Sends a request, and returns the site's response without the fields that the server adds.
    ///
    /// - Parameters:
    ///   - lines: Field lines such as `Accept: text/html`.
    ///   - address: The client's address. Tests that share a backend should use several addresses to avoid throttling.
    func send(
        _ method: String, _ target: String, _ lines: [String] = [], content: String = "",
        from address: String = "192.0.2.1"
    ) async throws -> Reply {
        let lines = lines + ["Content-Length: \(content.utf8.count)"]
        let text = "\(method) \(target) HTTP/1.1\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n"
        var parser = RequestParser()
        Array(text.utf8).withFieldBytes { parser.append($0) }
        // The parser rejects a request without a Host field, which is an error in the test.
        guard parser.next() == .head else { throw Bench.Trouble.noHead }
        let head = parser.head
        switch router.decide(head) {
        case .representation(let representation):
            let selection = representation.select(for: head, now: time.withLock { $0 })
            return Reply(
                status: selection.status, lines: String(decoding: selection.fields, as: UTF8.self),
                content: Array(selection.content[selection.range]))
        case .response(let response): return Reply(response)
        case .file: throw Bench.Trouble.noHead
        case .handler(let handler, let parameters, let policy):
            let bytes = Array(content.utf8)
            let peer = Peer(address: try #require(SocketAddress(address, port: 50_000)), tlsVersion: "TLSv1.3")
            // Like the server, passes no content to a route that does not accept content.
            let request =
                switch policy {
                case .discarded: Request(head: head, content: [], parameters: parameters, peer: peer)
                case .buffered(let limit), .onDemand(let limit):
                    Request(
                        head: head, content: bytes.count > limit ? [] : bytes, parameters: parameters, peer: peer)
                }
            return Reply(await handler.respond(to: request))
        }
    }
}

/// A response.
struct Reply: Sendable {
    let status: Int
    /// The fields, with lowercase names.
    let fields: [(name: String, value: String)]
    let content: [UInt8]

    init(_ response: Response) {
        status = response.status.code
        fields = response.fields.map { ($0.name.canonicalName, $0.value) }
        content = response.content
    }

    init(status: Int, lines: String, content: [UInt8]) {
        self.status = status
        self.content = content
        fields = lines.split(separator: "\r\n").map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (parts[0].lowercased(), parts.count > 1 ? String(parts[1].withoutSpaces) : "")
        }
    }

    var text: String { String(decoding: content, as: UTF8.self) }

    /// Returns the values of a field.
    subscript(name: String) -> [String] { fields.filter { $0.name == name.lowercased() }.map(\.value) }

    /// The members of a JSON object of strings, or nil for other content.
    var members: [String: String]? {
        guard let object = (try? JSONDocument(content))?.root.object else { return nil }
        var members: [String: String] = [:]
        for member in object.members {
            guard let value = member.value.string, members.updateValue(value, forKey: member.key) == nil else {
                return nil
            }
        }
        return members
    }

    /// The cookies that the response sets.
    var cookies: [Cookie] { self["Set-Cookie"].map { Cookie($0) } }
}

/// A cookie from a `Set-Cookie` field.
struct Cookie: Sendable, Equatable {
    let name: String
    let value: String
    /// The attributes, in order and as sent.
    let attributes: [String]

    init(_ line: String) {
        let parts = line.components(of: "; ")
        let pair = parts[0].components(of: "=")
        name = pair[0]
        value = pair.dropFirst().joined(separator: "=")
        attributes = Array(parts.dropFirst())
    }

    static let session = "__Host-motivator_session"
    static let visit = "__Host-motivator_visit"
    static let notice = "__Host-motivator_notice"
    /// The attributes of every cookie (RFC 6265bis §4.1.3).
    static let always = ["Path=/", "Secure", "HttpOnly", "SameSite=Lax"]

    /// Whether the browser deletes the cookie.
    var ends: Bool { value.isEmpty && attributes == Self.always + ["Max-Age=0"] }
}

extension String {
    func components(of separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}

extension Router {
    /// Returns the decision for a request, without the route's number.
    func decide(_ head: RequestHead) -> Decision {
        var route = 0
        return decide(head, &route)
    }
}
