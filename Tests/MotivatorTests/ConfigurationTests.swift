import Foundation
import MotivatorPlatform
import TestSupport
import Testing

@testable import motivator

@Suite("The configuration") struct ConfigurationTests {
    /// Loads a configuration from a file with this text.
    private func load(
        _ text: String = "{}", _ environment: [String: String] = [:], _ arguments: [String] = []
    ) throws -> ServeConfiguration {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/motivator.json"
        try Data(text.utf8).write(to: URL(filePath: path))
        return try ConfigurationSource(arguments: ["--config", path] + arguments, environment: environment).load()
    }

    /// Returns the error message of an invalid configuration.
    private func problem(_ text: String = "{}", _ environment: [String: String] = [:]) -> String {
        do {
            _ = try load(text, environment)
            return "no error"
        } catch {
            #expect((error as? any ExplainedError)?.exitCode == .configuration)
            return "\(error)"
        }
    }

    private func setting(_ name: String, _ configuration: ServeConfiguration) throws -> ServeConfiguration.Setting {
        try #require(configuration.settings.first { $0.option.name == name })
    }

    @Test("A flag takes precedence over a variable, a variable over the file, and the file over the default")
    func precedence() throws {
        let (file, variable, flag) = (#"{"port": 1001}"#, ["MOTIVATOR_PORT": "1002"], ["--port", "1003"])
        #expect(try load(file, variable, flag).command.addresses.port == 1003)
        #expect(try load(file, variable).command.addresses.port == 1002)
        #expect(try load(file).command.addresses.port == 1001)
        #expect(try load().command.addresses.port == 8443)

        #expect(try setting("port", load(file, variable, flag)).origin == .flag)
        #expect(try setting("port", load(file, variable)).origin == .environment)
        guard case .file(let path) = try setting("port", load(file)).origin else {
            Issue.record("the value does not come from the file")
            return
        }
        #expect(path.hasSuffix("/motivator.json"))
        #expect(try setting("port", load()).origin == .standard)
    }

    @Test("Every option has a key and a variable, whose values reach the command")
    func kinds() throws {
        let text = #"{"log-file": "a.log", "echo": true, "domain": ["a.test", "b.test"], "hsts": 60, "app": "x"}"#
        let command = try load(text).command
        #expect(command.log.logFile == "a.log")
        #expect(command.served.echo)
        #expect(command.served.domain == ["a.test", "b.test"])
        #expect(command.transport.hsts == 60)
        #expect(command.served.app == ["x"], "a repeatable option must also accept a single string")

        let variables = [
            "MOTIVATOR_LOG_FILE": "b.log", "MOTIVATOR_ECHO": "false", "MOTIVATOR_DOMAIN": "c.test, d.test",
            "MOTIVATOR_HSTS": "", "MOTIVATOR_SCRYPT": "14,8,5",
        ]
        let overridden = try load(text, variables).command
        #expect(overridden.log.logFile == "b.log")
        #expect(!overridden.served.echo)
        #expect(overridden.served.domain == ["c.test", "d.test"])
        #expect(overridden.transport.hsts == 60, "an empty variable must count as unset")
        #expect(overridden.accountSettings.scrypt == "14,8,5", "only repeatable options may be lists")
        #expect(try load(text, variables, ["--domain=e.test"]).command.served.domain == ["e.test"])
    }

    @Test("--allow-fetch accepts its values, and those of the former flag")
    func allowFetch() throws {
        #expect(try load().command.served.allowFetch == .off)
        #expect(try load("{}", [:], ["--allow-fetch", "public"]).command.served.allowFetch == .public)
        for (text, scope) in [("true", FetchScope.any), ("false", .off), (#""public""#, .public), (#""any""#, .any)] {
            #expect(try load(#"{"allow-fetch": \#(text)}"#).command.served.allowFetch == scope)
        }
        #expect(try load("{}", ["MOTIVATOR_ALLOW_FETCH": "true"]).command.served.allowFetch == .any)
        #expect(problem(#"{"allow-fetch": "all"}"#).contains("'all'"))
    }

    @Test("A variable selects the file, and a flag replaces it")
    func selection() throws {
        let folder = try TemporaryDirectory()
        for (name, port) in [("a.json", 1001), ("b.json", 1002)] {
            try Data(#"{"port": \#(port)}"#.utf8).write(to: URL(filePath: folder.path + "/" + name))
        }
        let environment = ["MOTIVATOR_CONFIG": folder.path + "/a.json"]
        for (arguments, port) in [([], 1001), (["--config=\(folder.path)/b.json"], UInt16(1002))] {
            let source = ConfigurationSource(arguments: arguments, environment: environment)
            #expect(try source.load().command.addresses.port == port)
        }
    }

    /// An invalid file or variable, and the words that its error must contain.
    struct Wrong: Sendable, CustomStringConvertible {
        var file = "{}"
        var environment: [String: String] = [:]
        let expected: [String]

        var description: String { expected.joined(separator: " ") }
    }

    static let wrong: [Wrong] = [
        Wrong(file: #"{"prot": 1}"#, expected: ["motivator.json", "line 1, column 2", "unknown key \"prot\""]),
        Wrong(file: #"{"prot": 1}"#, expected: ["Use \"port\" instead."]),
        Wrong(file: #"{"unknown": 1}"#, expected: ["List the options with: motivator serve --help."]),
        Wrong(file: #"{"plain_port": 1}"#, expected: ["Use \"plain-port\" instead."]),
        Wrong(file: "", expected: ["motivator.json\": the file is empty. Write an object, such as {}."]),
        Wrong(file: #"{"config": "a"}"#, expected: ["unknown key \"config\""]),
        Wrong(file: #"{"port": true}"#, expected: ["\"port\" is a boolean", "Use a string or a number"]),
        Wrong(file: #"{"port": "x"}"#, expected: ["motivator.json", "\"port\"", "'x'"]),
        Wrong(file: #"{"port": 65536}"#, expected: ["\"port\"", "'65536'"]),
        Wrong(file: #"{"drain": -1}"#, expected: ["\"drain\"", "-1", "from 0"]),
        Wrong(file: #"{"echo": "yes"}"#, expected: ["\"echo\" is a string", "Use true or false"]),
        Wrong(file: #"{"domain": [1]}"#, expected: ["\"domain\" is an array", "Use an array of strings"]),
        Wrong(file: #"{"echo": true, "echo": false}"#, expected: ["line 1, column 16", "\"echo\" occurs twice"]),
        Wrong(file: "{\n\"echo\": true,\n}", expected: ["line 2, column 13", "comma"]),
        Wrong(file: "[]", expected: ["the file is an array", "Write an object"]),
        Wrong(file: "", expected: ["the file is empty"]),
        Wrong(environment: ["MOTIVATOR_ECHO": "maybe"], expected: ["MOTIVATOR_ECHO", "Use true or false"]),
        Wrong(environment: ["MOTIVATOR_PORT": "x"], expected: ["MOTIVATOR_PORT", "'x'"]),
    ]

    @Test("An error names the source, the key, the value and the fix", arguments: wrong)
    func errors(_ wrong: Wrong) {
        let message = problem(wrong.file, wrong.environment)
        for part in wrong.expected { #expect(message.contains(part), "\(message)") }
    }

    @Test("A file that cannot be read has the exit code of its error")
    func unreadable() throws {
        let folder = try TemporaryDirectory()
        for (path, code) in [(folder.path, ExitCode.noInput), (folder.path + "/missing.json", .noInput)] {
            do {
                _ = try ConfigurationSource(arguments: ["--config", path], environment: [:]).load()
                Issue.record("\(path) was read")
            } catch {
                #expect((error as? any ExplainedError)?.exitCode == code)
                #expect("\(error)".contains(path))
            }
        }
    }

    /// The owner and the mode of the current folder's file, and the words of its error; none if it is used.
    static let owners: [(owner: uid_t, mode: mode_t, expected: [String])] = [
        (1_000, 0o600, []), (1_000, 0o755, []), (0, 0o644, []),
        (1_001, 0o600, ["\"motivator.json\"", "another user (ID 1001)", "pass --config motivator.json"]),
        (1_001, 0o666, ["another user (ID 1001)"]),
        (1_000, 0o620, ["other users can change \"motivator.json\"", "mode 0620", "chmod go-w motivator.json"]),
        (1_000, 0o602, ["mode 0602"]), (0, 0o646, ["mode 0646"]),
    ]

    @Test("The current folder's file is used only if no other user controls it", arguments: owners)
    func control(_ owner: uid_t, _ mode: mode_t, _ expected: [String]) {
        do throws(ExplainedFailure) {
            try ConfigurationFile.checkAccess(owner: owner, mode: mode, user: 1_000)
            #expect(expected.isEmpty)
        } catch {
            #expect(!expected.isEmpty)
            for part in expected { #expect(error.description.contains(part), "\(part)") }
        }
    }

    @Test("The default of a repeatable option is a list, also in JSON")
    func defaults() throws {
        let configuration = try load()
        let json = String(decoding: configuration.json.line(), as: UTF8.self)
        #expect(try setting("host", configuration).values == ["127.0.0.1", "::1"])
        #expect(json.contains(#""name":"host","value":["127.0.0.1","::1"]"#))
        #expect(try setting("domain", configuration).values == ["ultra-motivator.test"])
        #expect(try setting("site", configuration).values == [])
        #expect(configuration.text.contains("127.0.0.1, ::1"))
    }

    @Test("A reload changes only the options that a running server can change")
    func reload() throws {
        let old = try load(#"{"port": 1001, "domain": ["a.test"]}"#)
        let loaded = try load(#"{"port": 1002, "domain": ["b.test"], "echo": true}"#)
        let new = try old.reloaded(from: loaded)
        #expect(new.command.addresses.port == 1001)
        #expect(new.command.served.domain == ["b.test"])
        #expect(new.command.served.echo)
        #expect(loaded.differences(from: new) == ["port"])
        let names = old.settings.map(\.option).filter { Serve.reloadable.contains($0.section) }.map(\.name)
        #expect(
            names == [
                "domain", "app", "association", "association-format", "site", "android", "passkey-domain",
                "passkey-origin", "passkey-timeout", "public", "strict", "faults", "faults-association", "echo",
                "allow-fetch", "certificates", "certificate", "key", "chain", "ticket-secret",
            ])
    }

    @Test("Commands with other arguments use the same sources, and flags can be repeated")
    func otherCommands() throws {
        let variables = ["MOTIVATOR_ADMIN": "127.0.0.1:9"]
        let arguments = ["database", "export", "a.jsonl", "--database=b.sqlite", "--echo", "--echo", "--unknown", "c"]
        let command = try load(#"{"certificates": "d"}"#, variables, arguments).command
        #expect(command.accountSettings.store.database == "b.sqlite")
        #expect(command.addresses.admin.description == "127.0.0.1:9")
        #expect(command.identity.certificates == "d")
        #expect(command.served.echo)
    }

    @Test("No output contains the password of a URL")
    func secrets() throws {
        let url = "postgres://user:canary@db.example:5432/motivator"
        #expect(Redaction.hidingPasswords(url) == "postgres://user:***@db.example:5432/motivator")
        #expect(Redaction.hidingPasswords("postgres://user:can@ary@db.example/a") == "postgres://user:***@db.example/a")
        let parameters = "postgres://db.example/motivator?sslpassword=one&user=ada&password=two"
        #expect(
            Redaction.hidingPasswords(parameters)
                == "postgres://db.example/motivator?sslpassword=***&user=ada&password=***")
        let encoded = "postgres://db.example/motivator?%70assword=one&ssl%70assword=two&user=ada&%zz=three"
        #expect(
            Redaction.hidingPasswords(encoded)
                == "postgres://db.example/motivator?%70assword=***&ssl%70assword=***&user=ada&%zz=***")
        #expect(!problem("{}", ["MOTIVATOR_DATABASE": url.replacing("postgres", with: "mysql")]).contains("canary"))
        let configuration = try load(#"{"log-file": "\#(url)"}"#)
        #expect(configuration.text.contains("user:***@db.example"))
        #expect(!configuration.text.contains("canary"))
        #expect(!String(decoding: configuration.json.bytes(), as: UTF8.self).contains("canary"))
    }
}
