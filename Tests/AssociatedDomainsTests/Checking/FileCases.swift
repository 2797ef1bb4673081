@testable import AssociatedDomains
@testable import AssociationChecker

/// The issues in a file without a site. iOS 8 denies each unsigned file.
enum FileCases {
    /// Returns a file that lists the demo app for one service.
    private static func only(_ service: String) -> String { "{\"\(service)\":{\"apps\":[\"\(demoApp)\"]}}" }

    private static let nested =
        "{\"applinks\":{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\(details.dropFirst())}"

    static let all = containers + json + services + apps + asked + reported

    static let containers: [CheckCase] = [
        .file("a good file", credentials(demoApp), "AAAD", []),
        .file(
            "exactly 131,072 bytes", padded(to: 131_072), "AAAD", ["file-nearly-too-large"]),
        .file("one byte more", padded(to: 131_073), "DDDD", ["file-too-large"]),
        .file("90 of 100 of the limit is fine", padded(to: 117_963), "AAAD", []),
        .file("one byte more than 90 of 100", padded(to: 117_964), "AAAD", ["file-nearly-too-large"]),
        .bytes("PEM", Array("-----BEGIN PKCS7-----\nMIIB\n-----END PKCS7-----\n".utf8), "DDDD", ["file-pem"]),
        .bytes(
            "S/MIME text", Array("MIME-Version: 1.0\nContent-Type: application/pkcs7-mime\n\nMIIB\n".utf8), "DDDD",
            ["file-smime-text"]),
        .bytes(
            "S/MIME text that begins with its type", Array("Content-Type: application/pkcs7-mime\n\nMIIB\n".utf8),
            "DDDD", ["file-smime-text"]),
        .bytes(
            "neither JSON nor CMS", [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0], "DDDD",
            ["file-neither-json-nor-cms", "signature-missing"]),
        .bytes("gzip", InflationTests.gzip, "DDDD", ["file-neither-json-nor-cms", "signature-missing"]),
        .bytes("gzip that is cut off", [0x1F, 0x8B, 8], "DDDD", ["file-neither-json-nor-cms", "signature-missing"]),
        .bytes(
            "DER that is no CMS", [0x30, 0x80, 0x02, 0x01, 0x01, 0, 0], "DDDD", ["signature-malformed"]),
    ]

    static let json: [CheckCase] = [
        .file("nothing", "", "DDDD", ["json-empty"]),
        .file("white space alone", " \n", "DDDD", ["json-empty"]),
        .file("a byte order mark", "\u{FEFF}" + credentials(demoApp), "AAAD", ["json-byte-order-mark"]),
        .bytes(
            "UTF-16", Array(credentials(demoApp).utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }), "DDDD",
            ["json-encoding", "signature-missing"]),
        .file("YAML", "# Apps\nwebcredentials:\n  apps:\n    - \(demoApp)\n", "DDDD", ["json-yaml"]),
        .file("YAML with a marker", "---\nwebcredentials: {}\n", "DDDD", ["json-yaml"]),
        .file("a page", "<!doctype html><title>404</title>", "DDDD", ["json-html"]),
        .file(
            "a page above the limit of the size", "<!DOCTYPE html>" + String(repeating: " ", count: 131_058), "DDDD",
            ["json-html"]),
        .file("rich text", "{\\rtf1\\ansi {\"webcredentials\":{}}}", "DDDD", ["json-rich-text"]),
        .bytes(
            "a byte of Latin-1",
            Array("{\"a\":\"".utf8) + [0xE9] + Array("\",\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}".utf8),
            "DDDD", ["json-invalid-utf8", "service-unknown", "signature-missing"]),
        .file("cut off", String(credentials(demoApp).dropLast(2)), "DDDD", ["json-cut-off"]),
        .file("more behind the end", credentials(demoApp) + " x", "DDDD", ["json-extra-content"]),
        .file(
            "another document that can list the app",
            credentials("D3KQX62K1A.com.example.Other") + credentials(demoApp), "DDDD", ["json-extra-content"],
            CheckRequest.asking(demoApp)),
        .file(
            "another document that can have the service", only("appclips") + ",\n" + credentials(demoApp), "DDDD",
            ["json-extra-content"], CheckRequest.asking(demoApp, .webcredentials)),
        .file(
            "600 arrays in one another", String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
            "DDDD",
            ["json-too-deep", "file-not-an-object"]),
        .file("a trailing comma", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\",]}}", "DDDD", ["json-trailing-comma"]),
        .file(
            "a missing comma", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\" \"D3KQX62K1A.com.example.Other\"]}}",
            "DDDD",
            ["json-missing-comma"]),
        .file("a stray comma", "{,\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDDD", ["json-stray-comma"]),
        .file("a missing colon", "{\"webcredentials\" {\"apps\":[\"\(demoApp)\"]}}", "DDDD", ["json-missing-colon"]),
        .file(
            "a missing value", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":}", "DDDD",
            ["json-missing-value"], ),
        .file("another bracket", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"}}", "DDDD", ["json-bracket"]),
        .file("a comment", "{ // why\n\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDDD", ["json-comment"]),
        .file(
            "a no-break space", "{\u{A0}\"webcredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDDD",
            ["json-invisible-character"]),
        .file("something else", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]};}", "DDDD", ["json-unexpected"]),
        .file(
            "typographic quotes", "{“webcredentials”:{\"apps\":[\"\(demoApp)\"]}}", "DDDD", ["json-typographic-quote"]),
        .file("single quotes", "{'webcredentials':{\"apps\":[\"\(demoApp)\"]}}", "DDDD", ["json-single-quote"]),
        .file("a bare key", "{webcredentials:{\"apps\":[\"\(demoApp)\"]}}", "DDDD", ["json-unquoted-key"]),
        .file(
            "a string that is not closed", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\n]}}", "DDDD",
            ["json-unclosed-string"]),
        .file(
            "a tab in a string", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"a\tb\":1}", "DDDD",
            ["json-control-character", "service-unknown"]),
        .file(
            "an escape of another language", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"\\x41\":1}", "DDDD",
            ["json-escape", "service-unknown"]),
        .file(
            "half a surrogate pair", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"\\uD800\":1}", "DDDD",
            ["json-surrogate", "service-unknown"]),
        .file(
            "a word of Python", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"debug\":True}", "DDDD",
            ["json-word", "service-unknown"]),
        .file(
            "a hexadecimal number", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"version\":0x10}", "DDDD",
            ["json-number", "service-unknown"]),
        .file(
            "a key twice", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"webcredentials\":{\"apps\":[]}}", "AAAD",
            ["json-duplicate-key"]),
    ]

    static let services: [CheckCase] = [
        .file("an array", "[\(credentials(demoApp))]", "DDDD", ["file-not-an-object"]),
        .file("an empty object", "{}", "DDDD", ["service-none"]),
        .file(
            "only a misspelt service", "{\"webCredentials\":{\"apps\":[\"\(demoApp)\"]}}", "DDDD", ["service-misspelt"]),
        .file(
            "something else beside a service", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"owner\":\"me\"}",
            "AAAD",
            ["service-unknown"]),
        .file("a service inside applinks", nested, "AAAD", ["service-nested"]),
        .file(
            "the requested service inside applinks", nested, "DDDD", ["service-nested"],
            CheckRequest.asking(demoApp, .webcredentials)),
        .file(
            "applinks with nothing but a service", "{\"applinks\":\(credentials(demoApp))}", "DDDD", ["service-nested"]),
        .file(
            "a service with nothing but another service", "{\"webcredentials\":\(only("appclips"))}", "DDDD",
            ["service-nested"]),
        .file(
            "a service that is an array", "{\"webcredentials\":[\"\(demoApp)\"]}", "DDDD",
            ["service-not-an-object"]),
        .file(
            "a bare service beside another", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":{}}", "AAAD",
            ["apps-missing"]),
        .file(
            "apps as a string", "{\"webcredentials\":{\"apps\":\"\(demoApp)\"}}", "DDDD",
            ["apps-not-an-array"]),
        .file(
            "apps in upper case", "{\"webcredentials\":{\"Apps\":[\"\(demoApp)\"]}}", "DDDD",
            ["service-key-misspelt"]),
        .file(
            "a single app", "{\"webcredentials\":{\"app\":\"\(demoApp)\"}}", "DDDD",
            ["service-key-misspelt"]),
        .file(
            "the key of universal links", "{\"appclips\":{\"appIDs\":[\"\(demoApp)\"]}}", "DDAD",
            ["service-key-misspelt"]),
        .file(
            "another key beside apps", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"],\"owner\":\"me\"}}", "AAAD",
            ["service-key-unknown"]),
        .file(
            "a misspelt key beside apps", "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"],\"APPS\":[]}}", "AAAD",
            ["service-key-misspelt"]),
        .file(
            "no issue about what was put in the place of unknown words",
            "{\"webcredentials\":{\"apps\":[NaN,True,\"\(demoApp)\"]}}", "DDDD", ["json-word"]),
        .file(
            "apps as a string in another service",
            "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":{\"apps\":\"\(demoApp)\"}}", "AAAD",
            ["apps-not-an-array"]),
        .file(
            "another service that is an array",
            "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":[\"\(demoApp)\"]}", "AAAD",
            ["service-not-an-object"], CheckRequest.asking(demoApp, .webcredentials)),
        .file(
            "apps as a string in the requested service",
            "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":{\"apps\":\"\(demoApp)\"}}", "DDAD",
            ["apps-not-an-array", "service-not-in-version"], CheckRequest.asking(demoApp, .appclips)),
        .file(
            "a bundle identifier, and its app requested", credentials("com.example.DemoApp"), "DDDD",
            ["app-no-prefix"], CheckRequest.asking(demoApp, .webcredentials)),
        .file("no app", "{\"webcredentials\":{\"apps\":[]}}", "DDDD", ["apps-empty", "app-none"]),
        .file(
            "asked for another service", credentials(demoApp), "DDDD", ["service-missing", "service-not-in-version"],
            CheckRequest.asking(demoApp, .applinks)),
    ]

    static let apps: [CheckCase] = [
        .file(
            "a number among the apps", "{\"webcredentials\":{\"apps\":[7,\"\(demoApp)\"]}}", "AAAD",
            ["app-not-a-string"]
        ),
        .file("a space behind", credentials(demoApp + " "), "DDDD", ["app-surrounding-space"]),
        .file(
            "a prefix of nine", credentials("D3KQX62K1.com.example.DemoApp"), "DDDD", ["app-prefix-length"]),
        .file("a bundle identifier alone", credentials("com.example.DemoApp"), "DDDD", ["app-no-prefix"]),
        .file(
            "a prefix in lower case", credentials("d3kqx62k1a.com.example.DemoApp"), "AAAD", ["app-lower-case-prefix"]),
        .file("a wildcard", credentials("D3KQX62K1A.*"), "DDDD", ["app-wildcard"]),
        .file("a placeholder", credentials("TEAMID.com.example.app"), "DDDD", ["app-placeholder"]),
        .file("an underscore", credentials("D3KQX62K1A.com.example_app"), "DDDD", ["app-malformed"]),
        .file("one good app is enough", credentials("TEAMID.com.example.app", demoApp), "AAAD", ["app-placeholder"]),
        .file("ten X", credentials("XXXXXXXXXX.com.example.app"), "AAAD", ["app-placeholder"]),
        .file(
            "a bundle identifier of a template", credentials("D3KQX62K1A.your.bundle.id"), "AAAD", ["app-placeholder"]),
        .file("an app twice", credentials(demoApp, demoApp), "AAAD", ["app-twice"]),
    ]

    static let asked: [CheckCase] = [
        .file("the app is named", credentials(demoApp), "AAAD", [], CheckRequest.asking(demoApp)),
        .file(
            "the app is named with its prefix in lower case", credentials("d3kqx62k1a.com.example.DemoApp"), "AAAD",
            ["app-lower-case-prefix"], CheckRequest.asking(demoApp)),
        .file(
            "another app", credentials(demoApp), "DDDD", ["app-not-listed"],
            CheckRequest.asking("D3KQX62K1A.com.example.Other")),
        .file(
            "the start of a listed identifier", credentials(demoApp + "X"), "DDDD", ["app-not-listed"],
            CheckRequest.asking(demoApp)),
        .file(
            "a listed identifier with more at its end", credentials(demoApp), "DDDD", ["app-not-listed"],
            CheckRequest.asking(demoApp + "X")),
        .file(
            "the start of a malformed identifier", credentials(demoApp + "X "), "DDDD",
            ["app-surrounding-space", "app-not-listed"], CheckRequest.asking(demoApp)),
        .file(
            "the start of a malformed identifier beside another app",
            credentials(demoApp + "X ", "D3KQX62K1A.com.example.Other"), "DDDD",
            ["app-surrounding-space", "app-not-listed"], CheckRequest.asking(demoApp)),
        .file(
            "the app with a space behind", credentials(demoApp + " "), "DDDD", ["app-surrounding-space"],
            CheckRequest.asking(demoApp)),
        .file(
            "the app before another one in the same string", credentials(demoApp + ", " + demoApp + "X"), "DDDD",
            ["app-malformed"], CheckRequest.asking(demoApp)),
        .file(
            "a wildcard, and its app requested", credentials("D3KQX62K1A.*"), "DDDD", ["app-wildcard"],
            CheckRequest.asking(demoApp)),
        .file(
            "another prefix", credentials(demoApp), "DDDD", ["app-other-prefix"],
            CheckRequest.asking("A3KQX62K1A.com.example.DemoApp")),
        .file(
            "another case", credentials(demoApp), "DDDD", ["app-other-case"],
            CheckRequest.asking("D3KQX62K1A.com.example.demoapp")),
        .file(
            "named for universal links only", linksAside, "AAAD",
            ["app-not-for-every-service", "app-listed-elsewhere"],
            CheckRequest.asking(demoApp)),
        .file(
            "named for universal links only, and asked for them", linksAside, "AAAD", ["service-not-in-version"],
            CheckRequest.asking(demoApp, .applinks)),
        .file(
            "named for message filters, and asked for them", only("messagefilter"), "AAAD", ["service-not-in-version"],
            CheckRequest.asking(demoApp, .messagefilter)),
        .file(
            "named for reports, and asked for them", only("classificationreport"), "AAAD", ["service-not-in-version"],
            CheckRequest.asking(demoApp, .classificationreport)),
        .file(
            "named for single sign-on, and asked for it", only("authsrv"), "AAAD", ["service-not-in-version"],
            CheckRequest.asking(demoApp, .authsrv)),
        .file(
            "named for message filters only, and asked for credentials", only("messagefilter"), "DDDD",
            ["service-missing"], CheckRequest.asking(demoApp, .webcredentials)),
        .file(
            "named for universal links only, and asked for credentials", linksAside, "DDDD", ["app-listed-elsewhere"],
            CheckRequest.asking(demoApp, .webcredentials)),
        .file(
            "named for universal links, of which alone the file is", links, "AAAD", [], CheckRequest.asking(demoApp)),
        .file(
            "named nowhere in a file of two services", linksAside, "DDDD", ["app-not-listed"],
            CheckRequest.asking("D3KQX62K1A.com.example.Third")),
        .file("a file without a service", "{}", "DDDD", ["service-none"], CheckRequest.asking(demoApp)),
        .file(
            "one app for each service", linksAside, "AAAD", ["app-not-for-every-service", "app-listed-elsewhere"]
        ) { request in
            request.apps = [try AppIdentifier(demoApp), try AppIdentifier("D3KQX62K1A.com.example.Other")]
        },
        .file(
            "one app of two is named", linksAside, "DDDD",
            ["app-not-for-every-service", "app-listed-elsewhere", "app-not-listed"]
        ) { request in
            request.apps = [try AppIdentifier(demoApp), try AppIdentifier("D3KQX62K1A.com.example.Third")]
        },
        .file(
            "an entitlement for the service", credentials(demoApp), "AAAD", []
        ) { request in
            request.apps = [try AppIdentifier(demoApp)]
            request.entries = [.init("webcredentials:example.com")]
        },
        .file(
            "an entitlement for a service that the file does not have", credentials(demoApp), "DDDD",
            ["service-missing", "service-not-in-version"]
        ) { request in
            request.entries = [.init("applinks:example.com")]
        },
    ]

    /// Cases that users reported. Each cause must result in a single issue.
    static let reported: [CheckCase] = [
        .file(
            "a misspelled service alone, requested", "{\"appLinks\":{\"details\":[]}}", "DDDD",
            ["service-misspelt", "service-not-in-version"]
        ) { $0.service = .applinks },
        .file(
            "a service of the wrong type, requested", "{\"webcredentials\":[\"\(demoApp)\"]}", "DDDD",
            ["service-not-an-object"], CheckRequest.asking(demoApp, .webcredentials)),
        .file(
            "assetlinks.json, for an app of Apple's devices",
            "[{\"relation\":[\"delegate_permission/common.handle_all_urls\"],\"target\":{}}]",
            "DDDD",
            ["file-assetlinks"], CheckRequest.asking(demoApp)),
        .bytes(
            "a binary property list", Array("bplist00".utf8) + [0xD1, 1, 2, 0x5F, 0x10, 0x12], "DDDD",
            ["json-property-list", "signature-missing"]),
        .file("a property list", "<?xml version=\"1.0\"?><plist version=\"1.0\"/>", "DDDD", ["json-property-list"]),
        .file(
            "only NOT rules", "{\"applinks\":{\"details\":[{\"appID\":\"\(demoApp)\",\"paths\":[\"NOT /a\"]}]}}",
            "DDDD",
            ["links-only-exclusions"]),
        .file(
            "only excluded components, by default",
            "{\"applinks\":{\"defaults\":{\"exclude\":true},\"details\":[{\"appIDs\":[\"\(demoApp)\"],"
                + "\"components\":[{\"/\":\"/a\"}]}]}}", "DDDD", ["links-only-exclusions"]),
        .file(
            "universal links in iOS 8",
            "{\"applinks\":{\"details\":[{\"appIDs\":[\"\(demoApp)\"],"
                + "\"components\":[{\"/\":\"*\"}]}]}}", "AAAD", ["service-not-in-version"],
            CheckRequest.asking(demoApp, .applinks)),
        .file("an object that is cut off", "{\"webcredentials\":{", "DDDD", ["json-cut-off"]),
    ]

    private static let details = "{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"*\"}]}]}"
    /// A file with universal links for the app.
    private static let links = "{\"applinks\":\(details)}"
    /// A file with universal links for the app, and credentials for another app.
    private static let linksAside =
        "{\"webcredentials\":{\"apps\":[\"D3KQX62K1A.com.example.Other\"]},\"applinks\":\(details)}"

    /// Returns a valid file with this number of bytes.
    private static func padded(to count: Int) -> String {
        let text = credentials(demoApp)
        return text + String(repeating: " ", count: count - text.utf8.count)
    }
}
