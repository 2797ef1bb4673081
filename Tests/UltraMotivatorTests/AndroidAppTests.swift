import MotivatorPlatform
import Testing

@testable import AssociatedDomains

@Suite("Android apps (Digital Asset Links)") struct AndroidAppTests {
    static let digits = String(repeating: "0aB", count: 21) + "f"
    static let pairs = (0..<32).map { index in
        String(digits.uppercased().dropFirst(index * 2).prefix(2))
    }.joined(separator: ":")

    @Test("Fingerprints are accepted with and without colons", arguments: [digits, pairs, pairs.lowercased()])
    func reads(_ fingerprint: String) throws {
        let app = try AndroidApp("com.example.app_1=\(fingerprint)")
        #expect(app.package == "com.example.app_1")
        #expect(app.fingerprint?.description == Self.pairs)
    }

    @Test(
        "Malformed fingerprints are refused with the reason",
        arguments: [
            "", "com.example.app", "com.example.app=", "=\(digits)", "app=\(digits)", "com..app=\(digits)",
            "com.1app=\(digits)", "com.ex ample=\(digits)", "com.example.app=\(digits)0",
            "com.example.app=\(digits.dropLast())", "com.example.app=\(digits.dropLast())g",
            "com.exämple.app=\(digits)",
        ])
    func refuses(_ text: String) {
        #expect(throws: ExplainedFailure.self) { try AndroidApp(text) }
    }

    @Test("An app needs no fingerprint if any certificate is accepted", arguments: ["com.example.app", "a.b_1"])
    func package(_ text: String) throws {
        let app = try AndroidApp(text, needsFingerprint: false)
        #expect(app.package == text && app.fingerprint == nil)
        for text in ["\(text)=", "\(text)=0", "app", ""] {
            #expect(throws: ExplainedFailure.self) { try AndroidApp(text, needsFingerprint: false) }
        }
    }

    @Test("Apps are listed with both relations")
    func links() throws {
        let app = try AndroidApp("com.example.app=\(Self.digits)")
        let text = String(decoding: AndroidApp.links([app]).bytes(), as: UTF8.self)
        for part in [
            "delegate_permission/common.get_login_creds", "delegate_permission/common.handle_all_urls",
            "\"com.example.app\"", "\"\(Self.pairs)\"",
        ] {
            #expect(text.contains(part))
        }
    }
}
