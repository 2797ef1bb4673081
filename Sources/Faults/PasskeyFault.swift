import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

/// A host whose passkeys are broken on purpose. Each side of a ceremony has its expected error.
///
/// The host serves a page that creates a passkey, and the options for other clients.
struct PasskeyFault: Sendable {
    /// The path of the options, `{"publicKey": PublicKeyCredentialCreationOptionsJSON}`.
    static let optionsPath = "/passkey/options"

    let name: String
    let summary: String
    /// The name of the error in a page, such as `SecurityError`.
    let page: String
    /// The code of the ASAuthorizationError in an app on an iPhone.
    let app: String
    /// The code with its name.
    let appError: String
    /// The code of the demo's API for the response of the page, or nil without a response.
    let server: String?
    /// The codes that `association check --passkeys` reports for the RP ID.
    let issues: [String]
    let note: String?
    /// Whether the RP ID is another host, which has the fault.
    let hasOwnRP: Bool
    private let edit: @Sendable (inout Ceremony) throws -> Void

    /// The options and the files of a host, before the fault.
    struct Ceremony {
        let shop: Workshop
        var rpID: String
        var challenge: [UInt8]?
        var challengeSuffix = ""
        var userLength = 32
        var algorithms = [-7, -8, -257]
        var timeout = 300_000
        /// Whether the page repeats the ceremony and excludes its first passkey.
        var repeats = false
        var fields: HTTPFields = [:]
        var files: BrokenHost
    }

    /// - Parameters:
    ///   - errors: the results of the page, the app and the server, separated by spaces. `-` means no response.
    ///   - issues: the codes, separated by spaces.
    init(
        _ name: String, _ summary: String, _ errors: String, _ issues: String = "", note: String? = nil,
        hasOwnRP: Bool = false, _ edit: @escaping @Sendable (inout Ceremony) throws -> Void = { _ in }
    ) {
        let errors = errors.split(separator: " ").map(String.init)
        (self.name, self.summary, self.note, self.hasOwnRP) = (name, summary, note, hasOwnRP)
        (page, app, server) = (errors[0], errors[1], errors[2] == "-" ? nil : errors[2])
        appError = ["1004": "1004, failed", "1006": "1006, matchedExcludedCredential"][app] ?? app
        self.issues = issues.split(separator: " ").map(String.init)
        self.edit = edit
    }

    func host(on domain: String) -> String { "\(name).faults.\(domain)" }

    func rpHost(on domain: String) -> String { hasOwnRP ? "\(name)-rp.faults.\(domain)" : host(on: domain) }

    /// Creates the host with its page, and the host of the RP ID if it is another one.
    func build(_ workshop: Workshop, _ content: [UInt8]) throws -> [(host: String, site: BrokenHost)] {
        let files = try workshop.both { _ in }
        var ceremony = Ceremony(shop: workshop, rpID: rpHost(on: workshop.domain), files: files)
        try edit(&ceremony)
        var page = hasOwnRP ? files : ceremony.files
        page.replies["/"] = Self.page(content, ceremony.fields)
        var options = Self.options(ceremony)
        options.exception = { [ceremony] in Self.options(ceremony, excluding: $0.head.queryText) }
        page.replies[Self.optionsPath] = options
        let own = (host(on: workshop.domain), page)
        return hasOwnRP ? [own, (rpHost(on: workshop.domain), ceremony.files)] : [own]
    }

    private static func page(_ content: [UInt8], _ fields: HTTPFields) -> Reply {
        let script = SecurityFields.hash(of: Array(script.utf8))
        var reply = Reply(content, type: nil)
        reply.fields = SecurityFields.pages(script: script)
        reply.fields[.contentType] = "text/html; charset=utf-8"
        for field in fields { reply.fields[field.name] = field.value }
        return reply
    }

    /// The script of the page, for the policy.
    private static let script: String = {
        let text = String(decoding: PackageResources.passkey_fault_mustache, as: UTF8.self)
        return text.firstMatch(of: #/<script>(?<script>[^<]*)</script>/#).map { String($0.output.script) } ?? ""
    }()

    private static func options(_ ceremony: Ceremony, excluding query: String? = nil) -> Reply {
        let user = Base64.encode(RandomBytes.make(ceremony.userLength) ?? [], .urlSafe)
        let challenge = Base64.encode(ceremony.challenge ?? RandomBytes.make(32) ?? [], .urlSafe)
        let mark = "exclude="
        let excluded = query.flatMap { $0.hasPrefix(mark) ? String($0.dropFirst(mark.count)) : nil }
        let document: JSONNode = [
            "publicKey": [
                "rp": ["id": .text(ceremony.rpID), "name": "Faults"],
                "user": ["id": .text(user), "name": "ada", "displayName": "ada"],
                "challenge": .text(challenge + ceremony.challengeSuffix),
                "pubKeyCredParams": .list(ceremony.algorithms.map { ["type": "public-key", "alg": .number($0)] }),
                "timeout": .number(ceremony.timeout),
                "excludeCredentials": .list(
                    [excluded].compactMap { $0 }.map { ["type": "public-key", "id": .text($0)] }),
                "attestation": "none",
                "authenticatorSelection": [
                    "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
                ],
            ],
            "repeat": .truth(ceremony.repeats),
        ]
        return Reply(document.bytes(), type: "application/json")
    }

    private static let related = "/.well-known/webauthn"

    /// All faults, in the order of the documentation.
    static let all: [PasskeyFault] = association + origins + ceremonies

    private static let association = [
        PasskeyFault("passkey-app-missing", "the association lists other apps", "ok 1004 ok", "app-not-listed") {
            $0.files = try $0.shop.content($0.shop.file.listing([$0.shop.file.other]))
        },
        PasskeyFault("passkey-association-404", "the association is missing", "ok 1004 ok", "http-status-refused") {
            $0.files = $0.shop.paths { _ in Reply(status: 404) }
        },
        PasskeyFault(
            "passkey-association-503", "the association has status 503", "ok 1004 ok", "http-status-server-error"
        ) { $0.files = $0.shop.paths { _ in Reply(status: 503) } },
        PasskeyFault("passkey-service-misspelt", "webCredentials", "ok 1004 ok", "service-misspelt") {
            $0.files = try $0.shop.content($0.shop.file.text.replacing("webcredentials", with: "webCredentials"))
        },
        PasskeyFault(
            "passkey-endpoints-html", "/.well-known/passkey-endpoints is an HTML page", "ok ok ok",
            "passkey-endpoints-content-type"
        ) { $0.files.replies["/.well-known/passkey-endpoints"] = Reply([], type: "text/html") },
    ]

    private static let origins = [
        PasskeyFault("passkey-rp-id-other", "the RP ID is another host", "SecurityError 1004 -") {
            $0.rpID = "example.com"
        },
        PasskeyFault("passkey-rp-id-port", "the RP ID has a port", "SecurityError 1004 -") {
            $0.rpID = "\($0.shop.host):8443"
        },
        PasskeyFault(
            "passkey-related-missing", "the RP ID has no related origins", "SecurityError ok -", hasOwnRP: true),
        PasskeyFault(
            "passkey-related-html", "the related origins are an HTML page", "SecurityError ok -",
            "related-origins-content-type", hasOwnRP: true
        ) { $0.files.replies[related] = Reply([], type: "text/html") },
        PasskeyFault(
            "passkey-related-http", "the related origins redirect to http", "SecurityError ok -",
            "related-origins-redirect", hasOwnRP: true
        ) { $0.files.replies[related] = Reply(redirect: 302, to: "http://\($0.shop.host)\(related)") },
        PasskeyFault(
            "passkey-related-six-labels", "the page is the sixth of the related origins", "SecurityError ok -",
            "related-origins-labels", note: "a client must support five labels, and may support more", hasOwnRP: true
        ) { ceremony in
            let others = ["a", "b", "c", "d", "e"].map { "\"https://\($0)-passkeys.example\"" }
            let own = "\"https://\(ceremony.shop.host)\(ceremony.shop.port == 443 ? "" : ":\(ceremony.shop.port)")\""
            ceremony.files.replies[related] = Reply(
                json: "{\"origins\": [\((others + [own]).joined(separator: ", "))]}")
        },
        PasskeyFault(
            "passkey-policy", "the Permissions-Policy of the page forbids passkeys", "NotAllowedError ok -"
        ) { ceremony in
            guard let name = HTTPField.Name("Permissions-Policy") else { return }
            ceremony.fields[name] = "publickey-credentials-create=(), publickey-credentials-get=()"
        },
        PasskeyFault(
            "passkey-origin-without-port", "the server expects the origin without its port", "ok ok origin_mismatch",
            note: "an app has this origin"),
    ]

    private static let ceremonies = [
        PasskeyFault("passkey-one-challenge", "every client gets the same challenge", "ok ok challenge_used") {
            $0.challenge = [UInt8](repeating: 0x2A, count: 32)
        },
        PasskeyFault("passkey-challenge-padding", "the challenge has base64 padding", "EncodingError 1004 -") {
            $0.challengeSuffix = "="
        },
        PasskeyFault("passkey-user-id-65", "user.id has 65 bytes", "TypeError 1004 -") { $0.userLength = 65 },
        PasskeyFault("passkey-only-es384", "the only algorithm is ES384", "NotAllowedError 1004 -") {
            $0.algorithms = [-35]
        },
        PasskeyFault(
            "passkey-excluded", "the options exclude the existing passkey", "InvalidStateError 1006 -",
            note: "the page creates two passkeys; other clients pass ?exclude=ID"
        ) { $0.repeats = true },
        PasskeyFault(
            "passkey-timeout", "the timeout is 1 ms", "NotAllowedError ok -",
            note: "a client may use a longer time, and then has no error"
        ) { $0.timeout = 1 },
    ]
}
