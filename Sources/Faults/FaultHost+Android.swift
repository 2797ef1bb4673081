import AssociatedDomains
import MotivatorPlatform

/// The app of the group "Android", and a statement without a fault.
enum AndroidStatement {
    static let package = "com.example.demoapp"
    /// A SHA-256 fingerprint of consecutive bytes, which no certificate has.
    static let fingerprint = (0xA0..<0xC0).map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    /// The relation to which the verdicts apply.
    static let links = AssetLinks.Relation.links.rawValue

    static let list = """
        [{
          "relation": ["\(links)", "\(AssetLinks.Relation.credentials.rawValue)"],
          "target": {
            "namespace": "android_app",
            "package_name": "\(package)",
            "sha256_cert_fingerprints": ["\(fingerprint)"]
          }
        }]

        """
}

extension FaultHost {
    static let android = androidFiles + androidResponses

    private static func android(
        _ name: String, _ summary: String, _ verdict: String, _ issues: String,
        _ replies: @escaping @Sendable () -> [String: Reply]
    ) -> FaultHost { FaultHost(.android, name, summary, verdict + verdict, issues) { _ in BrokenHost(replies()) } }

    /// The table contains the files. LINKS, PACKAGE and FINGERPRINT are the values of a correct statement.
    private static let androidFiles = PackageResources.android_tsv.tableRows.map { row in
        android(row[0], row[4], row[1], row[2]) {
            let text = row[3].replacing("LINKS", with: AndroidStatement.links)
                .replacing("PACKAGE", with: AndroidStatement.package)
                .replacing("FINGERPRINT", with: AndroidStatement.fingerprint)
            return [AssetLinks.path: Reply(json: text + "\n")]
        }
    }

    private static let intactReply = Reply(json: AndroidStatement.list)

    private static let androidResponses = [
        android("android-large", "1,048,577 bytes", "?", "assetlinks-too-large") {
            let space = AssetLinks.maximumSize + 1 - AndroidStatement.list.utf8.count
            return [AssetLinks.path: Reply(json: AndroidStatement.list + String(repeating: " ", count: space))]
        },
        android(
            "android-include", "only an include statement, whose list has the app", "?",
            "assetlinks-app-not-listed assetlinks-include"
        ) { [AssetLinks.path: Reply(json: #"[{"include": "/list.json"}]"# + "\n"), "/list.json": intactReply] },
        android("android-redirect", "a redirect to the correct file", "D", "assetlinks-http-redirect") {
            let moved = "/moved/assetlinks.json"
            return [AssetLinks.path: Reply(redirect: 301, to: moved), moved: intactReply]
        },
        android("android-content-type", "Content-Type: text/plain", "D", "assetlinks-http-content-type") {
            [AssetLinks.path: Reply(intactReply.content, type: "text/plain")]
        },
        android("android-path-case", "the file is AssetLinks.json", "D", "assetlinks-http-status") {
            [AssetLinks.path: Reply(status: 404), "/.well-known/AssetLinks.json": intactReply]
        },
        android("android-path-root", "the file is in the root folder", "D", "assetlinks-http-status") {
            [AssetLinks.path: Reply(status: 404), "/assetlinks.json": intactReply]
        },
        android("android-html-page", "200 with an HTML page", "D", "assetlinks-http-content-type json-html") {
            [AssetLinks.path: Reply(html: page)]
        },
    ]
}
