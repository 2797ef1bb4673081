import AssociatedDomains
import SourceJSON
import Testing

@testable import AssociationChecker

@Suite("Association files")
struct SiteAssociationTests {
    private func load(_ text: String) -> AssociationFile { AssociationFile(Array(text.utf8), name: "file", at: 0) }

    @Test("The file in Apple's reference is written with stable bytes and a line end")
    func made() throws {
        let apps = [
            try AppIdentifier("D3KQX62K1A.com.example.DemoApp"),
            try AppIdentifier("D3KQX62K1A.com.example.DemoAdminApp"),
        ]
        let bytes = AssociationFile.json(webcredentials: apps + apps)
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                {
                  "webcredentials": {
                    "apps": [
                      "D3KQX62K1A.com.example.DemoApp",
                      "D3KQX62K1A.com.example.DemoAdminApp"
                    ]
                  }
                }

                """)
        let file = AssociationFile(bytes, name: "file", at: 0)
        #expect(file.services == [.webcredentials] && file.links == nil && file.verdict(.device) == .associated)
        #expect(apps.allSatisfy { file.lists($0, for: .webcredentials) && !file.lists($0, for: .appclips) })
    }

    @Test("A device denies a file with more apps than it reads")
    func tooManyApps() throws {
        let apps = try (0..<4_000).map { try AppIdentifier("D3KQX62K1A.com.example.DemoApp\($0)") }
        let file = AssociationFile(AssociationFile.json(webcredentials: apps), name: "file", at: 0)
        #expect(file.denial?.code == "file-too-large")
        #expect(AssociationFile(AssociationFile.json(webcredentials: []), name: "", at: 0).denial?.code == "app-none")
    }

    @Test("All services are read, with the places of their apps, and the bytes are kept")
    func services() throws {
        let text = """
            {"webcredentials":{"apps":["D3KQX62K1A.a"]}, "appclips":{"apps":["D3KQX62K1A.a.Clip"]},
             "activitycontinuation":{"apps":["D3KQX62K1A.a","D3KQX62K1A.b"]},
             "messagefilter":{"apps":["D3KQX62K1A.a"]}, "classificationreport":{"apps":["D3KQX62K1A.b"]},
             "authsrv":{"apps":["D3KQX62K1A.c"]},
             "applinks":{"apps":[],"defaults":{"caseSensitive":false},"details":[
              {"appIDs":["D3KQX62K1A.a","D3KQX62K1A.b"],"components":[{"/":"/*"}]},
              {"appID":"D3KQX62K1A.c","paths":["*"]},
              {"appIDs":[],"appID":"D3KQX62K1A.d"},
              {"components":[]}]},
             "webCredentials":{}, "version": 1}\n
            """
        let file = load(text)
        #expect(file.bytes == Array(text.utf8) && file.content == file.bytes && file.text == file.bytes)
        #expect(file.apps[.webcredentials]?.map(\.location.description) == ["line 1, column 28"])
        #expect(file.apps[.appclips]?.map(\.text) == ["D3KQX62K1A.a.Clip"])
        #expect(file.apps[.activitycontinuation]?.map(\.location.column) == [34, 49])
        for (service, bundle) in [(Service.messagefilter, "a"), (.classificationreport, "b"), (.authsrv, "c")] {
            #expect(file.apps[service]?.map(\.text) == ["D3KQX62K1A.\(bundle)"])
        }
        #expect(file.apps[.applinks]?.map(\.text) == ["D3KQX62K1A.a", "D3KQX62K1A.b", "D3KQX62K1A.c"])
        #expect(file.links != nil && file.mediaType == "application/json" && !file.claimsSignature)
    }

    @Test("The oldest form of details has application identifiers as keys (iOS 9 sample code)")
    func legacy() throws {
        let file = load("{\"applinks\":{\"apps\":[],\"details\":{\"D3KQX62K1A.a\":{\"paths\":[\"*\"]}}}}")
        #expect(file.apps[.applinks]?.first?.location.column == 35)
    }

    @Test("131,072 bytes are loaded and 131,073 are not (App Search Programming Guide; devices)")
    func size() throws {
        let text = "{\"webcredentials\":{\"apps\":[\"D3KQX62K1A.a\"]}}"
        let full = text + String(repeating: " ", count: 131_072 - text.utf8.count)
        #expect(load(full).verdict(.device) == .associated && load(full).apps.count == 1)
        #expect(load(full + " ").denial?.code == "file-too-large" && load(full + " ").apps.isEmpty)
    }

    @Test(
        "A signed file is named as such, not as broken JSON",
        arguments: [
            ([0x30, 0x82, 0x0C, 0x50, 0x06], Envelope.cms), ([0x30, 0x80, 0x06], .cms),
            (Array("-----BEGIN PKCS7-----\n".utf8), .pem), (Array("MIME-Version: 1.0\n".utf8), .smime),
        ])
    func enveloped(bytes: [UInt8], envelope: Envelope) {
        #expect(Envelope(bytes) == envelope)
        let file = AssociationFile(bytes, name: "file", at: 0)
        #expect(file.claimsSignature && file.mediaType == "application/pkcs7-mime")
        #expect(!file.report.issues.contains { $0.code.hasPrefix("json-") })
    }

    @Test(
        "The fix for PEM converts a signature, and replaces a certificate or a key",
        arguments: [("CMS", true), ("PKCS7", true), ("CERTIFICATE", false), ("PRIVATE KEY", false)])
    func pem(label: String, isSigned: Bool) throws {
        let text = "-----BEGIN \(label)-----\nMIIB\n-----END \(label)-----\n"
        let issue = try #require(load(text).report.issues.first { $0.code == "file-pem" })
        #expect(issue.fix.contains("openssl cms -cmsout -inform PEM ") == isSigned)
    }

    @Test("A JSON text is never taken for a signed one", arguments: ["0", "0 ", "", "{}", "-1", "-----"])
    func plain(text: String) {
        #expect(Envelope(Array(text.utf8)) == nil)
    }
}
