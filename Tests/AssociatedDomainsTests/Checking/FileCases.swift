@testable import AssociatedDomains
@testable import AssociationChecker

/// What is found in a file alone. A plain one is never enough for iOS 8, and so the legacy reading denies each.
enum FileCases {
    static let all = containers + json + services + apps + asked

    static let containers: [CheckCase] = [
        .file("a good file", credentials(demoApp), "AAD", []),
        .file(
            "exactly 131,072 bytes", padded(to: 131_072), "AAD", ["file-nearly-too-large"]),
        .file("one byte more", padded(to: 131_073), "DDD", ["file-too-large"]),
        .file("90 of 100 of the limit is fine", padded(to: 117_000), "AAD", []),
        .bytes("PEM", Array("-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n".utf8), "DDD", ["file-pem"]),
        .bytes(
            "S/MIME text", Array("MIME-Version: 1.0\nContent-Type: application/pkcs7-mime\n\nMIIB\n".utf8), "DDD",
            ["file-smime-text"]),
        .bytes(
            "neither JSON nor CMS", [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0], "DDD",
            ["file-neither-json-nor-cms", "signature-missing"]),
        .bytes(
            "DER that is no CMS", [0x30, 0x80, 0x02, 0x01, 0x01, 0, 0], "DDD", ["signature-malformed"]),
    ]

    static let json: [CheckCase] = [
        .file("nothing", "", "DDD", ["json-empty"]),
        .file("white space alone", " \n", "DDD", ["json-empty"]),
        .file("a byte order mark", "\u{FEFF}" + credentials(demoApp), "DDD", ["json-byte-order-mark"]),
        .bytes(
            "UTF-16", Array(credentials(demoApp).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }), "DDD",
            ["json-encoding", "signature-missing"]),
        .file("a page", "<!doctype html><title>404</title>", "DDD", ["json-html"]),
        .file("rich text", "{\\rtf1\\ansi {\"webcredentials\":{}}}", "DDD", ["json-rich-text"]),
        .bytes(
            "a byte of Latin-1",
            Array("{\"a\":\"".utf8) + [0xE9] + Array("\",\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}".utf8),
            "DDD", ["json-invalid-utf8", "service-unknown", "signature-missing"]),
        .file("cut off", String(credentials(demoApp).dropLast(2)), "DDD", ["json-cut-off"]),
        .file("more behind the end", credentials(demoApp) + " x", "DDD", ["json-extra-content"]),
        .file(
            "600 arrays in one another", String(repeating: "[", count: 600) + String(repeating: "]", count: 600), "DDD",
            ["json-too-deep", "file-not-an-object"]),
        .file("a trailing comma", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\",]}}", "DDD", ["json-trailing-comma"]),
        .file(
            "a missing comma", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\" \"D3KQX62K1A.com.example.Other\"]}}",
            "DDD",
            ["json-missing-comma"]),
        .file("a stray comma", "{,\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDD", ["json-stray-comma"]),
        .file("a missing colon", "{\"webcredentials\" {\"apps\":[\"\(demoApp)\"]}}", "DDD", ["json-missing-colon"]),
        .file(
            "a missing value", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":}", "DDD",
            ["json-missing-value"], ),
        .file("another bracket", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"}}", "DDD", ["json-bracket"]),
        .file("a comment", "{ // why\n\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDD", ["json-comment"]),
        .file(
            "a no-break space", "{\u{A0}\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDD",
            ["json-invisible-character"]),
        .file("something else", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]};}", "DDD", ["json-unexpected"]),
        .file(
            "typographic quotes", "{“webcredentials”:{\"apps\":[\"\(demoApp)\"]}}", "DDD", ["json-typographic-quote"]),
        .file("single quotes", "{'webcredentials':{\"apps\":[\"\(demoApp)\"]}}", "DDD", ["json-single-quote"]),
        .file("a bare key", "{webcredentials:{\"apps\":[\"\(demoApp)\"]}}", "DDD", ["json-unquoted-key"]),
        .file(
            "a string that is not closed", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\n]}}", "DDD",
            ["json-unclosed-string"]),
        .file(
            "a tab in a string", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"a\tb\":1}", "DDD",
            ["json-control-character", "service-unknown"]),
        .file(
            "an escape of another language", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"\\x41\":1}", "DDD",
            ["json-escape", "service-unknown"]),
        .file(
            "half a surrogate pair", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"\\uD800\":1}", "DDD",
            ["json-surrogate", "service-unknown"]),
        .file(
            "a word of Python", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"debug\":True}", "DDD",
            ["json-word", "service-unknown"]),
        .file(
            "a hexadecimal number", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"version\":0x10}", "DDD",
            ["json-number", "service-unknown"]),
        .file(
            "a key twice", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"webcredentials\":{\"apps\":[]}}", "AAD",
            ["json-duplicate-key"]),
    ]

    static let services: [CheckCase] = [
        .file("an array", "[\(credentials(demoApp))]", "DDD", ["file-not-an-object"]),
        .file("an empty object", "{}", "DDD", ["service-none"]),
        .file(
            "only a misspelt service", "{\"webCredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDD",
            ["service-none", "service-misspelt"]),
        .file(
            "something else beside a service", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"owner\":\"me\"}",
            "AAD",
            ["service-unknown"]),
        .file(
            "a service that is an array", "{\"webcredentials\":[\"\(demoApp)\"]}", "DDD",
            ["service-not-an-object", "service-none"]),
        .file(
            "a bare service beside another", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":{}}", "AAD",
            ["apps-missing"]),
        .file(
            "apps as a string", "{\"webcredentials\":{\"apps\":\"\(demoApp)\"}}", "DDD",
            ["apps-not-an-array", "app-none"]),
        .file(
            "apps in upper case", "{\"webcredentials\":{\"Apps\":[\"\(demoApp)\"]}}", "DDD",
            ["service-key-misspelt", "app-none"]),
        .file(
            "a single app", "{\"webcredentials\":{\"app\":\"\(demoApp)\"}}", "DDD",
            ["service-key-misspelt", "app-none"]),
        .file(
            "the key of universal links", "{\"appclips\":{\"appIDs\":[\"\(demoApp)\"]}}", "DDD",
            ["service-key-misspelt", "app-none"]),
        .file(
            "another key beside apps", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"],\"owner\":\"me\"}}", "AAD",
            ["service-key-unknown"]),
        .file(
            "a misspelt key beside apps", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"],\"APPS\":[]}}", "AAD",
            ["service-key-misspelt"]),
        .file(
            "no finding about what was put in the place of unknown words",
            "{\"webcredentials\":{\"apps\":[NaN,True,\"\(demoApp)\"]}}", "DDD", ["json-word"]),
        .file("no app", "{\"webcredentials\":{\"apps\":[]}}", "DDD", ["apps-empty", "app-none"]),
        .file(
            "asked for another service", credentials(demoApp), "DDD", ["service-missing"],
            Question.asking(demoApp, .applinks)),
    ]

    static let apps: [CheckCase] = [
        .file(
            "a number among the apps", "{\"webcredentials\":{\"apps\":[7,\"\(demoApp)\"]}}", "AAD", ["app-not-a-string"]
        ),
        .file("a space behind", credentials(demoApp + " "), "DDD", ["app-surrounding-space", "app-none"]),
        .file(
            "a prefix of nine", credentials("D3KQX62K1.com.example.DemoApp"), "DDD", ["app-prefix-length", "app-none"]),
        .file("a bundle identifier alone", credentials("com.example.DemoApp"), "DDD", ["app-no-prefix", "app-none"]),
        .file(
            "a prefix in lower case", credentials("d3kqx62k1a.com.example.DemoApp"), "AAD", ["app-lower-case-prefix"]),
        .file("a wildcard", credentials("D3KQX62K1A.*"), "DDD", ["app-wildcard", "app-none"]),
        .file("a placeholder", credentials("TEAMID.com.example.app"), "DDD", ["app-placeholder", "app-none"]),
        .file("an underscore", credentials("D3KQX62K1A.com.example_app"), "DDD", ["app-malformed", "app-none"]),
        .file("one good app is enough", credentials("TEAMID.com.example.app", demoApp), "AAD", ["app-placeholder"]),
        .file("ten X", credentials("XXXXXXXXXX.com.example.app"), "AAD", ["app-placeholder"]),
        .file(
            "a bundle identifier of a template", credentials("D3KQX62K1A.your.bundle.id"), "AAD", ["app-placeholder"]),
        .file("an app twice", credentials(demoApp, demoApp), "AAD", ["app-twice"]),
    ]

    static let asked: [CheckCase] = [
        .file("the app is named", credentials(demoApp), "AAD", [], Question.asking(demoApp)),
        .file(
            "the app is named with its prefix in lower case", credentials("d3kqx62k1a.com.example.DemoApp"), "AAD",
            ["app-lower-case-prefix"], Question.asking(demoApp)),
        .file(
            "another app", credentials(demoApp), "DDD", ["app-not-listed"],
            Question.asking("D3KQX62K1A.com.example.Other")),
        .file(
            "another prefix", credentials(demoApp), "DDD", ["app-other-prefix"],
            Question.asking("A3KQX62K1A.com.example.DemoApp")),
        .file(
            "another case", credentials(demoApp), "DDD", ["app-other-case"],
            Question.asking("D3KQX62K1A.com.example.demoapp")),
        .file("named for universal links only", linksAside, "AAD", ["app-listed-elsewhere"], Question.asking(demoApp)),
        .file(
            "named for universal links only, and asked for them", linksAside, "AAD", [],
            Question.asking(demoApp, .applinks)),
        .file(
            "named for universal links only, and asked for credentials", linksAside, "DDD", ["app-listed-elsewhere"],
            Question.asking(demoApp, .webcredentials)),
        .file(
            "named for universal links, of which alone the file is", links, "AAD", [], Question.asking(demoApp)),
        .file(
            "named nowhere in a file of two services", linksAside, "DDD", ["app-not-listed"],
            Question.asking("D3KQX62K1A.com.example.Third")),
        .file("a file without a service", "{}", "DDD", ["service-none", "service-missing"], Question.asking(demoApp)),
        .file("one app for each service", linksAside, "AAD", ["app-listed-elsewhere"]) { question in
            question.apps = [try AppIdentifier(demoApp), try AppIdentifier("D3KQX62K1A.com.example.Other")]
        },
        .file("one app of two is named", linksAside, "DDD", ["app-listed-elsewhere", "app-not-listed"]) { question in
            question.apps = [try AppIdentifier(demoApp), try AppIdentifier("D3KQX62K1A.com.example.Third")]
        },
        .file(
            "an entitlement for the service", credentials(demoApp), "AAD", []
        ) { question in
            question.apps = [try AppIdentifier(demoApp)]
            question.entries = [.init("webcredentials:example.com")]
        },
        .file(
            "an entitlement for a service that is not there", credentials(demoApp), "DDD", ["service-missing"]
        ) { question in
            question.entries = [.init("applinks:example.com")]
        },
    ]

    private static let details = "{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"*\"}]}]}"
    /// Universal links for the app.
    private static let links = "{\"applinks\":\(details)}"
    /// Universal links for the app, credentials for another.
    private static let linksAside =
        "{\"webcredentials\":{\"apps\":[\"D3KQX62K1A.com.example.Other\"]},\"applinks\":\(details)}"

    /// A valid file of so many bytes.
    private static func padded(to count: Int) -> String {
        let text = credentials(demoApp)
        return text + String(repeating: " ", count: count - text.utf8.count)
    }
}
