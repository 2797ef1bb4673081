import ArgumentParser
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
