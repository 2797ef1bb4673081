import AssociatedDomains
import Configuration
import MotivatorPlatform
import SourceJSON

/// The configuration file: a JSON object whose keys are the names of options.
enum ConfigurationFile {
    /// The maximum size in bytes. A file with every option needs about 3,000.
    private static let limit = 1 << 20

    /// The name of the file that `serve` reads from the current folder if `--config` is missing.
    static let defaultName = "motivator.json"

    /// Reads the values of the options in a file that the user named.
    static func values(in path: String, _ options: [ServeOption]) throws -> [AbsoluteConfigKey: ConfigValue] {
        try values(File.read(path, limit: limit), in: path, options)
    }

    /// Reads the values of the options in the current folder's file, which other users must not control.
    static func valuesInCurrentFolder(_ options: [ServeOption]) throws -> [AbsoluteConfigKey: ConfigValue]? {
        let file: FileDescriptor
        do throws(FileError) {
            file = try File.openRegular(defaultName)
        } catch .notFound {
            return nil
        }
        let status = try file.status(path: defaultName)
        try checkAccess(owner: status.st_uid, mode: status.st_mode & 0o777, user: geteuid())
        return try values(File.read(file, path: defaultName, limit: limit), in: defaultName, options)
    }

    /// - Throws: an error if the current folder's file must not be used.
    static func checkAccess(owner: uid_t, mode: mode_t, user: uid_t) throws(ExplainedFailure) {
        // The superuser can change every file in any case.
        try require(
            owner == user || owner == 0,
            "\(defaultName.quoted) in the current folder belongs to another user (ID \(owner))",
            fix: "If you trust this file, pass --config \(defaultName). Otherwise, use another folder",
            exitCode: .configuration)
        try require(
            mode & 0o022 == 0,
            "other users can change \(defaultName.quoted) in the current folder "
                + "(mode 0\(String(mode, radix: 8)))",
            fix: "Check its content, then run: chmod go-w \(defaultName)", exitCode: .configuration)
    }

    private static func values(
        _ bytes: [UInt8], in path: String, _ options: [ServeOption]
    ) throws -> [AbsoluteConfigKey: ConfigValue] {
        do {
            return try values(in: JSONDocument(bytes), options)
        } catch JSONError.empty {
            throw ExplainedFailure(
                "\(path.quoted): the file is empty", fix: "Write an object, such as {}", exitCode: .configuration)
        } catch let error as any ExplainedError {
            throw ExplainedFailure("\(path.quoted): \(error.problem)", fix: error.fix, exitCode: .configuration)
        }
    }

    private static func values(
        in document: JSONDocument, _ options: [ServeOption]
    ) throws(ExplainedFailure) -> [AbsoluteConfigKey: ConfigValue] {
        let object = try require(
            document.root.object, "the file is \(document.root.kind.rawValue), not an object",
            fix: "Write an object, such as {\"port\": 8443}")
        if let twice = document.duplicateKeys.first {
            throw ExplainedFailure(
                "\(twice.second): the key \(twice.key.quoted) occurs twice", fix: "Remove one of the keys")
        }
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for member in object.members {
            guard let option = options.first(where: { $0.name == member.key }) else {
                let near = member.key.nearest(of: options.map(\.name), within: 2)
                throw ExplainedFailure(
                    "\(member.keyLocation): unknown key \(member.key.quoted)",
                    fix: near.map { "Use \($0.quoted) instead" }
                        ?? "Use the name of a serve option without its leading hyphens. "
                        + "List the options with: motivator serve --help")
            }
            values[option.key] = ConfigValue(try content(member, option), isSecret: false)
        }
        return values
    }

    private static func content(
        _ member: JSONObject.Member, _ option: ServeOption
    ) throws(ExplainedFailure) -> ConfigContent {
        let expected: String
        if option.isFlag {
            if let isOn = member.value.boolean { return .bool(isOn) }
            expected = "true or false"
        } else if option.isRepeating {
            if let texts = (member.value.array ?? [member.value]).map(\.string) as? [String] {
                return .stringArray(texts)
            }
            expected = "an array of strings"
        } else {
            switch member.value.content {
            case .string(let text), .number(let text): return .string(text)
            // Earlier versions had a flag with this name.
            case .boolean(let isOn) where option.name == "allow-fetch": return .string("\(isOn)")
            case .object, .array, .boolean, .null: expected = "a string or a number"
            }
        }
        throw ExplainedFailure(
            "\(member.value.location): the value of \(member.key.quoted) is \(member.value.kind.rawValue)",
            fix: "Use \(expected)")
    }
}
