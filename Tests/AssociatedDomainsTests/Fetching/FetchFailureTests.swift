import MotivatorHTTP
import MotivatorPlatform
import Testing

@testable import HTTPSClient

/// A failure that may not occur again has the exit code 75 (`EX_TEMPFAIL` in sysexits.h).
@Suite("Fetcher: each failure has a sentence and an exit code")
struct FetchFailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let code: ExitCode
        let problem: String
        let make: @Sendable (SocketAddress) -> FetchFailure

        init(_ code: ExitCode, _ problem: String, _ make: @escaping @Sendable (SocketAddress) -> FetchFailure) {
            (self.code, self.problem, self.make) = (code, problem, make)
        }

        var testDescription: String { problem }
    }

    private static let host = "192.0.2.1:443"

    static let lookup: [Case] = [
        Case(.usage, #"the host "a b" cannot be sent in a request"#) { _ in .unsendable(part: "host", value: "a b") },
        Case(.unavailable, #"could not resolve host "a""#) { _ in .unknownHost("a") },
        Case(.temporary, #"could not resolve host "a": x"#) { _ in .nameFailed("a", reason: "x") },
        Case(.temporary, #"could not resolve host "a" within 1 second"#) { _ in .nameTimedOut("a", seconds: 1) },
        Case(.no, "this server does not connect to \(host), which is not public") { .notPermitted($0) },
        Case(.unavailable, "connection refused: \(host)") { .refused($0) },
        Case(.unavailable, "could not reach \(host): x") { .unreachable($0, reason: "x") },
        Case(.temporary, "\(host) did not respond within 15 seconds") { .connectTimedOut($0, seconds: 15) },
        Case(.unavailable, "could not open a connection: x") { _ in .noResources(reason: "x") },
    ]

    static let handshake: [Case] = [
        Case(.temporary, "the TLS handshake with \(host) did not finish within 2 seconds") {
            .handshakeTimedOut($0, seconds: 2)
        },
        Case(.unavailable, "the TLS handshake with \(host) failed: x") { .handshakeFailed($0, reason: "x") },
        Case(.unavailable, "the server at \(host) selected TLSv1, which is older than TLS 1.2") {
            .protocolTooOld($0, version: "TLSv1")
        },
        Case(.unavailable, "the server at \(host) supports neither TLS 1.2 nor TLS 1.3") {
            .protocolTooOld($0, version: nil)
        },
        Case(.unavailable, "the server at \(host) does not use TLS; it sent \"220\"") { .notTLS($0, start: "220") },
        Case(.temporary, "the server at \(host) closed the connection during the TLS handshake") {
            .closedInHandshake($0)
        },
        Case(.temporary, "the server at \(host) reset the connection during the TLS handshake") {
            .resetInHandshake($0)
        },
        Case(.no, "the certificates of the server at \(host) are not trusted") { .refusedChain($0) },
    ]

    static let response: [Case] = [
        Case(.temporary, "the server at \(host) did not send a complete response head within 3 seconds") {
            .headTimedOut($0, seconds: 3)
        },
        Case(.temporary, "the server at \(host) sent only 5 bytes of the content within 3 seconds") {
            .contentTimedOut($0, seconds: 3, got: 5)
        },
        Case(.temporary, "the server at \(host) reset the connection") { .reset($0) },
        Case(.unavailable, "the TLS session with \(host) failed: x") { .sessionBroken($0, reason: "x") },
        Case(.temporary, "the server at \(host) closed the connection before the response head was complete") {
            .closedBeforeHead($0)
        },
        Case(.temporary, "the response ends after 4 of 5 bytes") { _ in .cutShort(got: 4, of: 5) },
        Case(.badInput, "the response has more than 4 bytes of content") { _ in .tooLarge(limit: 4) },
        Case(.badInput, "the response follows more than 16 interim responses") { _ in
            .malformed(.tooManyInterimResponses(limit: 16))
        },
    ]

    @Test("A failure has its values in its sentence, and an exit code", arguments: lookup + handshake + response)
    func failure(_ example: Case) throws {
        let failure = example.make(try #require(SocketAddress("192.0.2.1", port: 443)))
        #expect(failure.problem == example.problem)
        #expect(failure.exitCode == example.code)
        #expect(!failure.fix.isEmpty && !failure.fix.hasSuffix("."))
    }
}
