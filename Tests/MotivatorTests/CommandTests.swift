import ArgumentParser
import AssociatedDomains
import AssociationChecker
import MotivatorHTTP
import MotivatorPlatform
import TestSupport
import Testing

@testable import MotivatorServer
@testable import motivator

@Suite("The command line") struct CommandTests {
    /// A command and its options in the published table.
    struct Case: Sendable, CustomStringConvertible {
        let words: String
        let type: any ParsableCommand.Type
        /// The required options.
        var needed: [String] = []
        let options: Set<String>

        var description: String { words }
    }

    static let limits: Set<String> = [
        "max-connections", "max-requests", "max-request-line", "max-field-bytes", "max-field-lines", "max-content",
        "handshake-timeout", "head-timeout", "content-timeout", "content-total-timeout", "max-buffered",
        "max-buffered-per-client", "max-memory", "minimum-rate", "trusted-proxy", "write-timeout", "idle-timeout",
        "drain",
        "loops", "poller",
    ]

    static let serving = limits.union([
        "host", "port", "plain-port", "domain", "app", "association", "association-format", "certificates",
        "certificate", "key", "chain", "ticket-secret", "public", "echo", "faults", "faults-association",
        "inspector", "lan", "site", "strict", "allow-fetch",
        "log-level", "log-format", "log-file", "json", "android", "hsts", "hsts-include-subdomains",
        "admin", "config", "database", "minimum-password-length", "scrypt", "failures-per-address",
        "sign-ups-per-address", "passkey-domain", "passkey-origin", "passkey-timeout",
    ])

    static let fetching: Set<String> = ["trust", "connect-to", "timeout", "at"]
    static let asking: Set<String> = [
        "app", "entitlement", "entitlements", "service", "domain", "android", "assetlinks", "assume-public",
    ]

    static let leaves = [
        Case(words: "serve", type: Serve.self, options: serving),
        Case(
            words: "association sign", type: AssociationCommand.Sign.self,
            needed: ["--certificate", "c.pem", "--key", "c.key"],
            options: ["certificate", "key", "chain", "output", "attributes", "force"]),
        Case(
            words: "association verify", type: AssociationCommand.Verify.self, needed: ["file"],
            options: ["domain", "trust", "at"]),
        Case(
            words: "association check", type: AssociationCommand.Check.self, needed: ["example.com"],
            options: fetching.union(asking).union([
                "profile", "cdn", "faults", "list", "hints", "page", "passkeys", "rp-id", "origin", "fix", "format",
                "json",
                "quiet", "verbose", "color", "fail-on", "ignore", "only", "targets", "jobs", "shard", "baseline",
                "resume",
            ])),
        Case(
            words: "association match", type: AssociationCommand.Match.self,
            needed: ["site.json", "--url", "https://example.com/"],
            options: fetching.union(["url", "domain", "app", "android", "assetlinks", "explain", "json"])),
        Case(
            words: "association compare", type: AssociationCommand.Compare.self, needed: ["a.json", "b.json"],
            options: fetching.union(asking).union(["url", "json"])),
        Case(words: "association explain", type: AssociationCommand.Explain.self, options: ["json", "schema"]),
        Case(
            words: "certificate authority", type: CertificateTools.MakeAuthority.self,
            options: ["name", "permit", "renew", "offline-root", "certificates"]),
        Case(
            words: "certificate issue", type: CertificateTools.Issue.self, needed: ["example.test"],
            options: ["days", "rsa", "certificates"]),
        Case(
            words: "certificate lint", type: CertificateTools.Lint.self, needed: ["chain.pem"],
            options: fetching.union(["host", "json", "verbose"])),
        Case(
            words: "certificate trust", type: CertificateTools.Trust.self,
            options: ["print", "install", "remove", "store", "certificates", "json"]),
        Case(words: "certificate profile", type: CertificateTools.Profile.self, options: ["output", "certificates"]),
        Case(
            words: "database export", type: DatabaseTools.Export.self, needed: ["file"],
            options: ["database", "config", "json"]),
        Case(
            words: "database import", type: DatabaseTools.Import.self, needed: ["file"],
            options: ["database", "config", "json"]),
        Case(words: "database check", type: DatabaseTools.CheckDatabase.self, options: ["database", "config", "json"]),
        Case(
            words: "database backup", type: DatabaseTools.Backup.self, needed: ["file"],
            options: ["force", "database", "config", "json"]),
        Case(words: "doctor", type: Doctor.self, options: serving),
        Case(words: "password", type: PasswordTool.self, options: ["count", "rules", "json"]),
        // The command accepts the options of `serve`, but its help does not repeat them.
        Case(words: "config", type: ShowConfiguration.self, options: []),
    ]

    @Test(
        "The help of a command shows an example that the command itself understands", arguments: leaves + deviceLeaves)
    func example(_ command: Case) throws {
        let help = Motivator.helpMessage(for: command.type, columns: 1_000)
        let lines = help.split(separator: "\n").map(String.init)
        let line = try #require(lines.first { $0.contains("Example: motivator ") })
        // The shell interprets the text after <.
        let example = try #require(line.split(separator: "Example: motivator ").last?.prefix { $0 != "<" })
            .split(separator: " ").map(String.init)
        #expect(example.joined(separator: " ").hasPrefix(command.words))
        #expect(example.count > command.words.split(separator: " ").count, "an example must have arguments")
        let parsed = try Motivator.parseCommand(example)
        #expect(type(of: parsed) == command.type)
    }

    @Test("The first steps name a command for each of four roles, and the program understands each of them")
    func firstSteps() throws {
        let lines = Motivator.firstSteps.split(separator: "\n").filter { $0.hasPrefix("  motivator ") }
        #expect(lines.count == 4)
        for line in lines { _ = try Motivator.parseCommand(line.split(separator: " ").dropFirst().map(String.init)) }
    }

    @Test("The help of each command that trusts given roots names the variable for them")
    func trustVariable() {
        for command in Self.leaves + Self.deviceLeaves where command.options.contains("trust") {
            let help = Motivator.helpMessage(for: command.type, columns: 1_000)
            #expect(help.contains("[$MOTIVATOR_TRUST]"), "\(command.words)")
        }
    }

    @Test("A command has the published options, each with a sentence, and no others", arguments: leaves + deviceLeaves)
    func options(_ command: Case) throws {
        let help = Motivator.helpMessage(for: command.type, columns: 1_000)
        var documented: Set<String> = []
        let lines = help.split(separator: "\n")
        for (line, next) in zip(lines, lines.dropFirst() + [""]) {
            guard let match = line.firstMatch(of: /^  (?:-\w, )?--(?<name>[a-z-]+)(?: <[^>]+>)?(?<text>.*)$/) else {
                continue
            }
            let name = String(match.name)
            guard name != "help" else { continue }
            documented.insert(name)
            // The description of an option with a long name is on the next line.
            let sentence = match.text.isEmpty && !next.hasPrefix("  -") ? next : match.text
            #expect(sentence.split(separator: " ").count >= 2, "--\(name) has no sentence: \(sentence)")
        }
        #expect(documented == command.options)
    }

    @Test("A command accepts its required arguments, and exits with 64 without them", arguments: leaves + deviceLeaves)
    func needed(_ command: Case) throws {
        let words = command.words.split(separator: " ").map(String.init)
        let parsed = try Motivator.parseCommand(words + command.needed)
        #expect(type(of: parsed) == command.type)
        if !command.needed.isEmpty { expectUsage(words) }
        expectUsage(words + command.needed + ["--no-such-option"])
    }

    @Test("Each command is listed by the one above it")
    func listed() {
        for command in Self.leaves + Self.deviceLeaves {
            let names = command.words.split(separator: " ").map(String.init)
            var above: any ParsableCommand.Type = Motivator.self
            for name in names {
                #expect(Motivator.helpMessage(for: above, columns: 1_000).contains("  \(name) "))
                above = above.configuration.subcommands.first { $0._commandName == name } ?? above
            }
            #expect(ObjectIdentifier(above) == ObjectIdentifier(command.type))
            #expect(above.configuration.commandName == names.last, "the parser is slow to derive the name of a type")
        }
    }

    static let wrong: [[String]] = [
        ["no-such-command"], ["association", "no-such-command"], ["serve", "--port", "65536"],
        ["serve", "--port", "-1"], ["serve", "--port", "https"], ["serve", "--plain-port", "x"],
        ["serve", "--association-format", "xml"], ["serve", "--log-level", "loud"], ["serve", "--log-format", "xml"],
        ["serve", "--poller", "kqueue"], ["serve", "--loops", "0"], ["serve", "--max-connections", "0"],
        ["serve", "--max-content", "-1"], ["serve", "--drain", "-1"], ["serve", "--idle-timeout", "0"],
        ["serve", "--head-timeout", "0"], ["serve", "--max-requests", "1073741825"], ["serve", "unexpected"],
        ["association", "verify", "file", "--at", "yesterday"],
        ["association", "verify", "file", "--at", "2015-02-30"],
        ["association", "check", "a.test", "--ignore", "no-such-code"],
        ["association", "check", "a.test", "--only", ""], ["association", "check", "a.test", "--fail-on", "note"],
        ["association", "check", "--targets", "list", "--jobs", "0"],
        ["association", "check", "--targets", "list", "--jobs", "257"],
        ["association", "check", "--targets", "list", "--shard", "0/0"],
        ["association", "check", "--targets", "list", "a.test"], ["association", "check", "--resume", "file"],
        ["association", "check", "--targets", "list", "--json"],
        ["association", "check", "--targets", "list", "--format", "sarif"],
        ["association", "check", "--targets", "list", "--fix"],
        ["association", "check", "--targets", "-", "--entitlements", "-"],
        ["association", "sign", "a", "b", "--certificate", "c", "--key", "k"],
        ["certificate", "issue", "example.test", "--days", "many"], ["password", "--count", "0"],
        ["password", "--count", "10001"], ["password", "--count", "-1"], ["password", "--rules"],
        ["password", "minlength: 8"],
    ]

    @Test("Invalid arguments are a usage error", arguments: wrong + deviceWrong)
    func usage(_ arguments: [String]) {
        expectUsage(arguments)
    }

    static let right: [[String]] = [
        ["serve", "--port", "0"], ["serve", "--max-content", "0"], ["serve", "--drain", "0"],
        ["serve", "--max-requests", "1073741824"], ["serve", "--poller", "sources"],
        ["association", "check", "--targets", "-", "--jobs", "256", "--shard", "2/2", "--format", "ndjson"],
        ["association", "check", "a.test", "--ignore", "HTTP-redirect", "--only", "json-comment"],
        ["association", "verify", "-", "--at", "2015-10-01"], ["password"], ["password", "--count", "10000"],
    ]

    @Test("Values at the edge are accepted, and select the command that they follow", arguments: right + deviceRight)
    func edges(_ arguments: [String]) throws {
        let commands = (Self.leaves + Self.deviceLeaves).filter {
            arguments.starts(with: $0.words.split(separator: " ").map(String.init))
        }
        let command = try #require(commands.max { $0.words.count < $1.words.count })
        #expect(type(of: try Motivator.parseCommand(arguments)) == command.type)
    }

    private func expectUsage(_ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        do {
            _ = try Motivator.parseCommand(arguments)
            Issue.record("\(arguments) was understood", sourceLocation: sourceLocation)
        } catch {
            #expect(Motivator.exitCode(for: error).rawValue == 64, sourceLocation: sourceLocation)
            #expect(!Motivator.message(for: error).isEmpty, sourceLocation: sourceLocation)
        }
    }

    @Test(
        "Help and errors name the commands above",
        arguments: [
            ["association", "check", "--help"], ["association", "check"], ["device", "app", "log-in", "--hepl"],
            ["certificate", "issue"],
        ])
    func above(_ arguments: [String]) throws {
        func message(_ parse: ([String]) throws -> any ParsableCommand) -> String {
            do {
                var command = try parse(arguments)
                try command.run()
                return ""
            } catch {
                return Motivator.fullMessage(for: error)
            }
        }
        let text = message(Motivator.parseCommand)
        #expect(text.contains("motivator \(arguments[0]) \(arguments[1])"))
        #expect(text == message { try Motivator.parseAsRoot($0) })
    }
}

@Suite("Arguments") struct ArgumentTests {
    @Test("An unknown issue code is reported with the closest code")
    func unknownCode() {
        for (code, fix) in [("json-trailing-coma", "Did you mean \"json-trailing-comma\"?"), ("?", "List all codes")] {
            do {
                _ = try Motivator.parseAsRoot(["association", "check", "a.test", "--ignore", code])
                Issue.record("\(code) is accepted")
            } catch {
                #expect(Motivator.message(for: error).contains("Unknown issue code \"\(code)\". \(fix)"))
            }
        }
    }

    @Test("An app that is passed twice is checked once")
    func sameApp() throws {
        let app = "D3KQX62K1A.com.example.DemoApp"
        #expect(try RequestOptions.parse(["--app", app, "--app", app]).request().apps.map(\.description) == [app])
    }

    @Test("Every limit of the command line reaches the server", arguments: PollerKind.allCases)
    func limits(_ poller: PollerKind) throws {
        let numbers = [
            "max-connections": 1, "max-requests": 2, "max-request-line": 3, "max-field-bytes": 4, "max-field-lines": 5,
            "max-content": 6, "handshake-timeout": 7, "head-timeout": 8, "content-timeout": 9, "write-timeout": 10,
            "idle-timeout": 11, "drain": 12, "loops": 13, "max-buffered": 14, "max-buffered-per-client": 15,
            "content-total-timeout": 16, "minimum-rate": 17, "max-memory": 18,
        ]
        let options = try LimitArguments.parse(
            numbers.flatMap { ["--\($0.key)", "\($0.value)"] }
                + ["--poller", poller.rawValue, "--trusted-proxy", "192.0.2.1", "--trusted-proxy", "::1"]
        ).serverOptions()
        #expect(options.connections == 1)
        #expect(options.limits.requestsPerConnection == 2)
        #expect(options.limits.startLine == 3)
        #expect(options.limits.fieldBytes == 4)
        #expect(options.limits.fieldLines == 5)
        #expect(options.limits.content == 6)
        #expect(options.handshakeTimeout == 7_000)
        #expect(options.headTimeout == 8_000)
        #expect(options.contentTimeout == 9_000)
        #expect(options.writeTimeout == 10_000)
        #expect(options.idleTimeout == 11_000)
        #expect(options.drainTimeout == 12_000)
        #expect(options.loops == 13)
        #expect(options.memory == 18)
        #expect(options.bufferedBytes == 14)
        #expect(options.bufferedBytesPerClient == 15)
        #expect(options.contentTotalTimeout == 16_000)
        #expect(options.minimumRate == 17)
        #expect(options.trustedProxies == [[192, 0, 2, 1], [UInt8](repeating: 0, count: 15) + [1]])
        #expect(options.poller == poller)
    }

    @Test("Without options the server has its own defaults")
    func defaults() throws {
        let (made, own) = (try LimitArguments.parse([]).serverOptions(), ServerOptions())
        #expect(made.limits == own.limits)
        #expect(made.connections == own.connections && made.loops == own.loops && made.poller == own.poller)
        let times: [KeyPath<ServerOptions, Int64>] = [
            \.handshakeTimeout, \.headTimeout, \.contentTimeout, \.writeTimeout, \.idleTimeout, \.drainTimeout,
        ]
        #expect(made.contentTotalTimeout == own.contentTotalTimeout && made.minimumRate == own.minimumRate)
        #expect(made.memory == own.memory)
        #expect(made.bufferedBytes == own.bufferedBytes && made.bufferedBytesPerClient == own.bufferedBytesPerClient)
        #expect(made.trustedProxies.isEmpty)
        for time in times { #expect(made[keyPath: time] == own[keyPath: time]) }
    }

    @Test("A mistake in a value names the option, keeps the fix, and is a usage error")
    func usageError() throws {
        let inner = FileError.notFound(path: "a\nb")
        let error = #expect(throws: ExplainedFailure.self) { try parsing("--domain") { throw inner } }
        #expect(error?.exitCode == .usage)
        #expect(error?.description == #"--domain: the file or folder "a\nb" does not exist. \#(inner.fix)."#)
        #expect(try parsing("--domain") { 7 } == 7)
        #expect(throws: CancellationError.self) { try parsing("--domain") { throw CancellationError() } }
    }

    @Test("A target that is an entry, an application identifier or an inaccessible file is not a domain")
    func wrongTargets() throws {
        let directory = try TemporaryDirectory()
        try directory.link("loop.json", to: "loop.json")
        let cases: [(target: String, code: MotivatorPlatform.ExitCode, part: String)] = [
            ("webcredentials:example.com", .usage, "--entitlement webcredentials:example.com."),
            ("D3KQX62K1A.com.example.DemoApp", .usage, "--app D3KQX62K1A.com.example.DemoApp."),
            ("nonexistent.entitlements", .noInput, "does not exist"),
            (directory.file("loop.json"), .inputOutput, "loop.json"),
        ]
        for (target, code, part) in cases {
            do {
                let arguments = ["association", "match", target, "--url", "https://example.com/"]
                var command = try Motivator.parseAsRoot(arguments)
                try command.run()
                Issue.record("\(target) is accepted")
            } catch let error as any ExplainedError {
                #expect(error.exitCode == code && "\(error)".contains(part), "\(error)")
            }
        }
    }

    @Test("A time is a date, or a date with the time of day")
    func time() {
        #expect(TimeArgument(argument: "2015-10-01T00:00:00Z")?.time == 1_443_657_600)
        #expect(TimeArgument(argument: "2015-10-01")?.time == 1_443_657_600)
        #expect(TimeArgument(argument: "1443657600") == nil)
        #expect(TimeArgument(argument: "") == nil)
    }

    @Test("The ready line is one JSON object with what a program needs")
    func ready() throws {
        var endpoints = HTTPServer.Endpoints()
        endpoints.tls = [
            try #require(SocketAddress("127.0.0.1", port: 8443)), try #require(SocketAddress("::1", port: 8443)),
        ]
        let message = ReadyMessage(
            endpoints: endpoints, admin: SocketAddress("::1", port: 8081), domains: ["example.test"],
            authority: "a \"b\"", keepsAccountsInMemory: true, configurationFile: "motivator.json")
        #expect(
            String(decoding: message.json.line(), as: UTF8.self)
                == #"{"event":"ready","https":["https://127.0.0.1:8443","https://[::1]:8443","#
                + #""https://example.test:8443"],"plain":null,"admin":"[::1]:8081","#
                + #""authority":"a \"b\"/authority.pem","configuration":"motivator.json"}"# + "\n")
        #expect(message.text.contains("\nConfiguration: motivator.json\n"))
        #expect(message.text.contains("--cacert 'a \"b\"/authority.pem'"))
        #expect(message.text.contains("/etc/hosts: 127.0.0.1 example.test"))
        #expect(message.text.contains("The accounts are in memory"))
        #expect(message.text.split(separator: "\n").count <= 6)
        #expect(message.text.contains("only at port 443"))
    }

    @Test("A public name gets no advice about /etc/hosts")
    func publicName() {
        let message = ReadyMessage(
            endpoints: HTTPServer.Endpoints(), admin: nil, domains: ["www.example.com"], authority: nil,
            keepsAccountsInMemory: false)
        #expect(!message.text.contains("/etc/hosts"))
    }

    @Test("At port 443, the message says nothing about ports")
    func usualPort() throws {
        var endpoints = HTTPServer.Endpoints()
        endpoints.tls = [try #require(SocketAddress("127.0.0.1", port: 443))]
        let message = ReadyMessage(
            endpoints: endpoints, admin: nil, domains: ["example.test"], authority: nil, keepsAccountsInMemory: false)
        #expect(message.text.hasPrefix("Ready: https://example.test/\n"))
    }
}
