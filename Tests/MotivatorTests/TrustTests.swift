import ArgumentParser
import Certificates
import MotivatorPlatform
import TestSupport
import Testing

@testable import motivator

@Suite("Trust stores") struct TrustTests {
    /// A store whose tool always reports success.
    final class Store: RootStore {
        let location = "memory"
        private var state: RootState
        private let after: RootState

        init(_ state: RootState, after: RootState) {
            (self.state, self.after) = (state, after)
        }

        func state(of root: TrustedRoot) -> RootState { state }
        func add(_ root: TrustedRoot) { state = after }
        func remove(_ root: TrustedRoot) { state = after }
    }

    private func root() throws -> TrustedRoot {
        let key = try PrivateKey.generate(.p256)
        let draft = CertificateDraft(
            organization: nil, commonName: "Root", notBefore: 0, notAfter: 1_000,
            extensions: [.init("basicConstraints", "CA:TRUE", isCritical: true)])
        return TrustedRoot(try draft.signed(for: key, issuer: nil, issuerKey: key), folder: "/nonexistent")
    }

    @Test(
        "The state before and after decides the result, not the success that the tool reports",
        arguments: [
            (TrustChange.Action.install, RootState.absent, RootState.installed, "installed"),
            (.install, .absent, .absent, "failed"), (.install, .installed, .absent, "already-installed"),
            (.install, .foreign, .absent, "already-installed"), (.install, .unknown, .unknown, "installed"),
            (.remove, .absent, .absent, "not-installed"), (.remove, .installed, .absent, "removed"),
            (.remove, .installed, .installed, "failed"), (.remove, .installed, .foreign, "failed"),
            (.remove, .foreign, .absent, "failed"), (.remove, .unknown, .unknown, "removed"),
        ])
    func outcome(_ action: TrustChange.Action, _ before: RootState, _ after: RootState, _ word: String) throws {
        let change = TrustChange(action: action, root: try root())
        #expect(change.result(in: Store(before, after: after), .nss).status.rawValue == word)
    }

    @Test("The name of a root starts with its digest, and its path does not require that the file exists")
    func name() throws {
        let root = try root()
        #expect(root.name == "motivator-" + root.certificate.fingerprint.prefix(8).hexadecimal)
        #expect(root.digest.count == 95 && root.path == "/nonexistent/authority.pem")
    }

    @Test("The exit code is that of the first failure; a missing store counts if it was requested or is the only one")
    func exitCode() {
        func code(_ statuses: [TrustChange.Result.Status], isRequested: Bool = false) -> Int32 {
            let results = statuses.map { status in
                let failure = SystemTool.Failure("p", fix: "f", exitCode: .notPermitted)
                return TrustChange.Result(kind: .nss, status: status, failure: status == .failed ? failure : nil)
            }
            return TrustChange.exitCode(of: results, isRequested: isRequested).rawValue
        }
        #expect(code([.alreadyInstalled, .removed, .notInstalled, .installed]) == 0)
        #expect(code([.installed, .unavailable]) == 0)
        #expect(code([.installed, .unavailable], isRequested: true) == 69)
        #expect(code([.unavailable, .unavailable]) == 69)
        #expect(code([.unavailable, .failed]) == 77)
    }
}

@Suite("Programs of the system") struct SystemToolTests {
    @Test("The exit code, the signal, and both outputs are returned")
    func run() throws {
        let shell = try #require(SystemTool.find("sh"))
        let outcome = try shell.run(["-c", "echo one; echo two >&2; exit 3"])
        #expect(outcome.code == 3 && outcome.output == "one\ntwo\n" && outcome.reason == "two")
        #expect(try shell.run(["-c", "kill -TERM $$"]).code == 128 + SIGTERM)
        #expect(try shell.run(["-c", "exit 4"]).reason == "exit code 4")
    }

    @Test("A program has no terminal and no input, so that it cannot wait for a password")
    func terminal() throws {
        let shell = try #require(SystemTool.find("sh"))
        #expect(try shell.run(["-c", "cat; (: < /dev/tty) 2>/dev/null || echo none"]).output == "none\n")
    }

    @Test("An output larger than a pipe's buffer arrives whole")
    func large() throws {
        let shell = try #require(SystemTool.find("sh"))
        let output = try shell.run(["-c", "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done"]).output
        #expect(output.utf8.count == 220_000)
    }

    @Test("A failed program is an error with its last line")
    func failure() throws {
        let shell = try #require(SystemTool.find("sh"))
        let error = #expect(throws: SystemTool.Failure.self) {
            try shell.succeed(["-c", "echo first; echo 'the reason'; exit 1"], fix: "f")
        }
        #expect(error?.problem == "sh failed: the reason")
        #expect(SystemTool.find("no-such-program") == nil)
    }
}

@Suite("Tables of results") struct StatusTableTests {
    @Test("Columns are aligned across sections, long messages wrap, and a line to copy never wraps")
    func text() {
        let command = String(repeating: "x", count: 60)
        let table = StatusTable(
            sections: [
                .init(title: "One", rows: [.init(level: .good, status: "ok", subject: "a", message: "Fine.")]),
                .init(
                    title: "Two",
                    rows: [
                        .init(
                            level: .bad, status: "problem", subject: "long",
                            message: "one two three four five six seven",
                            fix: Fix("Run", line: command))
                    ]),
            ], width: 45)
        #expect(
            table.text == """
                One
                ok       a     Fine.

                Two
                problem  long  one two three four five six
                               seven
                               Fix: Run:
                                 \(command)

                """)
    }

    @Test("Color surrounds only the status, and control characters of a message are escaped")
    func color() {
        let row = StatusTable.Row(level: .bad, status: "problem", subject: "a", message: "b\u{1B}[2J")
        let text = StatusTable(sections: [.init(rows: [row])], isColored: true).text
        #expect(text == "\u{1B}[31mproblem\u{1B}[0m  a  b\\u{1b}[2J\n")
    }

    @Test(
        "The doctor reports a file that serve cannot use, and checks the CA only without --certificate",
        arguments: [
            ([], []), (["--association", "/etc/hosts", "--public", "/"], []),
            (["--association", "/nope"], ["--association"]), (["--public", "/nope"], ["--public"]),
            (["--site", "one.test=/nope"], ["--site"]), (["--ticket-secret", "/nope"], ["--ticket-secret"]),
            (["--faults", "--faults-association", "/etc/hosts"], ["--faults-association"]),
            (["--certificate", "/nope", "--key", "/nope"], ["--certificate"]),
        ] as [([String], [String])])
    func files(_ arguments: [String], _ problems: [String]) throws {
        let always = ["--domain", "localhost", "--port", "0", "--plain-port", "0", "--admin", "off"]
        let serve = try Serve.parse(always + ["--certificates", "/nope"] + arguments)
        let sections = try Doctor.sections(serve, database: nil)
        #expect(sections.flatMap(\.rows).filter { $0.level == .bad }.map(\.subject) == problems)
        #expect(sections.map(\.title).contains("Trust") == (problems != ["--certificate"]))
    }

    @Test("The doctor reports each domain that the CA may not sign for, and one command that permits all of them")
    func permittedNames() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.file("certs")
        _ = try Authority.create(folder: folder, permitted: ["example.com"])
        let check = AuthorityCheck(authority: AuthorityInspection(folder: folder), now: Clock.system.now())
        let rows = try check.files(["www.example.com", "localhost", "example.org", "example.net"])
            .filter { $0.level == .bad }
        #expect(rows.map { $0.message.contains("is not permitted to sign for \"example.org\"") } == [true, false])
        let options = "--renew --certificates \(folder) --permit example.org --permit example.net"
        #expect(rows.map { $0.fix.line?.hasSuffix(options) } == [true, true])
        #expect(try check.files(["a.example.com"]).map(\.level) == [.good])
    }

    @Test(
        "certificate lint refuses a host that is neither a name nor an address",
        arguments: ["https://a.test", "a.test:443", "*.a.test", "b\u{FC}cher.test"])
    func lintHost(_ host: String) throws {
        let lint = try CertificateTools.Lint.parse(["/nope", "--host", host])
        let error = #expect(throws: ExplainedFailure.self) { try lint.run() }
        #expect(error?.problem.contains("--host") == true && error?.exitCode == .usage)
    }

    @Test("The doctor requires a key for a certificate, as serve does")
    func missingKey() throws {
        let serve = try Serve.parse(["--certificate", "/nope"])
        #expect(throws: ExplainedFailure.self) { try Doctor.sections(serve, database: nil) }
    }

    @Test(
        "Versions are compared by number",
        arguments: [("3.40.1", "3.37.0", true), ("3.9.0", "3.37.0", false), ("3.37.0", "3.37.0", true)])
    func versions(_ version: String, _ minimum: String, _ isEnough: Bool) {
        #expect(VersionCheck.isVersion(version, atLeast: minimum) == isEnough)
    }
}
