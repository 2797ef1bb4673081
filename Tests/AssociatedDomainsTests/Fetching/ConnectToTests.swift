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
            ("", "has 1 part separated by colons, not 4"), ("a:1:b", "has 3 parts separated by colons, not 4"),
            ("a:1:b:2:c", "has 5 parts separated by colons, not 4"),
            ("::1:443:a:1", "has 6 parts separated by colons, not 4"), ("[::1:1:a:1", "has unbalanced brackets"),
            ("a]:1:b:1", "has unbalanced brackets"), ("[[::1]]:1:b:1", "has unbalanced brackets"),
            ("a:0:b:1", "is not a port from 1 to 65535"), ("a:65536:b:1", "is not a port from 1 to 65535"),
            ("a:+1:b:1", "is not a port from 1 to 65535"), ("a:1:b: 1", "is not a port from 1 to 65535"),
            ("a b:1:b:1", "is not a host name or address"), ("[1]:1:b:1", "is not a host name or address"),
            ("[127.0.0.1]:1:b:1", "is not a host name or address"),
            ("x[::1]:1:b:1", "is not a host name or address"), ("a:1:[::1]x:1", "is not a host name or address"),
            ("[::1]\0:1:b:1", "is not a host name or address"),
        ] as [(String, String)])
    func malformed(text: String, problem: String) throws {
        let error = try #require(throws: ExplainedFailure.self) { try Fetcher.ConnectTo(text) }
        #expect(error.problem.hasSuffix(problem) && error.problem.contains(text.excerpt))
        #expect(error.exitCode == .usage && !error.fix.hasSuffix("."))
    }

    @Test(
        "The first rule for the host and the port replaces only what it names",
        arguments: [
            (["a.test:443::8443"], "a.test:8443"), (["a.test:443:b.test:"], "b.test:443"),
            (["A.TEST::b.test:1"], "b.test:1"), ([":443::1"], "a.test:1"), ([":::"], "a.test:443"),
            (["a.test:444:b.test:1"], "a.test:443"), (["c.test:443:b.test:1"], "a.test:443"),
            (["a.test:444:b.test:1", ":443:c.test:", "a.test:443:d.test:1"], "c.test:443"),
        ] as [([String], String)])
    func replaced(rules: [String], target: String) throws {
        var options = Fetcher.Options()
        options.deadline = 600
        options.connectTo = try rules.map { try Fetcher.ConnectTo($0) }
        let lookups = Guarded<[String]>([])
        let names = NameLookup { host, port in
            lookups.withLock { $0.append("\(host):\(port)") }
            return .failure(.unknownHost(host))
        }
        let fetched = Fetcher(options, clock: .system, names: names).fetch(FetchRequest(host: "a.test", target: "/"))
        #expect(fetched.failure != nil && lookups.withLock { $0 } == [target])
    }
}
