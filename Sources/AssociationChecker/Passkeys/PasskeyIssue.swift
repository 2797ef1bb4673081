import AssociationDiagnostics
import MotivatorPlatform
import SourceJSON

/// An issue with the use of passkeys of a relying party: its RP ID, its related origins, its page for passkeys, or the
/// apps that may use the passkeys.
enum PasskeyIssue: CatalogIssue {
    /// No entry names the RP ID. `nearest` is the entry that the author may have meant.
    case notCovered(rpID: String, nearest: String?)
    case wildcard(rpID: String, entry: String)
    case malformed(problem: String, fix: String)
    /// `listed` are the origins of the file, or nil if it has none.
    case originNotRelated(String, rpID: String, listed: [String]?)
    case status(File, Int)
    case contentType(File, found: String)
    case notAnObject(File, found: String)
    case relatedOriginsMissing(found: String)
    case relatedRedirect(to: String)
    case relatedItem(String, reason: String)
    case relatedLabels(count: Int)
    case endpointsURL(key: String, found: String, isString: Bool)
    case noAndroidPasskeys(package: String, missing: [String])

    /// A well-known file of an RP ID. Its raw value begins the codes of its issues.
    enum File: String {
        case relatedOrigins = "related-origins"
        case endpoints = "passkey-endpoints"
    }

    static let examples: [PasskeyIssue] = [
        .notCovered(rpID: "example.com", nearest: nil), .wildcard(rpID: "example.com", entry: "a"),
        .malformed(problem: "a", fix: "a"), .originNotRelated("a", rpID: "example.com", listed: nil),
        .status(.relatedOrigins, 404), .contentType(.relatedOrigins, found: "a"),
        .notAnObject(.relatedOrigins, found: "a"), .relatedOriginsMissing(found: "a"), .relatedRedirect(to: "a"),
        .relatedItem("a", reason: "a"), .relatedLabels(count: 6), .status(.endpoints, 404),
        .contentType(.endpoints, found: "a"), .notAnObject(.endpoints, found: "a"),
        .endpointsURL(key: "enroll", found: "a", isString: true), .noAndroidPasskeys(package: "a", missing: []),
    ]

    /// The maximum number of registrable labels that every client supports (Web Authentication Level 3, 5.11).
    static let maximumLabels = 5
    private static let origins = #"{"origins":["https://example.org"]}"#
    private static let endpoints = #"{"enroll":"https://example.com/passkeys"}"#

    var entry: CatalogEntry {
        switch self {
        case .notCovered(let rpID, let nearest):
            row(
                "passkey-rp-id-not-covered", "The app has an entry for exactly the RP ID.",
                "The system lets an app use passkeys only if its entitlement has webcredentials:RPID.",
                "webcredentials:www.example.com", "webcredentials:www.example.com, webcredentials:example.com",
                .applePasskeys, "the app has no entry webcredentials:\(rpID)" + (nearest.map { ", only \($0)" } ?? ""),
                "Add the entry webcredentials:\(rpID)")
        case .wildcard(let rpID, let entry):
            row(
                "passkey-rp-id-wildcard", "The entry for the RP ID has no wildcard.",
                "The credential functions do not accept wildcards. No source confirms that passkeys do.",
                "webcredentials:*.example.com", "webcredentials:*.example.com, webcredentials:example.com",
                .applePasskeys, is: .warning, "only the wildcard \(entry) covers the RP ID \(rpID)",
                "Add the entry webcredentials:\(rpID)")
        case .malformed(let problem, let fix):
            row(
                "passkey-rp-id-malformed", "The RP ID is a domain name.",
                "An RP ID has no scheme and no port, and a device must be able to fetch its association file.",
                "https://example.com", "example.com", .webAuthn("5.1.2"), problem, fix)
        case .originNotRelated(let origin, let rpID, let listed):
            row(
                "passkey-origin-not-related", "The RP ID may be used by the origin.",
                "A page uses passkeys of its own host or of a parent domain. Another RP ID must list the origin.",
                "https://example.org, without a list of origins", "https://example.org, listed as a related origin",
                .webAuthn("5.11"),
                "\(origin) may not use the RP ID \(rpID): "
                    + (listed.map { origins in
                        let names = origins.prefix(3).map(\.excerpt).joined(separator: ", ")
                        return "the related origins list \(names.isEmpty ? "no https origin" : "only \(names)")"
                            + (origins.count > 3 ? " and others" : "")
                    } ?? "its host is not \(rpID) or a subdomain, and the RP ID lists no related origins"),
                "Add \"\(origin)\" to \"origins\" in https://\(rpID)\(FilePath.relatedOrigins.text)")
        case .status(let file, let status):
            row(
                of: file, "status", "The response has status 200.", "status 500", "status 200",
                "the response has status \(status)",
                "Serve the file with status 200" + (file == .endpoints ? ", or remove it (404)" : ""),
                is: file == .endpoints && (status == 404 || status == 410) ? .note : nil)
        case .contentType(let file, let found):
            row(
                of: file, "content-type", "The file has the Content-Type application/json.", "text/html",
                "application/json", "the file \(found)", "Send Content-Type: application/json")
        case .notAnObject(let file, let found):
            row(
                of: file, "not-an-object", "The file is a JSON object.",
                file == .endpoints ? "[]" : #"["https://example.org"]"#,
                file == .endpoints ? Self.endpoints : Self.origins, "the file is \(found)",
                file == .endpoints
                    ? "Write an object with the URLs \"enroll\" and \"manage\""
                    : #"Write {"origins": ["https://example.org"]}, with your origins"#, is: .denial)
        case .relatedOriginsMissing(let found):
            row(
                of: .relatedOrigins, "origins-missing", #"The object has "origins", a non-empty array of strings."#,
                #"{"origins":[]}"#,
                Self.origins, "\"origins\" is \(found)", "List the origins as strings, such as \"https://example.org\"")
        case .relatedRedirect(let target):
            row(
                of: .relatedOrigins, "redirect", "No redirect leads away from https.",
                "a redirect to http://example.com/", "status 200",
                "the response is a redirect to \(target)", "Serve the file directly at this URL")
        case .relatedItem(let item, let reason):
            row(
                "related-origins-item", "Each element of \"origins\" is an https origin.",
                "A client ignores other elements. It compares only the origin of a URL.",
                #"{"origins":["https://example.org","example.net"]}"#,
                #"{"origins":["https://example.org","https://example.net"]}"#, .webAuthn("5.11.1"), is: .warning,
                "\(item.excerpt) \(reason)", "Write an origin, such as \"https://example.net\"")
        case .relatedLabels(let count):
            row(
                "related-origins-labels", "The origins have at most five registrable labels.",
                "Clients must support five, and may ignore the others. example.com and example.org have one label.",
                #"{"origins":["https://a.com","https://b.com","https://c.com","https://d.com","https://e.com","#
                    + #""https://f.com"]}"#, #"{"origins":["https://a.com"]}"#, .webAuthn("5.11.1"), is: .warning,
                "the origins have at least \(count) registrable labels",
                "List at most \(Self.maximumLabels) names, with the most important ones first")
        case .endpointsURL(let key, let found, let isString):
            row(
                of: .endpoints, "url", "Each value is an absolute https URL.", #"{"enroll":"/passkeys"}"#,
                Self.endpoints, "\"\(key)\" is \(found), not an absolute https URL", "Write the whole URL of the page",
                is: isString ? .warning : .denial)
        case .noAndroidPasskeys(let package, let missing):
            row(
                "assetlinks-app-no-passkeys", "The app has the relations get_login_creds and handle_all_urls.",
                "Credential Manager requires both relations for passkeys.",
                #"["delegate_permission/common.handle_all_urls"]"#,
                #"["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"]"#,
                .androidPasskeys, "\(package) does not have the relation \(missing.joined(separator: " or "))",
                "Add \(missing.map { "\"\($0)\"" }.joined(separator: " and ")) to the relation array of the app")
        }
    }

    /// - Parameter effect: nil for the usual effect of an issue with the file.
    private func row(
        of file: File, _ code: String, _ rule: String, _ example: String, _ fixed: String, _ problem: String,
        _ fix: String, is effect: Effect? = nil
    ) -> CatalogEntry {
        let (reason, source, usual): (String, Source, Effect) =
            switch file {
            case .relatedOrigins:
                ("A client that cannot read the file throws a SecurityError.", .webAuthn("5.11.1"), .denial)
            case .endpoints:
                ("A password manager then offers no link to the page for passkeys.", .passkeyEndpoints, .warning)
            }
        return row("\(file.rawValue)-\(code)", rule, reason, example, fixed, source, is: effect ?? usual, problem, fix)
    }

    private func row(
        _ code: String, _ rule: String, _ reason: String, _ example: String, _ fixed: String, _ source: Source,
        is effect: Effect = .denial, _ problem: String, _ fix: String
    ) -> CatalogEntry {
        .init(
            code, rule, because: reason, SeverityByProfile(device: effect, documented: effect), source,
            example: example, fixed: fixed, problem: problem, fix: fix)
    }
}
