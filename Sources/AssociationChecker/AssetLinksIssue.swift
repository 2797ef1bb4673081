import AssociatedDomains
import MotivatorPlatform
import SourceJSON

enum AssetLinksIssue: CatalogIssue {
    case appleFile
    /// Another JSON value than an array, and whether it is a statement.
    case notAnArray(JSONValue.Kind, isStatement: Bool)
    case empty, tooLarge
    case notAStatement(number: Int, JSONValue.Kind)
    case keyMisspelt(String, meant: String)
    case relationMissing
    case relationNotAnArray(JSONValue.Kind, text: String)
    case relationMisspelt(String, meant: AssetLinks.Relation)
    case relationMalformed(String)
    case relationUnknown(String)
    case targetMissing(found: String)
    case namespace(found: String, meant: String)
    case packageMissing
    case packageApple(AppIdentifier)
    case packageMalformed(String)
    case fingerprintMissing(found: String)
    case fingerprintSHA1(String)
    case fingerprintBase64(String, CertificateFingerprint)
    /// A text that is not a fingerprint, and the strings that replace it if it consists of several fingerprints.
    case fingerprintMalformed(String, reason: String, list: String? = nil)
    case fingerprintForm(String, difference: String, CertificateFingerprint)
    case siteMalformed(found: String, correct: String)
    case siteNotHTTPS(String, correct: String)
    case include(String)
    case notListed(AndroidApp, listed: [String])
    case otherCase(AndroidApp, listed: String)
    case otherFingerprint(AndroidApp)
    case otherRelation(AndroidApp)
    case oneRelation(AndroidApp, missing: AssetLinks.Relation, isRequested: Bool)
    case oneFingerprint(AndroidApp)
    /// A URL that Android does not request, with the URL that it requests.
    case path(String, url: String)
    case redirect(status: Int, target: String)
    case status(Int)
    case serverError(Int)
    case contentType(found: String)

    static let examples: [AssetLinksIssue] = {
        let print = Array(repeating: "00", count: CertificateFingerprint.byteCount).joined(separator: ":")
        guard let app = try? AndroidApp("com.example.app=\(print)"), let correct = app.fingerprint,
            let apple = try? AppIdentifier(Service.exampleApp)
        else { return [] }
        return [
            .appleFile, .notAnArray(.object, isStatement: true), .empty, .tooLarge, .notAStatement(number: 1, .string),
            .keyMisspelt("relations", meant: "relation"), .relationMissing, .relationNotAnArray(.string, text: ""),
            .relationMisspelt("", meant: .links), .relationMalformed(""), .relationUnknown(""),
            .targetMissing(found: ""), .namespace(found: "", meant: "android_app"), .packageMissing,
            .packageApple(apple), .packageMalformed(""), .fingerprintMissing(found: ""), .fingerprintSHA1(""),
            .fingerprintBase64("", correct), .fingerprintMalformed("", reason: ""),
            .fingerprintForm("", difference: "", correct), .siteMalformed(found: "", correct: ""),
            .siteNotHTTPS("", correct: ""), .include(""),
            .notListed(app, listed: []), .otherCase(app, listed: ""), .otherFingerprint(app), .otherRelation(app),
            .oneRelation(app, missing: .links, isRequested: false), .oneFingerprint(app), .path("", url: ""),
            .redirect(status: 301, target: ""), .status(404), .serverError(503), .contentType(found: ""),
        ]
    }()

    private static let unusable = "A statement without a required key or value grants nothing."
    private static let oneHash = "The fingerprint is the SHA-256 hash of the signing certificate: 32 bytes."
    private static let direct = "The documentation requires the file at this URL, without redirects."
    private static let links = AssetLinks.Relation.links.rawValue
    private static let credentials = AssetLinks.Relation.credentials.rawValue
    private static let relations = "\(links) for links, \(credentials) for passwords and passkeys, or both"
    /// The two keys that people confuse.
    private static let keys =
        "Use the fingerprint of the app signing key (Play Console > App integrity), not of the upload key. For your own "
        + "builds, run: keytool -list -v -keystore FILE"
    private static let app =
        #"{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":["14:6D:…"]}"#
    /// In examples, … replaces the other members or bytes.
    private static let good = #"[{"relation":[…],"target":{…}}]"#

    var entry: CatalogEntry {
        switch self {
        case .appleFile:
            row(
                "assetlinks-apple-file", "The file at /.well-known/assetlinks.json is a statement list.",
                "Android does not read Apple's file.", .denial,
                #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#, Self.good,
                "This is an apple-app-site-association file for Apple devices, not a statement list",
                "Serve it at /.well-known/apple-app-site-association, and serve a statement list here")
        case .notAnArray(let kind, let isStatement):
            row(
                "assetlinks-not-an-array", "The file contains a JSON array of statements.",
                "A statement list is an array, even if it has only one element.", .denial,
                #"{"relation":[…],"target":{…}}"#, Self.good, "The file contains \(kind.rawValue), not an array",
                isStatement
                    ? "Write [ before the first statement, ] after the last one, and commas between the statements"
                    : #"Write an array: [{"relation":[…],"target":{…}}]"#)
        case .empty:
            row(
                "assetlinks-empty", "The file has at least one statement.", "An empty list grants nothing.", .denial,
                "[]", Self.good, "The file has no statements",
                "Add a statement with a relation and a target. If your own file has statements, the hosting service "
                    + "generated this list: deploy the folder .well-known, or disable the generated file")
        case .tooLarge:
            row(
                "assetlinks-too-large", "The checker can read the whole file.",
                "The documentation has no size limit. The checker reads at most 1,048,576 bytes.", .denial,
                "a file of 2 MB", "the same file with fewer statements",
                "The file is larger than \(AssetLinks.maximumSize) bytes. The checker does not read it",
                "Remove statements that no app uses", isUnproven: true)
        case .notAStatement(let number, let kind):
            row(
                "assetlinks-not-a-statement", "Each element of the array is an object.", "A statement is an object.",
                .warning, #"["com.example.app",{"relation":[…],"target":{…}}]"#, Self.good,
                "Element \(number) is \(kind.rawValue), not an object",
                "Write a statement with a relation and a target, or remove the element")
        case .keyMisspelt(let key, let meant):
            row(
                "assetlinks-key-misspelt", "Keys are spelled as in the documentation.", Self.unusable, .warning,
                #"[{"relations":[…],"target":{…}}]"#, Self.good,
                "Unknown key \(key.excerpt). Did you mean \"\(meant)\"?", "Rename the key to \"\(meant)\"")
        case .relationMissing:
            row(
                "assetlinks-relation-missing", "A statement has at least one relation.", Self.unusable, .warning,
                #"[{"target":{…}}]"#, Self.good, "The statement has no relation",
                "Add a relation array with \(Self.relations)")
        case .relationNotAnArray(let kind, let text):
            row(
                "assetlinks-relation-not-an-array", "The value of relation is an array of strings.",
                "Even a single relation is an array with one element.", .warning,
                #""relation":"delegate_permission/common.handle_all_urls""#,
                #""relation":["delegate_permission/common.handle_all_urls"]"#,
                "The relation is \(kind.rawValue), not an array of strings", "Write [\(JSONText.quote(text))]")
        case .relationMisspelt(let relation, let meant):
            row(
                "assetlinks-relation-misspelt", "Relations are spelled as in the documentation.",
                "A verifier compares the whole relation, such as delegate_permission/common.handle_all_urls.",
                .warning, #""relation":["handle_all_urls"]"#,
                #""relation":["delegate_permission/common.handle_all_urls"]"#,
                "Unknown relation \(relation.excerpt). Did you mean \"\(meant.rawValue)\"?",
                "Write \"\(meant.rawValue)\"")
        case .relationMalformed(let relation):
            row(
                "assetlinks-relation-malformed", "A relation has the form kind/detail.",
                "All relations have this form.", .warning, #""relation":["links"]"#,
                #""relation":["delegate_permission/common.handle_all_urls"]"#,
                "\(relation) does not have the form kind/detail", "Write \(Self.relations), one in each string")
        case .relationUnknown(let relation):
            row(
                "assetlinks-relation-unknown", "The relation is handle_all_urls, get_login_creds or use_as_origin.",
                "The checker evaluates only these relations. Other programs may use other relations.", .note,
                #""relation":["example/other"]"#, #""relation":["delegate_permission/common.handle_all_urls"]"#,
                "The checker does not evaluate the relation \(relation.excerpt)",
                "Keep it for a program that uses it. Android uses \(Self.relations)")
        case .targetMissing(let found):
            row(
                "assetlinks-target-missing", "A statement has a target object.", Self.unusable, .warning,
                #"[{"relation":[…]}]"#, Self.good, "The target of the statement is \(found)",
                #"Add a target: \#(Self.app), or {"namespace":"web","site":"https://example.com"} for a site"#)
        case .namespace(let found, let meant):
            row(
                "assetlinks-namespace-unknown", "The namespace of a target is android_app or web.",
                "The namespace determines which keys the target has.", .warning, #""namespace":"android""#,
                #""namespace":"android_app""#,
                "The namespace of the target is \(found). Android supports \"android_app\" and \"web\"",
                "Write \"\(meant)\"")
        case .packageMissing:
            row(
                "assetlinks-package-missing", "An android_app target has a package_name.", Self.unusable, .warning,
                "a target without package_name", #""package_name":"com.example.app""#, "The target has no package_name",
                "Add the application ID of the app, such as \"package_name\": \"com.example.app\"")
        case .packageApple(let app):
            row(
                "assetlinks-package-of-apple", "package_name is the application ID of the Android app.",
                "Apple's application identifiers begin with the App ID prefix. Android's do not.", .warning,
                #""package_name":"D3KQX62K1A.com.example.app""#, #""package_name":"com.example.app""#,
                "\(app.description.excerpt) is the identifier of an app for Apple devices",
                "Write the application ID of the Android app. If both apps have the same name, write "
                    + "\"\(app.bundleIdentifier)\"")
        case .packageMalformed(let package):
            row(
                "assetlinks-package-malformed",
                "A package name has at least two parts. Each part begins with a letter and contains only letters, "
                    + "digits and underscores.", "Android does not accept other package names.", .warning,
                #""package_name":"com.example.*""#, #""package_name":"com.example.app""#,
                "\(package) is not a valid package name", "Copy the applicationId from the app's build file")
        case .fingerprintMissing(let found):
            row(
                "assetlinks-fingerprint-missing",
                "An android_app target has a sha256_cert_fingerprints array with at least one fingerprint.",
                "Another app can have the same package name. Only the certificate identifies the app.", .warning,
                #""sha256_cert_fingerprints":[]"#, #""sha256_cert_fingerprints":["14:6D:…"]"#,
                "The target has \(found)", "Write an array with each fingerprint as a string. \(Self.keys)")
        case .fingerprintSHA1(let text):
            row(
                "assetlinks-fingerprint-sha1", "Fingerprints are SHA-256, not SHA-1.", Self.oneHash, .warning,
                #""sha256_cert_fingerprints":["14:6D:… (20 bytes)"]"#, #""sha256_cert_fingerprints":["14:6D:…"]"#,
                "\(text.excerpt) is 20 bytes long, like a SHA-1 fingerprint",
                "Write the SHA-256 fingerprint. \(Self.keys)")
        case .fingerprintBase64(let text, let correct):
            row(
                "assetlinks-fingerprint-base64", "Fingerprints are hexadecimal, not Base64.", Self.oneHash, .warning,
                #""sha256_cert_fingerprints":["AAECA6Slpqeoqaqrrq+wsbKztLW2t7i5uru8vb6/wME="]"#,
                #""sha256_cert_fingerprints":["14:6D:…"]"#, "\(text.excerpt) is Base64",
                "Write the same fingerprint in hexadecimal: \(correct)")
        case .fingerprintMalformed(let text, let reason, let list):
            row(
                "assetlinks-fingerprint-malformed",
                "A fingerprint consists of 32 pairs of hexadecimal digits, separated by colons.", Self.oneHash,
                .warning, #""sha256_cert_fingerprints":["14:6D:E9"]"#, #""sha256_cert_fingerprints":["14:6D:…"]"#,
                "\(text) is not a SHA-256 fingerprint\(reason)",
                list.map { "Write only the fingerprints, one in each string: [\($0)]" }
                    ?? "Write the SHA-256 fingerprint. \(Self.keys)")
        case .fingerprintForm(let text, let difference, let correct):
            row(
                "assetlinks-fingerprint-form", "Fingerprints are in upper case, with colons.",
                "The documentation shows only this form. It does not state whether verifiers accept other forms.",
                .warning, #""sha256_cert_fingerprints":["14:6d:…"]"#, #""sha256_cert_fingerprints":["14:6D:…"]"#,
                "The fingerprint \(text.excerpt) \(difference)", "Write \(correct)", isUnproven: true)
        case .siteMalformed(let found, let correct):
            row(
                "assetlinks-site-malformed", "The site of a web target is https://HOST or https://HOST:PORT.",
                "A site is a scheme, a host and a port, without a path or a trailing slash.", .warning,
                #""site":"https://example.com/""#, #""site":"https://example.com""#,
                "The site of the target is \(found). It must be https://HOST or https://HOST:PORT", "Write \(correct)")
        case .siteNotHTTPS(let site, let correct):
            row(
                "assetlinks-site-not-https", "The site of a web target is an https site.",
                "The scheme is part of the site. A statement about the http site does not apply to the https site.",
                .warning, #""site":"http://example.com""#, #""site":"https://example.com""#,
                "\(site) is an http site", "Write \(correct)")
        case .include(let shown):
            row(
                "assetlinks-include", "The statements are in the file itself.",
                "The checker does not follow include statements.", .warning,
                #"[{"include":"https://example.com/list.json"}]"#, Self.good,
                "The file includes \(shown), which the checker does not read",
                "Put the statements of the list into this file", isUnproven: true)
        case .notListed(let app, let listed):
            row(
                "assetlinks-app-not-listed", "The site lists the app.",
                "The site must name the package and the certificate of the app.", .denial,
                #""package_name":"com.example.other""#, #""package_name":"com.example.app""#,
                "The file does not list \(app.package)\(AppIssue.others(listed))",
                "Add a statement with the package name \(app.package)"
                    + (app.fingerprint.map { " and the fingerprint \($0). " } ?? ". ")
                    + (app.package.hasSuffix(".debug")
                        ? "Such a build is usually signed with the debug key. To print its fingerprint, run keytool "
                            + "-list -v -keystore ~/.android/debug.keystore" : Self.keys))
        case .otherCase(let app, let listed):
            row(
                "assetlinks-app-other-case", "The package name has the same letter case as in the app.",
                "Package names are case-sensitive.", .denial, #""package_name":"com.example.App""#,
                #""package_name":"com.example.app""#, "The file lists \(listed), but the app is \(app.package)",
                "Write the package name as in the app: \(app.package)")
        case .otherFingerprint(let app):
            row(
                "assetlinks-app-other-fingerprint", "The file lists the certificate that signs the installed app.",
                "Each certificate has its own fingerprint. Debug builds and Google Play may use other certificates.",
                .denial, #""sha256_cert_fingerprints":["D0:1B:…"]"#,
                #""sha256_cert_fingerprints":["D0:1B:…","14:6D:…"]"#,
                "The file lists \(app.package) only with other fingerprints",
                "Add the fingerprint \(app.fingerprint?.description ?? ""). \(Self.keys)")
        case .otherRelation(let app):
            row(
                "assetlinks-app-other-relation", "The app has a relation for links or passwords.",
                "A statement grants each relation separately.", .denial,
                #""relation":["delegate_permission/common.use_as_origin"]"#, #""relation":[…]"#,
                "The file lists \(app.package) for neither links nor passwords", "Add \(Self.relations)")
        case .oneRelation(let app, let missing, let isRequested):
            row(
                "assetlinks-app-one-relation", "An app has both the relation for links and the relation for passwords.",
                "A statement grants each relation separately.", .note,
                #""relation":["delegate_permission/common.handle_all_urls"]"#, #""relation":[…]"#,
                "\(app.package) does not have the relation \(missing.rawValue)",
                isRequested
                    ? "Add \"\(missing.rawValue)\" to the relation array of the app"
                    : "If the app needs this relation, add it")
        case .oneFingerprint(let app):
            row(
                "assetlinks-app-one-fingerprint", "The file lists each key that signs the app.",
                "The store, your own builds and debug builds can have different keys.", .note,
                #""sha256_cert_fingerprints":["14:6D:…"]"#, #""sha256_cert_fingerprints":["14:6D:…","D0:1B:…"]"#,
                "The file lists only one fingerprint of \(app.package), the given one",
                "Make sure that it is the key of the installed app. \(Self.keys)")
        case .path(let path, let url):
            row(
                "assetlinks-path", "The URL is https://HOST/.well-known/assetlinks.json.",
                "Android derives the URL from the host. It requests no other path, letter case or port.", .denial,
                "https://example.com/.well-known/assetLinks.json", "https://example.com/.well-known/assetlinks.json",
                "Android does not request \(path). It requests \(url)", "Serve the file at \(url)")
        case .redirect(let status, let target):
            row(
                "assetlinks-http-redirect", "The host serves the file without a redirect.", Self.direct, .denial,
                "301", "200", "The response is a redirect (\(status)) to \(target)",
                "Serve the file at this URL. Exclude its path from the redirect", .appLinks)
        case .status(let status):
            row(
                "assetlinks-http-status", "The response has status 200.", Self.direct, .denial, "404", "200",
                "The response has status \(status)", "Serve the file to every client at this URL, with status 200",
                .appLinks)
        case .serverError(let status):
            row(
                "assetlinks-http-server-error", "The response has status 200, not 500 to 599.",
                "A server error may be temporary.", .retry, "503", "200", "The response has status \(status)",
                "Find the error in the server's log, or serve a static file", .appLinks)
        case .contentType(let found):
            row(
                "assetlinks-http-content-type", "The file has the Content-Type application/json.",
                "App Links verification requires this type.", .denial, "text/plain", "application/json",
                "The file \(found)", "Send Content-Type: application/json", .appLinks)
        }
    }

    private func row(
        _ code: String, _ rule: String, _ reason: String, _ effect: Effect, _ example: String, _ fixed: String,
        _ problem: String, _ fix: String, _ source: Source = .assetLinks, isUnproven: Bool = false
    ) -> CatalogEntry {
        let effects = SeverityByProfile.android(effect)
        return .init(
            code, rule, because: reason, isUnproven ? effects.unproven(in: .device, .documented) : effects, source,
            example: example, fixed: fixed, problem: problem, fix: fix)
    }
}
