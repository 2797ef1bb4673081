import ArgumentParser
import MotivatorPlatform
import Testing

@testable import motivator

@Suite("The program as a whole") struct ProgramTests {
    @Test(
        "An unknown command after help is a usage error",
        arguments: [["nonsense"], ["device", "nonsense"], ["device", "app", "nonsense"], ["serve", "nonsense"]])
    func unknownHelp(_ words: [String]) {
        do {
            try Motivator.checkCommand(["help"] + words)
            Issue.record("\(words) is accepted")
        } catch {
            #expect(error.problem == "unknown command \"nonsense\"")
            #expect(error.exitCode.rawValue == 64)
        }
    }

    @Test(
        "Help accepts every command",
        arguments: [[], ["serve"], ["device"], ["device", "app", "log-in"], ["certificate", "issue"]])
    func knownHelp(_ words: [String]) throws {
        try Motivator.checkCommand(["help"] + words)
    }

    @Test(
        "An unknown command is a usage error that suggests commands with the same last word",
        arguments: [
            ("nonsense", "List the commands with: motivator help"), ("match", "Use motivator association match"),
            ("check", "Use motivator association check or motivator database check"),
        ])
    func unknownCommand(_ word: String, _ fix: String) {
        let error = #expect(throws: ExplainedFailure.self) { try Motivator.checkCommand([word, "file.json"]) }
        #expect(error?.problem == "unknown command \"\(word)\"")
        #expect(error?.fix == fix)
    }

    @Test(
        "Known commands and options are left to the argument parser",
        arguments: [[], ["serve"], ["serve", "nonsense"], ["--help"], ["-h"], ["device", "check"]])
    func knownCommand(_ words: [String]) throws {
        try Motivator.checkCommand(words)
    }

    @Test("The version names the program, Swift and OpenSSL, each on its line")
    func version() {
        let lines = Version.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("motivator \(Version.number)") == true)
        #expect(lines.dropFirst().first?.hasPrefix("Swift 6.") == true)
        #expect(lines.last?.hasPrefix("OpenSSL 3.") == true)
    }

    static let folders: [([String: String], String)] = [
        (["XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/motivator"), ([:], "/var/lib/motivator"),
        (["XDG_DATA_HOME": "", "HOME": ""], "/var/lib/motivator"), (["HOME": "/"], "/var/lib/motivator"),
    ]

    @Test("The data folder follows the environment", arguments: folders)
    func dataFolder(_ variables: [String: String], _ folder: String) {
        #expect(DataFolder.folder { variables[$0] } == folder)
    }

    #if os(Linux)
    @Test("Without XDG_DATA_HOME, or with a relative one, the data folder is below the home folder")
    func home() {
        #expect(DataFolder.folder { ["HOME": "/h"][$0] } == "/h/.local/share/motivator")
        #expect(DataFolder.folder { ["HOME": "/h", "XDG_DATA_HOME": "x"][$0] } == "/h/.local/share/motivator")
    }
    #endif
}
