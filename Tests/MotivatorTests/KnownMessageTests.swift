import ArgumentParser
import MotivatorPlatform
import Testing

@testable import motivator

/// The messages of devices, of Apple's CDN and of Android that `association explain` accepts.
@Suite("Messages of other programs") struct KnownMessageTests {
    private static let associated =
        "Application with identifier D3KQX62K1A.com.example.DemoApp is not associated with domain shop.example.com"

    static let cases: [(text: String, names: [String])] = [
        ("-6754", ["OSStatus -6754"]), ("\u{2212}6754", ["OSStatus -6754"]), ("0xFFFFE59E", ["OSStatus -6754"]),
        ("4294960542", ["OSStatus -6754"]), ("25300", ["OSStatus -25300"]), ("-4", ["OSStatus -4"]),
        ("-50", ["OSStatus -50"]), ("50152", ["Android 50152"]), ("104", ["SWCErrorDomain 104"]),
        ("1004", ["NSURLErrorDomain -1003", "ASAuthorizationError 1004"]), ("-1004", ["NSURLErrorDomain -1003"]),
        ("1001", ["NSURLErrorDomain -1001", "ASAuthorizationError 1001"]), ("SWCERR00101", ["SWCERR00101"]),
        (
            "Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1004 \"(null)\"",
            ["ASAuthorizationError 1004"]
        ),
        ("com.apple.AuthenticationServices.AuthorizationError error 1004", ["ASAuthorizationError 1004"]),
        ("kAuthenticationErr", ["OSStatus -6754"]), ("errSecItemNotFound", ["OSStatus -25300"]),
        ("SWCErrorDomain Code=7", ["SWCErrorDomain 7"]), ("SWCErrorDomain:100", ["SWCErrorDomain 100"]),
        ("SWCErrorDomain 103", ["SWCErrorDomain 103"]),
        ("The operation couldn't be completed. (SWCErrorDomain error 2.)", ["SWCErrorDomain 2"]),
        ("Apple-Failure-Reason: SWCERR00101 Bad HTTP Response: 404 Not Found", ["SWCERR00101"]),
        ("swcerr00301", ["SWCERR00301"]), ("NSURLErrorDomain Code=-1103", ["NSURLErrorDomain -1103"]),
        (
            "Unexpected origin \"android:apk-key-hash:AAECA6Slpqeoqaqrrq-wsbKztLW2t7i5uru8vb6_wME\"",
            ["Android apk-key-hash"]
        ),
        ("[50152] RP ID cannot be validated.", ["Android 50152"]),
        ("The incoming request cannot be validated", ["Android 50152"]),
        (associated, ["ASAuthorizationError 1004"]),
        (
            "Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1004 \"\(associated)\"",
            ["ASAuthorizationError 1004"]
        ),
        ("com.apple.AuthenticationServices.AuthorizationError error 1001", ["ASAuthorizationError 1001"]),
        (
            "Unable to verify webcredentials association of A1B2C3D4E5.x with domain a.example.org. Please try again in "
                + "a few seconds.", ["ASAuthorizationError 1004"]
        ),
        ("Error Domain=NSOSStatusErrorDomain Code=-25293 \"x failed to approve y\"", ["OSStatus -25293"]),
        ("Approval is pending", ["OSStatus -25293"]),
        ("\"example.com\" not found in com.apple.developer.associated-domains entitlement", ["OSStatus -34018"]),
        ("no matching items found", ["OSStatus -25300"]),
        (
            "com.example.shop:\n    ID: 01234567-89ab-cdef-0123-456789abcdef\n    Domain verification state:\n"
                + "      shop.example.com: 1024", ["Android pm get-app-links"]
        ),
        (
            "Provisioning profile \"Shop\" doesn't include the com.apple.developer.associated-domains entitlement.",
            ["Xcode provisioning profile"]
        ),
        ("HTTP/2 301\nserver: nginx\nlocation: https://www.example.com/", ["HTTP 301"]),
        ("HTTP/1.1 403 Forbidden", ["HTTP 401"]), ("404", ["HTTP 404"]), ("Error: HTTP 503", ["HTTP 500"]),
        ("HTTP/1.1 404 Not Found\nApple-Failure-Reason: SWCERR00301 Timeout", ["SWCERR00301"]),
        ("-9223372036854775808", []), ("SWCErrorDomain -9223372036854775808", []), ("0x-8000000000000000", []),
        ("HTTP/1.1 200 OK", []), ("404 files, version 1.1 of 500", []),
        (
            "curl: (60) SSL certificate problem: unable to get local issuer certificate", ["curl 60"]
        ),
        (
            "Nov 25 10:00:01 iPhone swcd(CFNetwork)[93] <Error>: HTTP load failed (error code: -1103)",
            [
                "NSURLErrorDomain -1103"
            ]
        ),
        ("Nov 25 10:00:01 iPhone backboardd[66]: level 7 of 104, port 1004, code 2", []), ("7 apples", []), ("x", []),
    ]

    @Test("A number, a name, a sentence or a log line has its message", arguments: cases)
    func found(text: String, names: [String]) {
        #expect(KnownMessage.found(in: text).map { $0.message.names.first } == names)
    }

    @Test("The command contains the app and the host of the message")
    func command() throws {
        let found = try #require(KnownMessage.found(in: "first line\n\(Self.associated).\nlast line").first)
        let text = found.message.text(for: found.line)
        #expect(text.contains("check shop.example.com --passkeys --app D3KQX62K1A.com.example.DemoApp --entitlement"))
        let log =
            "Request for 'https://app-site-association.cdn-apple.com/a/v1/example.com' denied because the CDN told"
        #expect(
            KnownMessage.found(in: log).map { $0.message.command(for: $0.line) } == [
                "motivator association check example.com --app APP --cdn"
            ])
    }

    @Test(
        "The command has the fingerprint of a key hash, or a placeholder",
        arguments: [
            ("AAECA6Slpqeoqaqrrq-wsbKztLW2t7i5uru8vb6_wME", "=00:01:02:03:A4:A5:"), ("AAECA6Slpqc", "=FINGERPRINT"),
        ])
    func keyHash(_ hash: String, _ fingerprint: String) throws {
        let found = try #require(KnownMessage.found(in: "origin android:apk-key-hash:\(hash) is unknown").first)
        let text = found.message.text(for: found.line)
        #expect(text.contains("check HOST --android PACKAGE\(fingerprint)") && text.contains("keytool"), "\(text)")
    }

    /// Output of `pm get-app-links` for two apps.
    static func links(_ prints: String = "[\(Array(repeating: "14", count: 32).joined(separator: ":"))]") -> String {
        """
          com.example.other:
            ID: 01234567-89ab-cdef-0123-456789abcdef
            Domain verification state:
              other.example.com: verified
          com.example.shop:
            ID: 11234567-89ab-cdef-0123-456789abcdef
            Signatures: \(prints)
            Domain verification state:
              example.com: verified
              www.example.com: 1024
              old.example.com: legacy_failure
            User 0:
              Verification link handling allowed: true
              Selection state:
                Disabled:
                  www.example.com
        """
    }

    @Test("The output of pm get-app-links fills the host and the app that failed into the command")
    func appLinks() throws {
        func command(_ text: String) throws -> String {
            let found = KnownMessage.found(in: text)
            #expect(found.count == 1)
            return try #require(found.first.map { $0.message.command(for: $0.line) })
        }
        let states = AppLinksState.found(in: Self.links())
        #expect(
            states.map(\.line) == [
                "other.example.com for com.example.other: verified\n", "example.com for com.example.shop: verified\n",
                "www.example.com for com.example.shop: failed (1024)\n",
                "old.example.com for com.example.shop: failed (legacy_failure)\n",
            ])
        let check = "motivator association check"
        #expect(try command(Self.links()).hasPrefix("\(check) www.example.com --android com.example.shop=14:14:"))
        #expect(
            try command(Self.links("[]")) == "\(check) www.example.com --android com.example.shop=FINGERPRINT")
        #expect(try command(Self.links("[$(touch${IFS}a)]")).hasSuffix(" --android com.example.shop=FINGERPRINT"))
        #expect(
            !AppLinksState.found(in: Self.links().replacing("www", with: "a;id")).contains { $0.host.contains(";") })
        let verified = Self.links().replacing("1024", with: "verified").replacing("legacy_failure", with: "verified")
        #expect(
            try command(verified) == "\(check) other.example.com --android com.example.other=FINGERPRINT")
        #expect(
            try command("Domain verification state:\n  a.example.com: 1026")
                == "\(check) a.example.com --android PACKAGE=FINGERPRINT")
        #expect(try command("Domain verification state:") == "\(check) HOST --android PACKAGE=FINGERPRINT")
    }

    @Test("The message about a free team does not suggest to turn the capability on")
    func personalTeam() {
        let text =
            "Cannot create an iOS App Development provisioning profile. Personal development teams, including \"A B\", do "
            + "not support the Associated Domains capability."
        #expect(
            KnownMessage.found(in: text).map(\.message.meaning) == [
                "A free (personal) team cannot use Associated Domains."
            ])
    }

    @Test("The command for a SecurityError has the RP ID and the origin")
    func relyingParty() throws {
        let found = try #require(KnownMessage.found(in: "SecurityError").first)
        #expect(found.message.command.contains("--passkeys --rp-id RP-ID --origin https://HOST"))
    }

    @Test(
        "An error domain is not a host",
        arguments: [
            "Error Domain=com.apple.AuthenticationServices.AuthorizationError Code=1004 \"(null)\"",
            "com.apple.AuthenticationServices.AuthorizationError error 1004",
            "The error for com.apple.AuthenticationServices.AuthorizationError 1004",
            "request failed: Error Domain=org.example.client Code=0 NSURLErrorDomain Code=-1001",
        ])
    func errorDomains(text: String) throws {
        let found = try #require(KnownMessage.found(in: text).first)
        #expect(found.message.command(for: found.line).contains("check HOST "))
    }

    @Test("A response of Apple's CDN has the causes of its status, and the host in Apple-From")
    func response() throws {
        func text(_ status: String, _ reason: String = "SWCERR00101 Bad HTTP Response: ") -> String {
            let response = """
                HTTP/1.1 404 Not Found
                Apple-Failure-Details: {"location":"https://www.example.com/","status":"\(status)"}
                Apple-Failure-Reason: \(reason)\(status)
                Apple-From: https://shop.example.com/.well-known/apple-app-site-association
                """
            return KnownMessage.texts(KnownMessage.found(in: response), in: response).joined()
        }
        for (status, cause) in [
            ("301 Moved Permanently", "redirects every request"), ("302 Found", "redirects every request"),
            ("403 Forbidden", "bot filter"), ("404 Not Found", "file is missing"),
        ] {
            let text = text(status)
            #expect(text.firstRange(of: "1. ").map { text[$0.upperBound...].prefix(80).contains(cause) } == true)
            #expect(text.split(separator: "Meaning").count == 2 && text.contains("check shop.example.com --app"))
        }
        let both = text("301 Moved Permanently", "SWCERR00301 ")
        #expect(both.hasPrefix("SWCERR00101\n") && both.contains("SWCERR00301\n"))
    }

    @Test("A number of several error domains says so, and each part names its domain")
    func ambiguity() {
        func text(_ message: String) -> String {
            KnownMessage.texts(KnownMessage.found(in: message), in: message).joined(separator: "\n")
        }
        let both = text("1004")
        #expect(both.hasPrefix("Several error domains use the code 1004 or -1004."))
        #expect(both.contains("\nNSURLErrorDomain -1003, NSURLErrorDomain -1004, "))
        #expect(both.contains("\nASAuthorizationError 1004, AuthorizationError 1004\n"))
        for message in ["-1004", "104", "NSURLErrorDomain -1004"] { #expect(!text(message).contains("Several")) }
    }

    @Test("Each message has a unique sentence, a cause, and a command that the program understands")
    func rows() throws {
        for message in KnownMessage.all {
            #expect(message.meaning.hasSuffix(".") && message.causes.allSatisfy { $0.hasSuffix(".") })
            #expect(!message.causes.isEmpty && message.phrases.allSatisfy { $0 == $0.lowercased() })
            let words = message.command.replacing("APP", with: "D3KQX62K1A.com.example.DemoApp")
                .replacing("HOST", with: "example.com").replacing("PACKAGE=FINGERPRINT", with: "com.example")
            _ = try Motivator.parseAsRoot(words.split(separator: " ").dropFirst().map(String.init))
        }
    }

    private static let app = "D3KQX62K1A.com.example.DemoApp"

    /// Records in the format of `swcutil_show.txt`.
    private static let records = """
        Thu Nov 25 10:00:00 2026
        Service:              applinks
        App ID:               D3KQX62K1A.com.example.DemoApp
        App Version:          1.0
        App PI:               <LSPersistentIdentifier 0x1> { v = 0, t = 0x8 }
        Domain:               example.com?mode=developer
        User Approval:        unspecified
        Site/Fmwk Approval:   unspecified
        Flags:                developer
        Last Checked:         2026-11-23 18:16:58 +0000
        Next Check:           2026-11-23 21:21:34 +0000
        Error:                Error Domain=NSCocoaErrorDomain Code=3840 "JSON text did not start with array or object."
        Retries:              1
        --------------------------------------------------------------------------------
        Service:              webcredentials
        App ID:               D3KQX62K1A.com.example.DemoApp
        Domain:               shop.example.com
        User Approval:        denied
        Site/Fmwk Approval:   approved
        Last Checked:         2026-11-23 18:16:58 +0000
        """

    @Test("Each record of swcutil show has its state, its error and the next command")
    func swcutil() throws {
        let records = SystemRecord.found(in: Self.records)
        #expect(records.count == 2)
        let text = SystemRecord.text(records)
        for part in [
            "applinks:example.com?mode=developer for D3KQX62K1A", "Associated Domains Development", "last check failed",
            "2026-11-23 21:21:34",
            "check example.com --entitlement 'applinks:example.com?mode=developer' --app \(Self.app)\n",
            "check shop.example.com --entitlement webcredentials:shop.example.com --app \(Self.app) --cdn\n",
            "webcredentials:shop.example.com for", "The site approves the app.", "declined to save",
        ] { #expect(text.contains(part), "\(part)") }
        let escapes = SystemRecord.found(in: Self.records.replacing("2026-11-23 21", with: "\u{1B}]0;a\u{7}"))
        #expect(!SystemRecord.text(escapes).contains("\u{1B}"))
        let errors = KnownMessage.found(in: records.map(\.error).joined(separator: "\n"))
        #expect(errors.map { $0.message.names.first } == ["SWCErrorDomain 104"])
        #expect(errors.first?.message.command(for: errors[0].line).contains("check example.com ") == true)
        let many = String(repeating: Self.records.replacing("denied", with: "unspecified") + "\n", count: 6)
        #expect(SystemRecord.text(SystemRecord.found(in: many)).contains("DemoApp: approved\n"))
        let wildcard = Self.records.replacing("shop.", with: "*.").replacing("webcredentials", with: "applinks")
        let commands = SystemRecord.text(SystemRecord.found(in: wildcard))
        #expect(commands.contains("match example.com --domain SUBDOMAIN --app \(Self.app) --url URL\n"), "\(commands)")
        let denied = SystemRecord.text(SystemRecord.found(in: wildcard.replacing("approved", with: "denied")))
        #expect(denied.contains("--entitlement 'applinks:*.example.com' --app \(Self.app) --cdn\n"), "\(denied)")
    }

    @Test("The arguments of explain may begin with a minus, and may be a sentence")
    func arguments() throws {
        for words in [["-6754"], ["-25300", "--json"], ["no", "matching", "items", "found"], ["-50"], ["--", "-4"]] {
            let command = try Motivator.parseAsRoot(["association", "explain"] + words)
            let explain = try #require(command as? AssociationCommand.Explain)
            #expect(explain.words == words.filter { !$0.hasPrefix("--") } && explain.json == words.contains("--json"))
        }
    }
}
