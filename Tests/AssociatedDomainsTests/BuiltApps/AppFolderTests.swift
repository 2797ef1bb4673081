import AssociatedDomains
import MotivatorPlatform
import TestSupport
import Testing

@Suite("Entitlements of an app in a folder, or of its file")
struct AppFolderTests {
    private static let executable = ExecutableBuilder(entries: "webcredentials:example.com").bytes

    private let scratch: TemporaryDirectory

    init() throws { scratch = try TemporaryDirectory() }

    /// Writes an app into a folder.
    /// - Parameters:
    ///   - list: The path of its Info.plist.
    ///   - executable: The path of its executable.
    private func write(_ list: String, _ executable: String, in folder: String = "Demo.app") throws {
        try scratch.write(ZipBuilder.information("Demo"), to: "\(folder)/\(list)")
        try scratch.write(Self.executable, to: "\(folder)/\(executable)")
    }

    @Test(
        "An app for iOS and one for macOS are read",
        arguments: [("Info.plist", "Demo"), ("Contents/Info.plist", "Contents/MacOS/Demo")])
    func layouts(_ list: String, _ executable: String) throws {
        try write(list, executable)
        let found = try BuiltApp.entitlements(at: scratch.file("Demo.app"))
        #expect(found.entries.map(\.text) == ["webcredentials:example.com"] && found.issues.isEmpty)
    }

    @Test(
        "The profile of an app is found at the path of its platform",
        arguments: [
            ("Info.plist", "Demo", "embedded.mobileprovision", true),
            ("Info.plist", "Demo", "embedded.provisionprofile", false),
            ("Contents/Info.plist", "Contents/MacOS/Demo", "Contents/embedded.provisionprofile", true),
            ("Contents/Info.plist", "Contents/MacOS/Demo", "embedded.mobileprovision", false),
        ])
    func profile(_ list: String, _ executable: String, _ profile: String, _ isFound: Bool) throws {
        try write(list, executable)
        try scratch.write("not a profile", to: "Demo.app/\(profile)")
        let found = try BuiltApp.entitlements(at: scratch.file("Demo.app"))
        #expect(found.issues.map(\.kind) == (isFound ? [.unreadableProfile] : []))
    }

    @Test("An executable elsewhere is not that of the app")
    func elsewhere() throws {
        try write("Contents/Info.plist", "Demo")
        #expect(throws: BuiltAppError.missingFile(name: "Contents/MacOS/Demo")) {
            try BuiltApp.entitlements(at: scratch.file("Demo.app"))
        }
    }

    @Test(
        "A folder without an app has its own error, and that of an Xcode archive names its app",
        arguments: ["Demo", "Demo.xcarchive"])
    func noApp(_ name: String) throws {
        try write("Products/Info.plist", "Products/Demo", in: name)
        let path = scratch.file(name)
        #expect(throws: BuiltAppError.noApp(folder: path)) { try BuiltApp.entitlements(at: path) }
        let fix = BuiltAppError.noApp(folder: path).fix
        #expect(fix.contains("Products/Applications/NAME.app") == name.hasSuffix(".xcarchive"))
        #expect(BuiltAppError.noApp(folder: path).exitCode == .noInput)
    }

    @Test("An Xcode archive is not an app, even with the Info.plist of an app")
    func archive() throws {
        try write("Info.plist", "Demo", in: "Demo.xcarchive")
        for path in [scratch.file("Demo.xcarchive"), scratch.file("Demo.xcarchive/")] {
            #expect(throws: BuiltAppError.noApp(folder: path)) { try BuiltApp.entitlements(at: path) }
        }
    }

    @Test("An executable, an IPA file and a property list are recognized by their content, not by their names")
    func files() throws {
        let archive = ZipBuilder.app(Self.executable).bytes
        for (name, bytes) in [
            ("executable", Self.executable), ("archive", archive),
            ("list", ExecutableBuilder.list(["webcredentials:example.com"])),
        ] {
            let list = try BuiltApp.entitlements(at: scratch.write(bytes, to: name))
            #expect(list.entries.map(\.text) == ["webcredentials:example.com"], "\(name)")
            #expect(list.entries.allSatisfy { ($0.location == nil) == (name != "list") }, "\(name)")
        }
        let missing = scratch.file("missing")
        #expect(throws: BuiltAppError.file(.notFound(path: missing))) { try BuiltApp.entitlements(at: missing) }
    }
}
