@testable import AssociatedDomains
@testable import AssociationChecker

/// The inputs for rows about files, services, apps, entitlements and Android's file.
extension FixInput {
    static let files: [String: FixInput] = {
        let good = credentials(demoApp)
        func bytes(_ before: [UInt8]) -> FixInput { .bytes(before, Array(good.utf8)) }
        func text(_ before: String) -> FixInput { bytes(Array(before.utf8)) }
        let utf16 = good.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let rest = good.dropFirst()
        let asking = CheckRequest.asking(demoApp, .webcredentials)
        // The abbreviation … is the prefix of the identifiers.
        let listed = FixInput { text, _ in
            try CheckCase.file("", text.replacing("…", with: "D3KQX62K1A.com.example."), "", [], asking).report()
        }
        let elsewhere = FixInput { text, _ in
            try CheckCase.file(
                "", text.replacing("…", with: "D3KQX62K1A.com.example."), "", [], CheckRequest.asking(demoApp)
            ).report()
        }
        let linked = "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"*\"}]}]}"
        let padding = String(repeating: " ", count: 131_000 - good.utf8.count)
        return [
            "file-too-large": text(good + padding + String(repeating: " ", count: 100)),
            "file-nearly-too-large": text(good + padding),
            "file-neither-json-nor-cms": bytes([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0]),
            "file-pem": .cases(
                .bytes("", Array("-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n".utf8), "", []),
                SignatureCases.signed("", "", [])),
            "file-smime-text": .cases(
                .bytes("", Array("MIME-Version: 1.0\n\nMIIB\n".utf8), "", []), SignatureCases.signed("", "", [])),
            "file-assetlinks": .file { $0.format = .apple },
            "service-nested": FixInput { text, _ in
                let detail = "{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"/buy/*\"}]}"
                let file = text.replacing("\"details\":[…]", with: "\"details\":[\(detail)]")
                return try CheckCase.file("", file.replacing("…", with: "\"\(demoApp)\""), "", []).report()
            },
            "service-not-in-version": .cases(
                .file("", linked + "}", "", [], CheckRequest.asking(demoApp, .applinks)),
                .file("", good, "", [], asking)),
            "service-missing": .cases(
                .file("", linked + "}", "", [], asking),
                .file("", linked + ",\(good.dropFirst())", "", [], asking)),
            "app-not-listed": .apps(asking), "app-other-prefix": .apps(asking), "app-other-case": .apps(asking),
            "app-listed-elsewhere": listed, "app-not-for-every-service": elsewhere,
            "app-not-a-string": .apps(), "app-surrounding-space": .apps(), "app-prefix-length": .apps(),
            "app-no-prefix": .apps(), "app-lower-case-prefix": .apps(), "app-wildcard": .apps(),
            "app-placeholder": .apps(), "app-malformed": .apps(), "app-twice": .apps(), "app-none": .apps(),
            "json-byte-order-mark": text("\u{FEFF}" + good), "json-encoding": bytes(utf16), "json-empty": text(""),
            "json-invalid-utf8": bytes(Array("{\"caf".utf8) + [0xE9, 0x22] + Array(": 1, \(rest)".utf8)),
            "json-too-deep": .bytes(
                Array("{\"x\":\(String(repeating: "[", count: 600))\(String(repeating: "]", count: 600)),\(rest)".utf8),
                Array("{\"x\":[],\(rest)".utf8)),
            "json-invisible-character": text("{\u{A0}" + rest),
            "json-control-character": .bytes(
                Array("\(good.dropLast()),\"a\tb\":1}".utf8), Array("\(good.dropLast()),\"a\\tb\":1}".utf8)),
        ]
    }()
    static let entitlements: [String: FixInput] = {
        let good = credentials(demoApp)
        let signed = CheckCase.file("", good, "", []) { $0.entries = [.init("webcredentials:example.com")] }
        let notPermitted = CheckCase.file("", good, "", []) { request in
            request.entries = [.init("webcredentials:example.com")]
            request.add(EntitlementsReader(profile: [:]).result, from: "embedded.mobileprovision")
        }
        let domains = (1...31).map { "applinks:a\($0).example.com" }.joined(separator: ", ")
        let wildcard = FixInput { text, isFixed in
            try entry(host: "a1.example.com").report(isFixed ? text : domains, isFixed)
        }
        let list = FixInput { text, _ in
            try CheckCase.file("", credentials(demoApp), "", []) { request in
                let list = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\(text)</plist>"
                request.add(try Entitlements(Array(list.utf8)), from: "App.entitlements")
            }.report()
        }
        let asking = entry(host: "example.com") { $0.service = .webcredentials }
        return [
            "entitlement-wildcard-root": entry(host: "example.com"), "entitlement-other-host": asking,
            "entitlement-other-service": asking, "entitlement-many-domains": wildcard,
            "entitlement-file-elsewhere": entry(host: "www.example.com"),
            "entitlement-wildcard-credentials": entry(host: "www.example.com"), "entitlement-list": list,
            "entitlement-profile": .cases(notPermitted, signed),
        ]
    }()
    static let assetLinks: [String: FixInput] = {
        let good = "[\(AssetLinksCases.statement())]"
        func asking(_ app: String = "com.example.app=\(AssetLinksCases.print)") -> FixInput {
            inStatements { $0.androidApps = [try AndroidApp(app, needsFingerprint: false)] }
        }
        func response(
            _ before: @escaping @Sendable () throws -> FileFetch.Step, _ after: String = AssetLinksCases.url
        ) -> FixInput {
            .cases(
                AssetLinksCases.response("", "", [], before),
                AssetLinksCases.response("", "", [], url: after) { try SiteBuilder.good(after, good) })
        }
        let url = AssetLinksCases.url
        var inputs = [
            "assetlinks-too-large": FixInput { _, isFixed in
                let text = isFixed ? good : good + String(repeating: " ", count: 2 << 20)
                return try CheckCase.file("", text, "", []) { $0.format = .assetLinks }.report()
            },
            "assetlinks-package-missing": FixInput { _, isFixed in
                let target = AssetLinksCases.app()
                let kept = isFixed ? target : target.replacing("\"package_name\":\"com.example.app\",", with: "")
                return try CheckCase.file("", "[\(AssetLinksCases.statement(kept))]", "", []).report()
            },
            "assetlinks-app-one-fingerprint": asking(), "assetlinks-app-other-relation": asking("com.example.app"),
            "assetlinks-app-one-relation": asking("com.example.app"),
            "assetlinks-path": response { try SiteBuilder.good(url.replacing("links", with: "Links"), good) },
            "assetlinks-http-redirect": response {
                try SiteBuilder.step(url, status: 301, [("Location", "https://www.example.com/")])
            },
            "assetlinks-http-status": response { try SiteBuilder.missing(url) },
            "assetlinks-http-server-error": response { try SiteBuilder.step(url, status: 503) },
            "assetlinks-http-content-type": response {
                try SiteBuilder.step(url, [("Content-Type", "text/plain")], Array(good.utf8))
            },
        ]
        for name in ["not-listed", "other-case", "other-fingerprint"] { inputs["assetlinks-app-\(name)"] = asking() }
        return inputs
    }()

    /// The example is a statement list, the member `relation`, or a member of a target. The abbreviation … stands for
    /// the other members or bytes.
    static func inStatements(
        _ ask: @escaping @Sendable (inout CheckRequest) throws -> Void = { $0.format = .assetLinks }
    ) -> FixInput {
        let app = AssetLinksCases.app()
        let both = "\"relation\":[\"\(AssetLinksCases.links)\",\"\(AssetLinksCases.passwords)\"]"
        return FixInput { text, _ in
            var list = text.replacing("\"relation\":[…]", with: both)
                .replacing("\"relations\":[…]", with: both.replacing("relation\"", with: "relations\""))
                .replacing("{…}", with: app).replacing("14:6D:… (20 bytes)", with: AssetLinksCases.print.prefix(59))
                .replacing("14:6D:…", with: AssetLinksCases.print)
                .replacing("14:6d:…", with: AssetLinksCases.print.lowercased())
                .replacing("D0:1B:…", with: AssetLinksCases.otherPrint)
            if list.hasPrefix("\"relation\"") {
                list = "[{\(list),\"target\":\(app)}]"
            } else if list.hasPrefix("\"site\"") {
                list = "[{\(both),\"target\":{\"namespace\":\"web\",\(list)}}]"
            } else if let key = list.firstMatch(of: /^"[a-z0-9_]+":/)?.output {
                let member =
                    app.firstMatch(of: try Regex("\(key)(\"[^\"]*\"|\\[[^\\]]*\\])"))?.output[0].substring ?? ""
                list = "[{\(both),\"target\":\(app.replacing(member, with: list))}]"
            }
            return try CheckCase.file("", list, "", [], ask).report()
        }
    }
}
