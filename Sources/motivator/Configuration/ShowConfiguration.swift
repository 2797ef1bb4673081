import ArgumentParser
import Foundation
import MotivatorPlatform

struct ShowConfiguration: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the value and origin of each option that serve would use.",
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
        if options.json {
            try Output.result(configuration.json.bytes())
        } else {
            try Output.result(configuration.text)
        }
    }
}

extension ServeConfiguration.Setting {
    var shownValues: [String] { values.map(Redaction.hidingPasswords) }
}

extension ServeConfiguration {
    /// One line for each option: name, values and origin.
    var text: String {
        let rows = settings.map { setting in
            let origin =
                switch setting.origin {
                case .flag: "--\(setting.option.name)"
                case .environment(let variable): variable
                case .file(let path): path.printable
                case .standard: "default"
                }
            let values = setting.shownValues.joined(separator: ", ").printable
            return (setting.option.name, values.isEmpty ? "-" : values, origin)
        }
        let names = rows.map(\.0.count).max() ?? 0
        let values = min(rows.map(\.1.count).max() ?? 0, 40)
        return rows.map { name, value, origin in
            name.padding(toLength: names, withPad: " ", startingAt: 0) + "  "
                + (value.count < values ? value.padding(toLength: values, withPad: " ", startingAt: 0) : value) + "  "
                + origin
        }.joined(separator: "\n")
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
                    return ["name": .text(setting.option.name), "value": value, "origin": setting.originJSON]
                }),
        ]
    }
}

extension ServeConfiguration.Setting {
    fileprivate var originJSON: JSONNode {
        switch origin {
        case .flag: ["kind": "flag"]
        case .environment(let variable): ["kind": "environment", "variable": .text(variable)]
        case .file(let path): ["kind": "file", "path": .text(path)]
        case .standard: ["kind": "default"]
        }
    }
}
