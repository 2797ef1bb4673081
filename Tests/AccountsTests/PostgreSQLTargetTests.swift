#if PostgreSQL
import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import Accounts
@testable import PostgreSQLAccounts

@Suite("The URL of a PostgreSQL database") struct PostgreSQLTargetTests {
    @Test(
        "A connection to another machine verifies the certificate unless the URL says otherwise",
        arguments: [
            ("postgres://user@db.example.test/name", "verify-full"),
            ("postgres://192.0.2.1,127.0.0.1/x", "verify-full"),
            ("postgres://localhost/x?hostaddr=192.0.2.1", "verify-full"), ("postgres:///x?service=main", "verify-full"),
            ("postgresql://[2001:db8::1]:5433/x", "verify-full"),
            ("postgres://db.example.test/x?sslmode=require", "require"),
            ("postgres://localhost/x", nil), ("postgres://127.0.0.1,[::1]/x", nil), ("postgres:///x", nil),
            ("postgres://%2Frun%2Fpostgresql/x", nil), ("postgres://db.example.test/x?hostaddr=127.0.0.1", nil),
        ] as [(String, String?)])
    func tls(_ url: String, _ mode: String?) throws {
        #expect(try PostgreSQLTarget(url: url).options["sslmode"] == mode)
    }

    @Test("With several hosts, the connection reaches one that accepts changes")
    func failover() throws {
        #expect(try PostgreSQLTarget(url: "postgres://a,b/x").options["target_session_attrs"] == "read-write")
        #expect(try PostgreSQLTarget(url: "postgres://a/x").options["target_session_attrs"] == nil)
        let any = try PostgreSQLTarget(url: "postgres://a,b/x?target_session_attrs=any")
        #expect(any.options["target_session_attrs"] == "any")
    }

    @Test("Each address of a host is tried with the port of its host")
    func addresses() async throws {
        let target = try PostgreSQLTarget(url: "postgres://127.0.0.1:1,[::1]:2,%2Frun:3/x")
        let expected = [
            ("127.0.0.1,::1,/run", "127.0.0.1,::1,", "1,2,3"), ("::1,/run,127.0.0.1", "::1,,127.0.0.1", "2,3,1"),
            ("/run,127.0.0.1,::1", ",127.0.0.1,::1", "3,1,2"),
        ]
        for first in 0..<6 {
            let (list, count) = try await target.resolvedOptions(timeout: 2, first: first)
            let options = Dictionary(uniqueKeysWithValues: list.map { ($0, $1) })
            let (hosts, addresses, ports) = expected[first % 3]
            #expect(options["host"] == hosts)
            #expect(options["hostaddr"] == addresses)
            #expect(options["port"] == ports)
            #expect(count == 3)
        }
    }

    @Test("A single port is the port of every host, and a host that cannot be resolved does not hide the others")
    func partlyResolved() async throws {
        let target = try PostgreSQLTarget(url: "postgres://127.0.0.1,[::1],missing.invalid/x?port=7")
        let (list, count) = try await target.resolvedOptions(timeout: 2)
        let options = Dictionary(uniqueKeysWithValues: list.map { ($0, $1) })
        #expect(options["hostaddr"] == "127.0.0.1,::1" && options["port"] == "7,7" && count == 2)
    }

    @Test("A connection has the settings that the program needs, unless the URL has others")
    func settings() throws {
        let options = try PostgreSQLTarget(url: "postgres://a/x?client_encoding=LATIN1").options
        #expect(options["gssencmode"] == "disable" && options["application_name"] == "motivator")
        #expect(options["tcp_user_timeout"] == "5000" && options["client_encoding"] == "UTF8")
        let other = try PostgreSQLTarget(url: "postgres://a/x?gssencmode=prefer&application_name=b&tcp_user_timeout=9")
        let kept = ["gssencmode", "application_name", "tcp_user_timeout"].map { other.options[$0] }
        #expect(kept == ["prefer", "b", "9"])
    }

    @Test(
        "An invalid URL is refused, and its password is in no error",
        arguments: ["postgres://u:canary%zz@h/x", "postgres://u:canary@h/x?canary=1", "postgres://u:canary@h/x\0"])
    func invalid(_ url: String) async throws {
        await #expect(throws: ExplainedFailure.invalidURL) { try await PostgreSQLStore.open(url: url) }
        #expect(!ExplainedFailure.invalidURL.description.contains("canary"))
    }

    @Test("The password is in no error of a connection")
    func password() async throws {
        let shared = try TestDatabase()
        let store = try await shared.open()
        try await store.execute(
            """
            DO $$ BEGIN CREATE ROLE password LOGIN SUPERUSER PASSWORD 'right';
            EXCEPTION WHEN duplicate_object THEN NULL; END $$
            """)
        let right = shared.url.replacing("motivator@", with: "password:right@")
        try await TestDatabase(url: right).open().checkHealth(at: 0)
        let port = shared.url.split(separator: ":").last?.prefix { $0 != "/" } ?? ""
        let urls = [
            (shared.url.replacing("motivator@", with: "password:canary@"), "password authentication failed"),
            ("postgres://motivator:canary@127.0.0.1:\(port)/missing", "does not exist"),
            ("postgres://motivator:canary@127.0.0.1:1/x", "Connection refused"),
            ("postgres://motivator:canary@missing.invalid/x", "could not resolve host"),
        ]
        for (url, expected) in urls {
            let store = try await TestDatabase(url: url).open()
            do {
                try await store.checkHealth(at: 0)
                Issue.record("connected to \(url)")
            } catch {
                #expect("\(error)".contains(expected))
                #expect(!"\(error)".contains("canary"))
            }
        }
    }

    @Test("verify-full accepts the certificate of the host from the right CA, and nothing else")
    func verifiedTLS() async throws {
        let scratch = try TemporaryDirectory()
        let authority = try Authority.create(folder: scratch.file("ca"), permitted: [])
        let (certificate, key) = try authority.save(try authority.issue(hosts: ["localhost"]), as: "localhost")
        let other = try Authority.create(folder: scratch.file("other"), permitted: [])
        let server = try await TestServer(certificate: certificate, key: key)
        let port = server.url.split(separator: ":").last?.prefix { $0 != "/" } ?? ""
        func open(_ host: String, _ folder: String, _ more: String = "") async throws -> PostgreSQLStore {
            let root = scratch.file(folder) + "/authority.pem"
            let url = "postgres://motivator@\(host):\(port)/postgres?sslmode=verify-full&sslrootcert=\(root)\(more)"
            return try await TestDatabase(url: url).open()
        }
        withExtendedLifetime(other) {}
        let verified = try await open("localhost", "ca", "&hostaddr=127.0.0.1")
        try await verified.checkHealth(at: 0)
        let encrypted = "SELECT count(*) FROM pg_stat_ssl WHERE ssl AND pid = pg_backend_pid()"
        #expect(try await verified.scalar(encrypted) == 1)
        let refusals = [
            ("127.0.0.1", "ca", "does not match host name"), ("localhost", "other", "certificate verify failed"),
        ]
        for (host, folder, reason) in refusals {
            do {
                try await open(host, folder).checkHealth(at: 0)
                Issue.record("connected to \(host) with \(folder)")
            } catch let error as StoreError {
                #expect("\(error)".contains(reason))
            }
        }
    }
}
#endif
