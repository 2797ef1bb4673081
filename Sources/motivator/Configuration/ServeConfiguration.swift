import ArgumentParser
import Configuration
import Foundation
import MotivatorPlatform

/// The options of `serve` from the command line, the environment and the configuration file, in this order of
/// precedence. The declarations in `Serve` are the only list of options.
struct ServeConfiguration {
    struct Setting: Equatable {
        enum Origin: Equatable {
            case flag, environment, standard
            case file(path: String)
        }

        let option: ServeOption
        /// The values as written on the command line; `true` or `false` for a flag.
        let values: [String]
        let origin: Origin

        /// Whether a flag is set.
        var isOn: Bool { values.last == "true" }

        var arguments: [String] {
            option.isFlag ? (isOn ? ["--\(option.name)"] : []) : values.map { "--\(option.name)=\($0)" }
        }
    }

    /// All options except `config`, in declaration order.
    let settings: [Setting]
    /// The configuration file; nil if there is none.
    let file: String?
    let command: Serve

    init(settings: [Setting], file: String?) throws {
        (self.settings, self.file) = (settings, file)
        command = try Serve.parse(settings.filter { $0.origin != .standard }.flatMap(\.arguments))
    }

    func reloaded(from other: ServeConfiguration) throws -> ServeConfiguration {
        let settings = zip(settings, other.settings).map { Serve.reloadable.contains($0.option.section) ? $1 : $0 }
        return try ServeConfiguration(settings: settings, file: other.file)
    }

    func differences(from other: ServeConfiguration) -> [String] {
        zip(settings, other.settings).filter { $0.values != $1.values }.map(\.0.option.name)
    }
}

/// The sources of the configuration. `SIGHUP` reloads the configuration.
struct ConfigurationSource: Sendable {
    /// The arguments of a command that shares options of `serve`. The parser has already accepted them.
    let arguments: [String]
    let environment: [String: String]

    static var ofProcess: ConfigurationSource {
        ConfigurationSource(
            arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
    }

    /// Reads the file, and combines all sources.
    func load() throws -> ServeConfiguration {
        let options = try ServeOption.all()
        let given = Self.values(of: arguments, options + [.config])
        // An empty variable counts as unset.
        let variables = EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty })
        let named = try given["config"] ?? Self.value(of: .config, in: variables)
        let values =
            try named?.last.map { try ConfigurationFile.values(in: $0, options) }
            ?? ConfigurationFile.valuesInCurrentFolder(options)
        let path = values == nil ? nil : named?.last ?? ConfigurationFile.defaultName
        let file = values.map { InMemoryProvider(values: $0) }
        let settings = try options.map { option in
            if let values = given[option.name] {
                return ServeConfiguration.Setting(option: option, values: values, origin: .flag)
            }
            if let values = try Self.value(of: option, in: variables) {
                return try Self.checked(option, values, .environment)
            }
            if let path, let file, let values = try Self.value(of: option, in: file) {
                return try Self.checked(option, values, .file(path: path))
            }
            return ServeConfiguration.Setting(option: option, values: option.standard, origin: .standard)
        }
        return try ServeConfiguration(settings: settings, file: path)
    }

    private static func values(of arguments: [String], _ options: [ServeOption]) -> [String: [String]] {
        var values: [String: [String]] = [:]
        for (index, argument) in arguments.enumerated() {
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard argument.hasPrefix("--"), let name = parts.first,
                let option = options.first(where: { $0.name == name })
            else { continue }
            let next = index + 1 < arguments.count ? arguments[index + 1] : ""
            values[option.name, default: []].append(option.isFlag ? "true" : parts.count > 1 ? String(parts[1]) : next)
        }
        return values
    }

    /// Returns the values of an option in the environment or the file; nil if the option is not set there.
    private static func value(of option: ServeOption, in provider: some ConfigProvider) throws -> [String]? {
        let content: ConfigContent?
        do {
            content = try provider.value(forKey: option.key, type: option.type).value?.content
        } catch {
            // Only a flag in the environment can have the wrong type. The values in the file are already checked.
            throw ExplainedFailure(
                "the value of the environment variable \(option.variable) is not a boolean",
                fix: "Use true or false", exitCode: .configuration)
        }
        return switch content {
        case .string(let text): [text]
        case .bool(let isOn): [isOn ? "true" : "false"]
        case .stringArray(let texts): texts
        default: nil
        }
    }

    /// Checks the values of one option against the rules of `serve`. An error names the source of the value.
    private static func checked(
        _ option: ServeOption, _ values: [String], _ origin: ServeConfiguration.Setting.Origin
    ) throws -> ServeConfiguration.Setting {
        let setting = ServeConfiguration.Setting(option: option, values: values, origin: origin)
        do {
            _ = try Serve.parse(setting.arguments)
        } catch {
            let source =
                switch origin {
                case .file(let path): path.quoted + ": " + option.name.quoted
                case .environment: "the environment variable " + option.variable
                case .flag, .standard: "--" + option.name
                }
            var reason = Serve.message(for: error).split(separator: "\n").joined(separator: " ")
            if reason.hasSuffix(".") { reason.removeLast() }
            throw ExplainedFailure(
                "\(source): \(Redaction.hidingPasswords(reason))", fix: "Correct or remove the value",
                exitCode: .configuration)
        }
        return setting
    }
}

/// An option of `serve`, with the properties from its declaration.
struct ServeOption: Equatable {
    /// The name without hyphens, which is also the key in the file.
    let name: String
    let isFlag: Bool
    let isRepeating: Bool
    /// The title of its section in the help.
    var section = ""
    /// The default values; empty if the option has no default, or if the default depends on the machine.
    let standard: [String]

    /// The option that selects the file.
    static let config = ServeOption(name: "config", isFlag: false, isRepeating: false, standard: [])

    var variable: String { "MOTIVATOR_" + name.uppercased().replacing("-", with: "_") }

    var key: AbsoluteConfigKey { AbsoluteConfigKey(["motivator", name]) }

    var type: ConfigType { isFlag ? .bool : isRepeating ? .stringArray : .string }

    /// All options except `config`, in declaration order.
    static func all() throws -> [ServeOption] {
        struct Tool: Decodable {
            struct Command: Decodable { let arguments: [Argument] }
            struct Argument: Decodable {
                struct Name: Decodable { let name: String }
                let kind: String
                let preferredName: Name
                let isRepeating: Bool
                let sectionTitle: String?
                let defaultValue: String?
            }
            let command: Command
        }
        // The parser's description of the options is also the source of the manual pages.
        let description = try JSONDecoder().decode(Tool.self, from: Data(Serve._dumpHelp().utf8))
        let others = ["help", config.name]
        return description.command.arguments.filter { !others.contains($0.preferredName.name) }.map { argument in
            let isFlag = argument.kind == "flag"
            // The parser joins the default values of a repeatable option.
            let values = argument.defaultValue.map { argument.isRepeating ? $0.components(separatedBy: ", ") : [$0] }
            return ServeOption(
                name: argument.preferredName.name, isFlag: isFlag, isRepeating: argument.isRepeating,
                section: argument.sectionTitle ?? "", standard: isFlag ? ["false"] : values ?? [])
        }
    }
}

enum Redaction {
    /// Replaces passwords in URLs with asterisks, also passwords with an unencoded "@". PostgreSQL also accepts
    /// passwords as URL parameters, and decodes their names.
    static func hidingPasswords(_ text: String) -> String {
        text.replacing(/(?<start>:\/\/[^\/@:\s]*:)\S*@/) { "\($0.start)***@" }
            .replacing(/(?<start>[?&](?<name>[^=&\s]*)=)[^&\s]*/) { match in
                let isPassword = match.name.removingPercentEncoding?.hasSuffix("password") ?? true
                return isPassword ? "\(match.start)***" : String(match.0)
            }
    }
}

struct ShowConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show the value and origin of each option that serve would use.",
        usage: "motivator config <options>",
        discussion: """
            Example: motivator config --config motivator.json --port 9443

            The command accepts the options of serve. An option on the command line takes precedence over its \
            environment variable, such as MOTIVATOR_LOG_FILE for --log-file. A variable takes precedence over the \
            configuration file. The output hides passwords in URLs. With --json, the output is one JSON document.
            """)

    @OptionGroup(visibility: .hidden)
    var options: Serve

    func run() throws {
        let process = ConfigurationSource.ofProcess
        // Here, --json selects the output format of this command.
        let source = ConfigurationSource(
            arguments: process.arguments.filter { $0 != "--json" }, environment: process.environment)
        let configuration = try source.load()
        try Output.result(json: options.json, configuration.json, text: configuration.text)
    }
}

extension ServeConfiguration {
    /// One line for each option: name, values and origin.
    var text: String {
        settings.map { setting in
            let values = setting.shownValues.joined(separator: ", ").printable
            return [setting.option.name, values.isEmpty ? "-" : values, setting.shownOrigin.text]
        }.aligned(limit: 40)
    }

    var json: JSONNode {
        [
            "file": .optional(file),
            "settings": .list(
                settings.map { setting in
                    let values = setting.shownValues.map(JSONNode.text)
                    let value: JSONNode =
                        if setting.option.isFlag {
                            .truth(setting.isOn)
                        } else if setting.option.isRepeating {
                            .list(values)
                        } else {
                            values.first ?? .null
                        }
                    return ["name": .text(setting.option.name), "value": value, "origin": setting.shownOrigin.json]
                }),
        ]
    }
}

extension ServeConfiguration.Setting {
    fileprivate var shownValues: [String] { values.map(Redaction.hidingPasswords) }

    fileprivate var shownOrigin: (text: String, json: JSONNode) {
        switch origin {
        case .flag: ("--\(option.name)", ["kind": "flag"])
        case .environment: (option.variable, ["kind": "environment", "variable": .text(option.variable)])
        case .file(let path): (path.printable, ["kind": "file", "path": .text(path)])
        case .standard: ("default", ["kind": "default"])
        }
    }
}
