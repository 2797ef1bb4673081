import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform

@testable import MotivatorServer

/// A handler that calls a closure.
struct ClosureHandler: Handler {
    let response: @Sendable (Request) async -> Response

    init(_ response: @escaping @Sendable (Request) async -> Response) { self.response = response }

    /// Returns a handler that always responds with the same text.
    init(_ text: String) { self.init { _ in Response(.ok, type: "text/plain", text: text) } }

    func respond(to request: Request) async -> Response { await response(request) }
}

/// A handler that blocks each request until the test releases it.
struct Held: Handler {
    /// The targets of the received requests.
    let entered = Mailbox<String>()
    let gate = Gate()

    func respond(to request: Request) async -> Response {
        entered.put(request.head.targetText)
        try? await gate.pass()
        return Response(.ok, type: "text/plain", text: "held \(request.head.targetText)")
    }
}

extension Representation {
    static func text(_ text: String) -> Representation {
        Representation(
            content: Array(text.utf8), contentType: "text/plain", entityTag: ContentTag.of(Array(text.utf8)),
            lastModified: 0, cacheControl: "no-cache")
    }
}

extension Router {
    /// Creates a router for a single host, `example.test`.
    static func serving(_ change: (inout Site) -> Void) -> Router {
        var site = Site()
        change(&site)
        var router = Router(fallback: site, errors: ErrorRenderer(apis: [("/api/", hasCode: false)]))
        router.add(site, for: "example.test")
        return router
    }

    static func serving(_ files: StaticFiles) -> Router { serving { $0.files = files } }
}

/// Returns reproducible, incompressible content (SplitMix64). It repeats a block with a prime length, so that tests
/// detect lost and duplicate bytes.
func numbered(_ count: Int) -> [UInt8] {
    let block = (1...65_521).map { number in
        var value = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        return UInt8(truncatingIfNeeded: value >> 32)
    }
    var content: [UInt8] = []
    content.reserveCapacity(count)
    while content.count < count { content += block.prefix(count - content.count) }
    return content
}
