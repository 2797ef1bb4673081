import HTTPSClient
import MotivatorPlatform
import SourceJSON
import Testing

@testable import SharedWebCredentials

@Suite("The errors of passkey ceremonies, as an app and a page get them") struct PasskeyErrorTests {
    private static let prefix = "The operation couldn’t be completed. "
    private static let canceled = prefix + "(com.apple.AuthenticationServices.AuthorizationError error 1001.)"

    struct Row: Sendable, CustomTestStringConvertible {
        let error: PasskeyError
        /// Apple's code and name, and the name for a page.
        let code: Int32
        let app: String
        let web: String
        /// The description that an app shows.
        let described: String
        /// The reason with its full stop, and the fix.
        let sentences: String

        var testDescription: String { "\(app) \(web)" }
    }

    static let rows: [Row] = [
        Row(
            error: .canceled("Try again"), code: 1001, app: "canceled", web: "NotAllowedError", described: canceled,
            sentences: canceled + " Try again."),
        Row(
            error: .excluded, code: 1006, app: "matchedExcludedCredential", web: "InvalidStateError",
            described: prefix + "The device already has a passkey for this account",
            sentences: "The device already has a passkey for this account. Sign in with the existing passkey, or "
                + "delete it from the device."),
        Row(
            error: .security("The site denies it", "Check the site"), code: 1004, app: "failed", web: "SecurityError",
            described: prefix + "The site denies it", sentences: "The site denies it. Check the site."),
        Row(
            error: .security("Please try again.", "Wait"), code: 1004, app: "failed", web: "SecurityError",
            described: prefix + "Please try again.", sentences: "Please try again. Wait."),
        Row(
            error: .failed("It is off", "Turn it on"), code: 1004, app: "failed", web: "NotAllowedError",
            described: prefix + "It is off", sentences: "It is off. Turn it on."),
        Row(
            error: .malformed("It is no JSON"), code: 1004, app: "failed", web: "TypeError",
            described: prefix + "It is no JSON",
            sentences: "It is no JSON. Correct the options, which are the publicKey document of the server."),
        Row(
            error: .malformed("It has padding", encoding: true), code: 1004, app: "failed", web: "EncodingError",
            described: prefix + "It has padding",
            sentences: "It has padding. Correct the options, which are the publicKey document of the server."),
    ]

    @Test("An app gets Apple's code and description, and a page gets the name of the DOM error", arguments: rows)
    func callers(_ row: Row) async throws {
        let app = PasskeyCaller.app(try await Bench().app)
        let page = PasskeyCaller.page(try WebURL("https://\(Bench.host)/"))
        #expect(row.error.line(for: app) == "ASAuthorizationError \(row.code) \(row.app): \(row.sentences)")
        #expect(row.error.line(for: page) == "\(row.web): \(row.sentences)")
        let own = try #require(try JSONDocument(row.error.json(for: app).bytes()).root.object)
        #expect(
            own.members.map(\.key) == ["domain", "code", "name", "reason", "localized_description", "fix"])
        #expect(own["name"]?.string == "ASAuthorizationError.\(row.app)")
        #expect(own["reason"]?.string == row.error.reason && own["localized_description"]?.string == row.described)
        let web = try #require(try JSONDocument(row.error.json(for: page).bytes()).root.object)
        #expect(web.members.map(\.key) == ["name", "reason", "fix"])
        #expect(web["name"]?.string == row.web && web["fix"]?.string == row.error.fix)
    }

    @Test(
        "A page of another host gets the reason why it may not use the RP ID",
        arguments: [
            (nil, "The response has status 404"), ([], "https://evil.example may not use the RP ID \(Bench.host)"),
            (["https://shop.example"], "https://evil.example may not use the RP ID \(Bench.host)"),
        ] as [([String]?, String)])
    func otherHost(_ origins: [String]?, _ reason: String) async throws {
        let bench = try await Bench(answer: .yes)
        if let origins { bench.network.setRelatedOrigins(try origins.map { try WebURL($0) }, of: Bench.host) }
        let request = try PasskeyRequest(PasskeyTests.request(), for: .signIn)
        let error = await #expect(throws: PasskeyError.self) {
            _ = try await bench.device.usePasskey(request, for: .page(try WebURL("https://evil.example/account")))
        }
        #expect(error?.reason == reason && error?.webName == "SecurityError")
        #expect(
            error?.fix == "Run: motivator association check \(Bench.host) --passkeys --origin https://evil.example")
        #expect(bench.prompter.asked.isEmpty)
    }
}
