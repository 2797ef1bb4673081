import AssociatedDomains
import Certificates
import TestSupport
import Testing

@Suite("Provisioning profiles")
struct ProvisioningProfileTests {
    private static func signed(_ text: String) throws -> [UInt8] {
        let identity = try Authority.temporary(permitted: ["example.com"]).issue(hosts: ["example.com"])
        return try CMS.sign(Array(text.utf8), identity: identity)
    }

    /// Creates a profile with a value for the key, or without the key.
    private static func profile(
        _ value: String?, app: String = "D3KQX62K1A.com.example.DemoApp", certificate: String = "AAAA"
    ) throws -> [UInt8] {
        let domains = value.map { "<key>\(Entitlements.key)</key>\($0)" } ?? ""
        return try signed(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>Name</key><string>Demo</string><key>Entitlements</key><dict>
            <key>application-identifier</key><string>\(app)</string>\(domains)</dict>
            <key>DeveloperCertificates</key><array><data>\(certificate)</data></array></dict></plist>
            """)
    }

    private static func read(_ bytes: [UInt8]) throws(BuiltAppError) -> Entitlements {
        try BuiltApp.entitlements(in: ArrayBytes(bytes: bytes))
    }

    @Test(
        "A profile permits domains, and may list entries",
        arguments: [
            ("every domain", "<string>*</string>", [], [.anyDomain]),
            ("every domain in an array", "<array><string>*</string></array>", [], [.anyDomain]),
            ("one entry", "<array><string>applinks:a.com</string></array>", ["applinks:a.com"], []),
            ("another string", "<string>applinks:a.com</string>", [], [.notAnArray]),
            ("no key", nil, [], [.notPermitted]),
        ] as [(String, String?, [String], [Entitlements.EntryIssue.Kind])])
    func permits(name: String, value: String?, entries: [String], kinds: [Entitlements.EntryIssue.Kind]) throws {
        let list = try Self.read(Self.profile(value))
        #expect(list.entries.map(\.text) == entries, "\(name)")
        #expect(list.issues.map(\.kind) == kinds, "\(name)")
        #expect(list.applicationIdentifier == "D3KQX62K1A.com.example.DemoApp")
        for issue in list.issues { #expect(!issue.problem.hasSuffix(".") && !issue.fix.hasSuffix(".")) }
    }

    @Test("That a profile permits every domain is a note, because the portal creates such profiles")
    func severity() throws {
        for (value, isNote) in [("<string>*</string>", true), (nil, false)] {
            let issue = try #require(try Self.read(Self.profile(value)).issues.first)
            #expect(issue.entry.diagnostic.effects.isNote == isNote)
        }
    }

    @Test("The identifier of a profile may end with a wildcard")
    func wildcard() throws {
        let list = try Self.read(Self.profile("<string>*</string>", app: "D3KQX62K1A.*"))
        #expect(list.issues.map(\.kind) == [.anyDomain])
    }

    @Test(
        "A signed message that is not a profile is rejected",
        arguments: [
            ("no list", "{}", "the file is JSON"), ("no dictionary", "<plist><array/></plist>", "an array"),
            ("no entitlements", "<plist><dict/></plist>", "it has no key \"Entitlements\""),
            (
                "entitlements of another kind", "<plist><dict><key>Entitlements</key><true/></dict></plist>",
                "not a dictionary"
            ),
        ])
    func rejected(name: String, content: String, reason: String) throws {
        let fault = try #require(throws: BuiltAppError.self) { try Self.read(Self.signed(content)) }
        guard case .profile(let found) = fault, found.contains(reason) else {
            Issue.record("\(name): \(fault)")
            return
        }
    }

    @Test("A truncated profile is rejected")
    func truncated() throws {
        let bytes = try Self.profile("<string>*</string>")
        for length in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: BuiltAppError.self) { try Self.read(Array(bytes.prefix(length))) }
        }
    }

    @Test("A file above the limit is rejected before it is read")
    func large() {
        let size = BuiltApp.maximumListSize + 1
        #expect(throws: BuiltAppError.list(.tooLarge(size: size))) {
            try BuiltApp.entitlements(in: Unreadable(size: size))
        }
    }

    /// A file that can be read only at its start.
    private struct Unreadable: ByteSource {
        let size: Int

        func read(at offset: Int, count: Int) throws(BuiltAppError) -> [UInt8] {
            guard count <= 4 else { throw .profile(reason: "the file was read") }
            return [0x30, 0x84, 0, 0]
        }
    }

    @Test("A profile may be larger than a list")
    func largerThanAList() throws {
        let certificate = String(repeating: "AAAA", count: 100_000)
        let list = try Self.read(
            Self.profile("<array><string>applinks:a.com</string></array>", certificate: certificate))
        #expect(list.entries.map(\.text) == ["applinks:a.com"])
    }

    @Test(
        "The profile in an app is compared with the signature",
        arguments: [
            ("every domain", "<string>*</string>", []), ("no key", nil, [.notPermitted]),
            ("one entry", "<array><string>applinks:a.com</string></array>", []),
        ] as [(String, String?, [Entitlements.EntryIssue.Kind])])
    func inApp(name: String, value: String?, kinds: [Entitlements.EntryIssue.Kind]) throws {
        let profile = ZipBuilder.Entry("Payload/Demo.app/embedded.mobileprovision", try Self.profile(value))
        let app = ZipBuilder.app(ExecutableBuilder(entries: "applinks:a.com").bytes, [profile])
        let list = try Self.read(app.bytes)
        #expect(list.entries.map(\.text) == ["applinks:a.com"])
        #expect(list.issues.map(\.kind) == kinds, "\(name)")
    }

    @Test("An unreadable profile in an app is one issue, and the signature still counts")
    func unreadable() throws {
        let profile = ZipBuilder.Entry("Payload/Demo.app/embedded.mobileprovision", "profile")
        let app = ZipBuilder.app(ExecutableBuilder(entries: "applinks:a.com").bytes, [profile])
        let list = try Self.read(app.bytes)
        #expect(list.entries.count == 1)
        #expect(list.issues.map(\.kind) == [.unreadableProfile])
    }

    @Test("Without entries, the profile in an app does not matter")
    func noEntry() throws {
        let profile = ZipBuilder.Entry("Payload/Demo.app/embedded.mobileprovision", try Self.profile(nil))
        let app = ZipBuilder.app(ExecutableBuilder(Array("<plist><dict/></plist>".utf8)).bytes, [profile])
        #expect(try Self.read(app.bytes).issues.map(\.kind) == [.missingKey])
    }
}
