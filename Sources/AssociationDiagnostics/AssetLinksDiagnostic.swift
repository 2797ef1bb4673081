/// Diagnostics about assetlinks.json, the Digital Asset Links file for Android.
package enum AssetLinksDiagnostic: String, DiagnosticGroup {
    case appleFile = "assetlinks-apple-file"
    case notAnArray = "assetlinks-not-an-array"
    case empty = "assetlinks-empty"
    case tooLarge = "assetlinks-too-large"
    case notAStatement = "assetlinks-not-a-statement"
    case keyMisspelt = "assetlinks-key-misspelt"
    case relationMissing = "assetlinks-relation-missing"
    case relationNotAnArray = "assetlinks-relation-not-an-array"
    case relationMisspelt = "assetlinks-relation-misspelt"
    case relationMalformed = "assetlinks-relation-malformed"
    case relationUnknown = "assetlinks-relation-unknown"
    case targetMissing = "assetlinks-target-missing"
    case namespace = "assetlinks-namespace-unknown"
    case packageMissing = "assetlinks-package-missing"
    case packageApple = "assetlinks-package-of-apple"
    case packageMalformed = "assetlinks-package-malformed"
    case fingerprintMissing = "assetlinks-fingerprint-missing"
    case fingerprintSHA1 = "assetlinks-fingerprint-sha1"
    case fingerprintBase64 = "assetlinks-fingerprint-base64"
    case fingerprintMalformed = "assetlinks-fingerprint-malformed"
    case fingerprintForm = "assetlinks-fingerprint-form"
    case siteMalformed = "assetlinks-site-malformed"
    case siteNotHTTPS = "assetlinks-site-not-https"
    case include = "assetlinks-include"
    case twice = "assetlinks-twice"
    case notListed = "assetlinks-app-not-listed"
    case otherCase = "assetlinks-app-other-case"
    case otherFingerprint = "assetlinks-app-other-fingerprint"
    case otherRelation = "assetlinks-app-other-relation"
    case oneRelation = "assetlinks-app-one-relation"
    case path = "assetlinks-path"
    case redirect = "assetlinks-http-redirect"
    case status = "assetlinks-http-status"
    case serverError = "assetlinks-http-server-error"
    case contentType = "assetlinks-http-content-type"

    private static let unusable = "A statement without a required key or value grants nothing."
    private static let oneHash = "The fingerprint is the SHA-256 hash of the signing certificate: 32 bytes."
    private static let copy = "Copy the SHA-256 line from the output of: keytool -list -v -keystore FILE."
    private static let direct = "The documentation requires the file at this URL, without redirects."

    package var row: Diagnostic.Row {
        switch self {
        case .appleFile:
            row(
                "The file at /.well-known/assetlinks.json is a statement list.", "Android does not read Apple's file.",
                .denial, "This is an apple-app-site-association file for Apple devices, not a statement list.",
                "Serve it at /.well-known/apple-app-site-association, and serve a statement list here.",
                #"{"applinks":{"details":[]}}"#)
        case .notAnArray:
            row(
                "The file contains a JSON array of statements.",
                "A statement list is an array, even if it has only one element.", .denial,
                "The file contains {type}, not an array.", "{fix}", #"{"relation":[],"target":{}}"#)
        case .empty:
            row(
                "The file has at least one statement.", "An empty list grants nothing.", .denial,
                "The file has no statements.", "Add a statement with a relation and a target.", "[]")
        case .tooLarge:
            row(
                "The checker can read the whole file.",
                "The documentation has no size limit. The checker reads at most 1,048,576 bytes.", .denial,
                "The file is larger than {limit} bytes. The checker does not read it.",
                "Remove statements that no app uses.", "a file of 2 MB")
        case .notAStatement:
            row(
                "Each element of the array is an object.", "A statement is an object.", .warning,
                "Element {number} is {type}, not an object.", "Write a statement with a relation and a target.",
                #"["com.example.app"]"#)
        case .keyMisspelt:
            row(
                "Keys are spelled as in the documentation.", Self.unusable, .warning,
                "Unknown key {key}. Did you mean \"{meant}\"?", "Rename the key to \"{meant}\".", #"{"relations":[]}"#)
        case .relationMissing:
            row(
                "A statement has at least one relation.", Self.unusable, .warning, "The statement has no relation.",
                #"Add "relation": ["delegate_permission/common.handle_all_urls"]."#, #"{"target":{}}"#)
        case .relationNotAnArray:
            row(
                "The value of relation is an array of strings.", "Even a single relation is an array with one element.",
                .warning, "The relation is {type}, not an array of strings.", "Write {form}.",
                #""relation":"delegate_permission/common.handle_all_urls""#)
        case .relationMisspelt:
            row(
                "Relations are spelled as in the documentation.",
                "A verifier compares the whole relation, such as delegate_permission/common.handle_all_urls.", .warning,
                "Unknown relation {relation}. Did you mean \"{meant}\"?", "Write \"{meant}\".",
                #"["handle_all_urls"]"#)
        case .relationMalformed:
            row(
                "A relation has the form kind/detail.", "All relations have this form.", .warning,
                "{relation} does not have the form kind/detail.",
                "Write delegate_permission/common.handle_all_urls or delegate_permission/common.get_login_creds.",
                #"["links"]"#)
        case .relationUnknown:
            row(
                "The relation is handle_all_urls, get_login_creds or use_as_origin.",
                "The checker evaluates only these relations. Other programs may use other relations.",
                .note, "The checker does not evaluate the relation {relation}.",
                "Check this relation with the program that uses it.", #"["example/other"]"#)
        case .targetMissing:
            row(
                "A statement has a target object.", Self.unusable, .warning,
                "The target of the statement is {type}.",
                #"Add a target, such as {"namespace":"web","site":"https://example.com"}."#, #"{"relation":[]}"#)
        case .namespace:
            row(
                "The namespace of a target is android_app or web.",
                "The namespace determines which keys the target has.", .warning,
                "The namespace of the target is {namespace}. Android supports \"android_app\" and \"web\".",
                "Write \"{meant}\".", #"{"namespace":"android"}"#)
        case .packageMissing:
            row(
                "An android_app target has a package_name.", Self.unusable, .warning, "The target has no package_name.",
                "Add the application ID of the app, such as \"package_name\": \"com.example.app\".",
                #"{"namespace":"android_app"}"#)
        case .packageApple:
            row(
                "package_name is the application ID of the Android app.",
                "Apple's application identifiers begin with the App ID prefix. Android's do not.", .warning,
                "{package} is the identifier of an app for Apple devices.",
                "Write the application ID of the Android app. If both apps have the same name, write \"{bundle}\".",
                #""D3KQX62K1A.com.example.DemoApp""#)
        case .packageMalformed:
            row(
                "A package name has at least two parts. Each part begins with a letter and contains only letters, "
                    + "digits and underscores.",
                "Android does not accept other package names.", .warning, "{package} is not a valid package name.",
                "Copy the applicationId from the app's build file.", #""com.example.*""#)
        case .fingerprintMissing:
            row(
                "An android_app target has a sha256_cert_fingerprints array with at least one fingerprint.",
                "Another app can have the same package name. Only the certificate identifies the app.", .warning,
                "The target has {found}.", "Add the fingerprint as an element of the array. " + Self.copy,
                #""sha256_cert_fingerprints":[]"#)
        case .fingerprintSHA1:
            row(
                "Fingerprints are SHA-256, not SHA-1.", Self.oneHash, .warning,
                "{fingerprint} is 20 bytes long, like a SHA-1 fingerprint.", Self.copy, #""14:6D:…" (20 bytes)"#)
        case .fingerprintBase64:
            row(
                "Fingerprints are hexadecimal, not Base64.", Self.oneHash, .warning,
                "{fingerprint} is Base64.", "Write the same fingerprint in hexadecimal: {correct}.",
                #""FG3pg…=""#)
        case .fingerprintMalformed:
            row(
                "A fingerprint consists of 32 pairs of hexadecimal digits, separated by colons.", Self.oneHash,
                .warning, "{fingerprint} is not a SHA-256 fingerprint{reason}.", Self.copy, #""14:6D:E9""#)
        case .fingerprintForm:
            row(
                "Fingerprints are in upper case, with colons.",
                "The documentation shows only this form. It does not state whether verifiers accept other forms.",
                .warning, "The fingerprint {fingerprint} {difference}.", "Write {correct}.", #""14:6d:e9:…""#)
        case .siteMalformed:
            row(
                "The site of a web target is https://HOST or https://HOST:PORT.",
                "A site is a scheme, a host and a port, without a path or a trailing slash.", .warning,
                "{site} {problem}.", "Write {correct}.", #""https://example.com/""#)
        case .siteNotHTTPS:
            row(
                "The site of a web target is an https site.",
                "The scheme is part of the site. A statement about the http site does not apply to the https site.",
                .warning, "{site} is an http site.", "Write {correct}.", #""http://example.com""#)
        case .include:
            row(
                "The statements are in the file itself.", "The checker does not follow include statements.", .warning,
                "The file includes {url}, which the checker does not read.", "{fix}",
                #"[{"include":"https://example.com/list.json"}]"#)
        case .twice:
            row(
                "A file grants each relation to a target only once.", "The second statement has no effect.", .note,
                "This statement grants {relation} to {target} again. The first statement is at {first}.",
                "Remove one of the two statements.", "two equal statements")
        case .notListed:
            row(
                "The site lists the app.", "The site must name the package and the certificate of the app.", .denial,
                "The file does not list {app}{others}.", "Add a statement with the package name {app}.",
                "only another app")
        case .otherCase:
            row(
                "The package name has the same letter case as in the app.", "Package names are case-sensitive.",
                .denial, "The file lists {listed}, but the app is {app}.",
                "Write the package name as in the app: {app}.", #""com.example.App""#)
        case .otherFingerprint:
            row(
                "The file lists the certificate that signs the installed app.",
                "Each certificate has its own fingerprint. Debug builds and Google Play may use other certificates.",
                .denial, "The file lists {app} only with other fingerprints.", "Add the fingerprint {fingerprint}.",
                "the fingerprint of the debug certificate")
        case .otherRelation:
            row(
                "The app has a relation for links or passwords.", "A statement grants each relation separately.",
                .denial, "The file lists {app} for neither links nor passwords.",
                "Add delegate_permission/common.handle_all_urls or delegate_permission/common.get_login_creds.",
                #"["delegate_permission/common.use_as_origin"]"#)
        case .oneRelation:
            row(
                "An app has both the relation for links and the relation for passwords.",
                "A statement grants each relation separately.", .note,
                "{app} does not have the relation {relation}.", "If the app needs this relation, add it.",
                "an app with handle_all_urls only")
        case .path:
            row(
                "The URL is https://HOST/.well-known/assetlinks.json.",
                "Android derives the URL from the host. Only an include statement can name another URL.", .warning,
                "Android requests {path} only if an include statement refers to it.",
                "Also serve the file at {url}, or add an include statement to the file at that URL.",
                "https://example.com/assetlinks.json")
        case .redirect:
            row(
                "The host serves the file without a redirect.", Self.direct, .denial,
                "The response is a redirect ({status}) to {target}.",
                "Serve the file at this URL. Exclude its path from the redirect.", "301", .appLinks)
        case .status:
            row(
                "The response has status 200.", Self.direct, .denial, "The response has status {status}.",
                "Serve the file to every client at this URL, with status 200.", "404", .appLinks)
        case .serverError:
            row(
                "The response has status 200, not 500 to 599.", "A server error may be temporary.", .retry,
                "The response has status {status}.", "Find the error in the server's log, or serve a static file.",
                "503", .appLinks)
        case .contentType:
            row(
                "The file has the Content-Type application/json.", "App Links verification requires this type.",
                .denial, "The file {found}.", "Send Content-Type: application/json.", "text/plain", .appLinks)
        }
    }

    private func row(
        _ text: String, _ reason: String, _ effect: Effect, _ message: String, _ fix: String, _ example: String,
        _ source: Source = .assetLinks
    ) -> Diagnostic.Row {
        .init(text, because: reason, .android(effect), source, message: message, fix: fix, example: example)
    }
}
