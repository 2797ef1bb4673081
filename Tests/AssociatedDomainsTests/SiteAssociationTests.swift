import AssociatedDomains
import MotivatorPlatform
import Testing

@testable import SourceJSON

@Suite("Association files")
struct SiteAssociationTests {
    private func load(_ text: String) throws(SiteAssociation.Failure) -> SiteAssociation {
        try SiteAssociation(SiteAssociation.Candidate(Array(text.utf8)))
    }

    @Test("The file in Apple's reference is written with stable bytes and a line end")
    func made() throws {
        let apps = [
            try AppIdentifier("D3KQX62K1A.com.example.DemoApp"),
            try AppIdentifier("D3KQX62K1A.com.example.DemoAdminApp"),
        ]
        let association = try SiteAssociation(webcredentials: apps + apps)
        #expect(
            String(decoding: association.bytes, as: UTF8.self) == """
                {
                  "webcredentials": {
                    "apps": [
                      "D3KQX62K1A.com.example.DemoApp",
                      "D3KQX62K1A.com.example.DemoAdminApp"
                    ]
                  }
                }

                """)
        #expect(association.webcredentials?.map(\.identifier) == apps)
        #expect(association.applinks == nil && association.apps(for: .appclips) == nil)
        #expect(try SiteAssociation(webcredentials: []).webcredentials == [])
    }

    @Test("More apps than a file can hold are refused")
    func tooManyApps() throws {
        let apps = try (0..<4_000).map { try AppIdentifier("D3KQX62K1A.com.example.DemoApp\($0)") }
        #expect(throws: SiteAssociation.Failure.self) { try SiteAssociation(webcredentials: apps) }
    }

    @Test("All services are read, with the places of their apps, and the bytes are kept")
    func services() throws {
        let text = """
            {"webcredentials":{"apps":["D3KQX62K1A.a"]}, "appclips":{"apps":["D3KQX62K1A.a.Clip"]},
             "activitycontinuation":{"apps":["D3KQX62K1A.a","D3KQX62K1A.b"]},
             "messagefilter":{"apps":["D3KQX62K1A.a"]}, "classificationreport":{"apps":["D3KQX62K1A.b"]},
             "authsrv":{"apps":["D3KQX62K1A.c"]},
             "applinks":{"apps":[],"defaults":{"caseSensitive":false},"substitutionVariables":{"x":["y"]},"details":[
              {"appIDs":["D3KQX62K1A.a","D3KQX62K1A.b"],"components":[{"/":"/*"}]},
              {"appID":"D3KQX62K1A.c","paths":["*"]},
              {"appIDs":[],"appID":"D3KQX62K1A.d"},
              {"components":[]}]},
             "webCredentials":{}, "version": 1}\n
            """
        let association = try load(text)
        #expect(association.bytes == Array(text.utf8))
        #expect(association.webcredentials?.map(\.location.description) == ["line 1, column 28"])
        #expect(association.apps(for: .appclips)?.map(\.identifier.description) == ["D3KQX62K1A.a.Clip"])
        #expect(association.apps(for: .activitycontinuation)?.map(\.location.column) == [34, 49])
        for (service, bundle) in [(Service.messagefilter, "a"), (.classificationreport, "b"), (.authsrv, "c")] {
            #expect(association.apps(for: service)?.map(\.identifier.bundleIdentifier) == [bundle])
        }
        let links = try #require(association.applinks)
        #expect(links.form == .array)
        #expect(links.details.map { $0.apps.map(\.identifier.bundleIdentifier) } == [["a", "b"], ["c"], [], []])
        #expect(links.details.map(\.location.line) == [6, 7, 8, 9])
        #expect(links.details[0].object["components"]?.array?.count == 1)
        #expect(links.legacyApps == [] && links.defaults != nil && links.substitutionVariables != nil)
        #expect(association.apps(for: .applinks)?.count == 3)
        #expect(association.unknownMembers.map(\.key) == ["webCredentials", "version"])
    }

    @Test("The oldest form of details has application identifiers as keys (iOS 9 sample code)")
    func legacy() throws {
        let association = try load("{\"applinks\":{\"apps\":[],\"details\":{\"D3KQX62K1A.a\":{\"paths\":[\"*\"]}}}}")
        #expect(association.applinks?.form == .dictionary)
        #expect(association.applinks?.details.first?.apps.first?.location.column == 35)
    }

    @Test(
        "Content that a device ignores is accepted",
        arguments: [
            "{}", "{\"applinks\":{}}", "{\"webcredentials\":{},\"appclips\":{}}", "{\"webcredentials\":{\"apps\":[]}}",
            "{\"applinks\":{\"details\":[]}}", "{\"applinks\":{\"details\":{}}}", "{\"applinks\":{\"details\":[{}]}}",
            "{\"applinks\":{\"details\":[{\"appid\":\"x\"}]}}", "{\"other\":{\"apps\":\"x\"}}", "{\"other\":1}",
            "{\"webcredentials\":{\"apps\":[\"D3KQX62K1A.a\",\"D3KQX62K1A.a\"],\"more\":null}}",
            "{\"applinks\":{\"details\":[{\"appID\":\"D3KQX62K1A.a\",\"paths\":7,\"components\":\"x\"}]}}",
            "{\"applinks\":{\"apps\":[\"D3KQX62K1A.a\"]}}",
        ])
    func letThrough(text: String) throws {
        #expect(throws: Never.self) { try load(text) }
    }

    struct Refusal: CustomTestStringConvertible {
        let text: String
        let location: String
        let problem: String
        var testDescription: String { "\(text) is refused: \(problem)" }

        init(_ text: String, _ place: String, _ problem: String) {
            (self.text, self.location, self.problem) = (text, place, problem)
        }
    }

    @Test("Malformed content is refused with its location and path", arguments: refusals)
    func refused(_ refusal: Refusal) throws {
        let fault = try #require(throws: SiteAssociation.Failure.self) { try load(refusal.text) }
        #expect(fault.location?.description == refusal.location)
        #expect(fault.problem == "\(refusal.location): \(refusal.problem)")
        #expect(!fault.fix.isEmpty && fault.exitCode == .badInput)
    }

    private static let refusals: [Refusal] = [
        Refusal("[]", "line 1, column 1", "the association file is an array, not an object"),
        Refusal("\n \"x\"", "line 2, column 2", "the association file is a string, not an object"),
        Refusal("{\"applinks\":[]}", "line 1, column 13", "applinks is an array, not an object"),
        Refusal("{\"webcredentials\":null}", "line 1, column 19", "webcredentials is null, not an object"),
        Refusal(
            "{\"webcredentials\":{\"apps\":\"D3KQX62K1A.a\"}}", "line 1, column 27",
            "webcredentials.apps is a string, not an array of application identifiers"),
        Refusal(
            "{\"appclips\":{\"apps\":[\"D3KQX62K1A.a\",\n7]}}", "line 2, column 1",
            "appclips.apps[1] is a number, not a string with an application identifier"),
        Refusal(
            "{\"activitycontinuation\":{\"apps\":[\"D3KQX62K1A.*\"]}}", "line 1, column 34",
            "the application identifier \"D3KQX62K1A.*\" has a wildcard, which associated domains do not support "
                + "(in activitycontinuation.apps[0])"),
        Refusal(
            "{\"applinks\":{\"apps\":[\"x\"]}}", "line 1, column 22",
            "the application identifier \"x\" has no dot between prefix and bundle identifier (in applinks.apps[0])"),
        Refusal(
            "{\"applinks\":{\"details\":\"x\"}}", "line 1, column 24",
            "applinks.details is a string, not an array of objects"),
        Refusal(
            "{\"applinks\":{\"details\":[{},3]}}", "line 1, column 28", "applinks.details[1] is a number, not an object"
        ),
        Refusal(
            "{\"applinks\":{\"details\":[{\"appIDs\":\"D3KQX62K1A.a\"}]}}", "line 1, column 35",
            "applinks.details[0].appIDs is a string, not an array of application identifiers"),
        Refusal(
            "{\"applinks\":{\"details\":[{\"appIDs\":[],\"appID\":\"A.a\"}]}}", "line 1, column 46",
            "the application identifier \"A.a\" has 1 character before its first dot, not 10 "
                + "(in applinks.details[0].appID)"),
        Refusal(
            "{\"applinks\":{\"details\":[{\"appID\":[]}]}}", "line 1, column 34",
            "applinks.details[0].appID is an array, not a string with an application identifier"),
        Refusal(
            "{\"applinks\":{\"details\":{\"a b\":{}}}}", "line 1, column 25",
            "the application identifier \"a b\" has no dot between prefix and bundle identifier (in applinks.details)"),
        Refusal(
            "{\"applinks\":{\"details\":{\"D3KQX62K1A.a\":[]}}}", "line 1, column 40",
            "applinks.details[\"D3KQX62K1A.a\"] is an array, not an object"),
        Refusal(
            "{\"x\":{\"y\":1,\n\"y\":2}}", "line 2, column 1",
            "the key \"y\" occurs again, after line 1, column 7"),
        Refusal(
            "{\"webcredentials\":{},\n\"webcredentials\":{}}", "line 2, column 1",
            "the key \"webcredentials\" occurs again, after line 1, column 2"),
        Refusal("{\"webcredentials\":{},}", "line 1, column 21", "a comma follows the last value of the object"),
        Refusal(
            "{\"applinks\":{\"apps\":[\"a\"]},\"webcredentials\":{\"apps\":[\"b\"]}}", "line 1, column 22",
            "the application identifier \"a\" has no dot between prefix and bundle identifier (in applinks.apps[0])"),
    ]

    @Test("131,072 bytes are loaded and 131,073 are not (App Search Programming Guide; devices)")
    func size() throws {
        let text = "{\"webcredentials\":{\"apps\":[\"D3KQX62K1A.a\"]}}"
        let full = text + String(repeating: " ", count: 131_072 - text.utf8.count)
        #expect(try load(full).bytes.count == 131_072)
        #expect(throws: SiteAssociation.Failure.tooLarge(size: 131_073)) { try load(full + " ") }
        #expect(SiteAssociation.Failure.tooLarge(size: 131_073).location == nil)
    }

    @Test(
        "A signed file is named as such, not as broken JSON",
        arguments: [
            ([0x30, 0x82, 0x0C, 0x50, 0x06], SiteAssociation.Envelope.cms), ([0x30, 0x80, 0x06], .cms),
            (Array("-----BEGIN PKCS7-----\n".utf8), .pem), (Array("MIME-Version: 1.0\n".utf8), .smime),
        ])
    func enveloped(bytes: [UInt8], envelope: SiteAssociation.Envelope) {
        let candidate = SiteAssociation.Candidate(bytes)
        #expect(candidate.envelope == envelope)
        #expect(throws: SiteAssociation.Failure.enveloped(envelope)) { try SiteAssociation(candidate) }
    }

    @Test("A JSON text is never taken for a signed one", arguments: ["0", "0 ", "", "{}", "-1", "-----"])
    func plain(text: String) {
        #expect(SiteAssociation.Candidate(Array(text.utf8)).envelope == nil)
    }

    @Test("A file that is not there is an error of the file, not of its content")
    func missing() {
        #expect(throws: FileError.notFound(path: "/nowhere/apple-app-site-association")) {
            try SiteAssociation.Candidate(path: "/nowhere/apple-app-site-association")
        }
    }
}
