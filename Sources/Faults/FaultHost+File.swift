extension FaultHost {
    /// The hosts with a fault in the file's content. At the root path, the same content is signed.
    static let file: [FaultHost] = containers + syntax + apps

    private static func content(
        _ name: String, _ summary: String, _ verdicts: String, _ issues: [Code], note: String? = nil,
        _ text: @escaping @Sendable () -> String
    ) -> FaultHost {
        FaultHost(.file, name, summary, verdicts, issues, note: note) { try $0.content(text()) }
    }

    private static func apps(
        _ name: String, _ summary: String, _ verdicts: String, _ issues: [Code], note: String? = nil, _ list: [String]
    ) -> FaultHost {
        content(name, summary, verdicts, issues, note: note) { Workshop.file(apps: list) }
    }

    /// Returns a host whose file has exactly the given size at both paths.
    private static func size(_ count: Int, _ verdicts: String, _ issues: [Code]) -> FaultHost {
        let number = count == 131_072 ? "131,072" : "131,073"
        return FaultHost(.file, "size-\(count)", "\(number) bytes as sent", verdicts, issues) { shop in
            func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
                bytes + [UInt8](repeating: 0x20, count: max(count - bytes.count, 0))
            }
            // Only the two integers in the signature vary in size.
            let signer = try shop.identity()
            func message(_ padding: Int) throws -> [UInt8] {
                try shop.sign(by: [signer], content: padded(shop.plain.bytes, to: padding))
            }
            let overhead = try message(count / 2).count - count / 2
            var signed = try message(count - overhead)
            for _ in 0..<1_000 where signed.count != count {
                signed = try message(count - overhead + (count - signed.count).signum())
            }
            return BrokenHost(
                wellKnown: shop.send(.init(bytes: padded(shop.plain.bytes, to: count), type: "application/json")),
                root: shop.send(.signed(signed)))
        }
    }

    private static let containers: [FaultHost] = [
        size(131_072, "AAAA", []), size(131_073, "DDDD", [.fileTooLarge]),
        content("empty", "0 bytes", "DDDD", [.jsonEmpty]) { "" },
        content("blank", "spaces only", "DDDD", [.jsonEmpty]) { "      \n" },
        content("bom", "UTF-8 with a byte order mark", "?A??", [.jsonByteOrderMark]) { "\u{FEFF}" + Workshop.file() },
        FaultHost(.file, "utf-16", "UTF-16 with a byte order mark", "?D??", [.jsonEncoding]) { shop in
            try shop.content(("\u{FEFF}" + Workshop.file()).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        },
    ]

    private static let syntax: [FaultHost] = [
        content("trailing-comma", "a comma after the last element", "DDDD", [.jsonTrailingComma]) {
            Workshop.file().replacing("]", with: ",]")
        },
        content("comment", "a // comment", "DDDD", [.jsonComment]) { "// The apps of this site\n" + Workshop.file() },
        content("single-quotes", "strings in single quotes", "DDDD", [.jsonSingleQuote]) {
            Workshop.file().replacing("\"", with: "'")
        },
        content("smart-quotes", "strings in typographic quotes", "DDDD", [.jsonTypographicQuote]) {
            Workshop.file().replacing("\"webcredentials\"", with: "“webcredentials”")
                .replacing("\"apps\"", with: "“apps”")
        },
        content("top-array", "an array at the top", "DDDD", [.fileNotAnObject]) { "[\(Workshop.file())]\n" },
        content("top-string", "a string at the top", "DDDD", [.fileNotAnObject]) { "\"\(app)\"\n" },
        content("duplicate-key", "\"webcredentials\" twice, both with the app", "AAAA", [.jsonDuplicateKey]) {
            Workshop.file(after: ",\n  \"webcredentials\": {\n    \"apps\": [\"\(app)\"]\n  }")
        },
        content(
            "deep-nesting", "an unknown key with 600 nested arrays", "????", [.jsonTooDeep, .serviceUnknown]
        ) {
            let arrays = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
            return Workshop.file(after: ",\n  \"unknown\": \(arrays)")
        },
    ]

    private static let apps: [FaultHost] = [
        apps("app-missing", "other apps only", "DDDD", [.appNotListed], [Workshop.otherApp]),
        content(
            "app-only-in-applinks", "applinks lists the app, webcredentials does not", "DDDD",
            [.appListedElsewhere]
        ) {
            let links = "\"applinks\": {\"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/*\"}]}]},"
            return Workshop.file(apps: [Workshop.otherApp], before: links + "\n  ")
        },
        apps(
            "app-other-prefix", "correct bundle identifier, different prefix", "DDDD", [.appOtherPrefix],
            ["A1B2C3D4E5.com.example.DemoApp"]),
        apps(
            "app-other-case", "bundle identifier in different case", "DDDD", [.appOtherCase],
            ["D3KQX62K1A.com.example.demoapp"]),
        apps(
            "app-leading-space", "a space before the identifier", "DDDD", [.appSurroundingSpace],
            [" \(app)"]),
        apps(
            "app-wildcard", "prefix.com.example.*", "DDDD", [.appWildcard], ["D3KQX62K1A.com.example.*"]),
        apps(
            "app-without-prefix", "bundle identifier without prefix", "DDDD", [.appNoPrefix],
            ["com.example.DemoApp"]),
        content("apps-string", "apps is a string", "DDDD", [.appsNotAnArray]) {
            #"{"webcredentials": {"apps": "\#(app)"}}"# + "\n"
        },
        apps("apps-empty", "apps is an empty array", "DDDD", [.appNotListed, .appsEmpty], []),
        content("service-misspelt", "webCredentials", "DDDD", [.serviceMisspelt]) {
            Workshop.file().replacing("webcredentials", with: "webCredentials")
        },
        content("service-misplaced", "webcredentials inside applinks", "DDDD", [.linksWithoutDetails, .serviceMissing])
        {
            #"{"applinks": {"details": [], "webcredentials": {"apps": ["\#(app)"]}}}"# + "\n"
        },
        content("rtf", "the JSON saved as RTF", "DDDD", [.jsonRichText]) {
            let lines = Workshop.file().replacing("{", with: "\\{").replacing("}", with: "\\}").replacing(
                "\n", with: "\\\n")
            return "{\\rtf1\\ansi\\ansicpg1252\n{\\fonttbl\\f0\\fswiss Helvetica;}\n\\f0\\fs24 \(lines)}\n"
        },
        content("assetlinks", "the content of Android's assetlinks.json", "DDDD", [.fileAssetlinks]) {
            let fingerprint = (0..<32).map { String($0 + 0xA0, radix: 16, uppercase: true) }.joined(separator: ":")
            return """
                [{
                  "relation": ["delegate_permission/common.get_login_creds"],
                  "target": {
                    "namespace": "android_app",
                    "package_name": "com.example.demo",
                    "sha256_cert_fingerprints": ["\(fingerprint)"]
                  }
                }]

                """
        },
        apps(
            "app-lower-prefix", "the prefix in lower case", "A???", [.appLowerCasePrefix],
            ["d3kqx62k1a.com.example.DemoApp"]),
        content("apps-with-numbers", "numbers among the strings", "AAAA", [.appNotAString]) {
            #"{"webcredentials": {"apps": [1, "\#(app)", 2.5]}}"# + "\n"
        },
    ]
}
