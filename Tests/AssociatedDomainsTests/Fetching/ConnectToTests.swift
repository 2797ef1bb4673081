import MotivatorPlatform
import Testing

@testable import HTTPSClient

@Suite("Where to connect instead: HOST:PORT:ADDR:PORT")
struct ConnectToTests {
    @Test(
        "Rules are read as curl reads them",
        arguments: [
            ("a.test:443:127.0.0.1:8443", "a.test", 443, "127.0.0.1", 8443),
            ("A.Test:443:b.test:8443", "a.test", 443, "b.test", 8443),
            (":443:b.test:8443", nil, 443, "b.test", 8443),
            ("a.test::b.test:8443", "a.test", nil, "b.test", 8443),
            ("::127.0.0.1:1", nil, nil, "127.0.0.1", 1),
            ("a.test:443::8443", "a.test", 443, nil, 8443),
            ("a.test:443:b.test:", "a.test", 443, "b.test", nil),
            (":::", nil, nil, nil, nil),
            ("[::1]:443:[FE80::1]:65535", "::1", 443, "fe80::1", 65535),
        ] as [(String, String?, UInt16?, String?, UInt16?)])
    func wellFormed(text: String, host: String?, port: UInt16?, target: String?, targetPort: UInt16?) throws {
        let rule = try Fetcher.ConnectTo(text)
        #expect(rule.host == host && rule.port == port && rule.target == target && rule.targetPort == targetPort)
        #expect(try Fetcher.ConnectTo(rule.description) == rule)
    }

    @Test(
        "Each kind of malformed text has its own error",
        arguments: [
            ("", .partCount("", 1)), ("a:1:b", .partCount("a:1:b", 3)), ("a:1:b:2:c", .partCount("a:1:b:2:c", 5)),
            ("::1:443:a:1", .partCount("::1:443:a:1", 6)), ("[::1:1:a:1", .brackets("[::1:1:a:1")),
            ("a]:1:b:1", .brackets("a]:1:b:1")), ("[[::1]]:1:b:1", .brackets("[[::1]]:1:b:1")),
            ("a:0:b:1", .port("a:0:b:1", "0")), ("a:65536:b:1", .port("a:65536:b:1", "65536")),
            ("a:+1:b:1", .port("a:+1:b:1", "+1")), ("a:1:b: 1", .port("a:1:b: 1", " 1")),
            ("a b:1:b:1", .host("a b:1:b:1", "a b")), ("[1]:1:b:1", .host("[1]:1:b:1", "[1]")),
            ("[127.0.0.1]:1:b:1", .host("[127.0.0.1]:1:b:1", "[127.0.0.1]")),
            ("x[::1]:1:b:1", .host("x[::1]:1:b:1", "x[::1]")), ("a:1:[::1]x:1", .host("a:1:[::1]x:1", "[::1]x")),
            ("[::1]\0:1:b:1", .host("[::1]\0:1:b:1", "[::1]\0")),
        ] as [(String, Fetcher.ConnectTo.Malformed)])
    func malformed(text: String, error: Fetcher.ConnectTo.Malformed) {
        #expect(throws: error) { try Fetcher.ConnectTo(text) }
        #expect(error.exitCode == .usage && !error.problem.hasSuffix(".") && !error.fix.hasSuffix("."))
    }
}
