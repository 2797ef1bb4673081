import AssociatedDomains
import AssociationDiagnostics

extension FaultHost {
    /// The hosts with a fault in the file's content. At the root path, the same content is signed.
    static let file: [FaultHost] = containers + syntax + apps

    private static func content(
        _ name: String, _ summary: String, _ verdicts: String, _ issues: String,
        _ text: @escaping @Sendable (IntactFile) -> String
    ) -> FaultHost { FaultHost(.file, name, summary, verdicts, issues) { try $0.content(text($0.file)) } }

    /// Returns a host whose file has exactly the given size at both paths.
    private static func size(_ count: Int, _ verdicts: String, _ issues: String) -> FaultHost {
        let number = count == 131_072 ? "131,072" : "131,073"
        return FaultHost(.file, "size-\(count)", "\(number) bytes as sent", verdicts, issues, source: .sizeLimit) {
            shop in
            func padded(_ bytes: [UInt8], to count: Int) -> [UInt8] {
                bytes + [UInt8](repeating: 0x20, count: max(count - bytes.count, 0))
            }
            // Only the two integers in the signature vary in size.
            let signer = try shop.identity()
            func message(_ padding: Int) throws -> [UInt8] {
                try shop.sign(by: [signer], content: padded(shop.plain.content, to: padding))
            }
            let overhead = try message(count / 2).count - count / 2
            var signed = try message(count - overhead)
            for _ in 0..<1_000 where signed.count != count {
                signed = try message(count - overhead + (count - signed.count).signum())
            }
            return BrokenHost(
                wellKnown: Reply(padded(shop.plain.content, to: count), type: "application/json"),
                root: Reply(signed: signed))
        }
    }

    private static let containers: [FaultHost] = [
        size(131_072, "AAAA", ""), size(131_073, "DDDD", "file-too-large"),
        content("empty", "0 bytes", "DDDD", "json-empty") { _ in "" },
        content("blank", "spaces only", "DDDD", "json-empty") { _ in "      \n" },
        content("bom", "UTF-8 with a byte order mark", "?A??", "json-byte-order-mark") { "\u{FEFF}" + $0.text },
        FaultHost(.file, "utf-16", "UTF-16 with a byte order mark", "?D??", "json-encoding") { shop in
            try shop.content(("\u{FEFF}" + shop.file.text).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })
        },
    ]

    private static let syntax: [FaultHost] = [
        content("trailing-comma", "a comma after the last element", "DDDD", "json-trailing-comma") {
            $0.withTrailingComma
        },
        content("comment", "a // comment", "DDDD", "json-comment") { "// The apps of this site\n" + $0.text },
        content("single-quotes", "strings in single quotes", "DDDD", "json-single-quote") {
            $0.text.replacing("\"", with: "'")
        },
        content("smart-quotes", "strings in typographic quotes", "DDDD", "json-typographic-quote") {
            $0.text.replacing("\"webcredentials\"", with: "“webcredentials”")
                .replacing("\"apps\"", with: "“apps”")
        },
        content("top-array", "an array at the top", "DDDD", "file-not-an-object") { "[\($0.text)]\n" },
        content("top-string", "a string at the top", "DDDD", "file-not-an-object") { "\"\($0.app)\"\n" },
        content("duplicate-key", "\"webcredentials\" twice, both with the app", "AAAA", "json-duplicate-key") {
            $0.adding("\"webcredentials\": {\n    \"apps\": [\"\($0.app)\"]\n  }")
        },
        content(
            "deep-nesting", "an unknown key with 600 nested arrays", "????", "json-too-deep service-unknown"
        ) { file in
            let arrays = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
            return file.adding("\"unknown\": \(arrays)")
        },
    ]

    private static let apps: [FaultHost] = [
        content("app-missing", "other apps only", "DDDD", "app-not-listed") { $0.listing([$0.other]) },
        content(
            "app-only-in-applinks", "applinks lists the app, webcredentials does not", "DDDD", "app-listed-elsewhere"
        ) { file in
            file.listing(
                [file.other],
                applinks: "{\"details\": [{\"appIDs\": [\"\(file.app)\"], \"components\": [{\"/\": \"/*\"}]}]}")
        },
        content("app-other-prefix", "correct bundle identifier, different prefix", "DDDD", "app-other-prefix") { file in
            let prefix = file.app.prefix == "A1B2C3D4E5" ? "B1B2C3D4E5" : "A1B2C3D4E5"
            return file.listing(["\(prefix).\(file.bundle)"])
        },
        content("app-other-case", "bundle identifier in different case", "DDDD", "app-other-case") { file in
            let lower = file.bundle.lowercased()
            return file.listing(["\(file.app.prefix).\(lower == file.bundle ? lower.uppercased() : lower)"])
        },
        content("app-leading-space", "a space before the identifier", "DDDD", "app-surrounding-space") {
            $0.listing([" \($0.app)"])
        },
        content("app-wildcard", "prefix.com.example.*", "DDDD", "app-wildcard") { file in
            let wildcard = (file.bundle.split(separator: ".").dropLast() + ["*"]).joined(separator: ".")
            return file.listing(["\(file.app.prefix).\(wildcard)"])
        },
        content("app-without-prefix", "bundle identifier without prefix", "DDDD", "app-no-prefix") {
            $0.listing([$0.bundle])
        },
        content("apps-string", "apps is a string", "DDDD", "apps-not-an-array") {
            $0.replacing(apps: "\"\($0.app)\"")
        },
        content("apps-empty", "apps is an empty array", "DDDD", "app-not-listed apps-empty") { $0.listing([]) },
        content("service-misspelt", "webCredentials", "DDDD", "service-misspelt") {
            $0.text.replacing("\"webcredentials\"", with: "\"webCredentials\"")
        },
        content("service-misplaced", "webcredentials inside applinks", "DDDD", "service-nested") {
            #"{"applinks": {"details": [], "webcredentials": {"apps": ["\#($0.app)"]}}}"# + "\n"
        },
        content("rtf", "the JSON saved as RTF", "DDDD", "json-rich-text") {
            let lines = $0.text.replacing("\\", with: "\\\\").replacing("{", with: "\\{").replacing("}", with: "\\}")
                .replacing("\n", with: "\\\n")
            return "{\\rtf1\\ansi\\ansicpg1252\n{\\fonttbl\\f0\\fswiss Helvetica;}\n\\f0\\fs24 \(lines)}\n"
        },
        content("assetlinks", "the content of Android's assetlinks.json", "DDDD", "file-assetlinks") {
            _ in AndroidStatement.list
        },
        content("app-lower-prefix", "the prefix in lower case", "A???", "app-lower-case-prefix") { file in
            file.listing(["\(file.app.prefix.lowercased()).\(file.bundle)"])
        },
        content("apps-with-numbers", "numbers among the strings", "AAAA", "app-not-a-string") {
            $0.replacing(apps: "[1, \"\($0.app)\", 2.5]")
        },
    ]
}
