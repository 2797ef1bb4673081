import AssociatedDomains
import MotivatorPlatform

/// A message of a device, of Apple's CDN or of Android, with its meaning.
struct KnownMessage {
    /// The names: a domain and a code, such as `SWCErrorDomain 7`, or one word, such as `SWCERR00101`.
    let names: [String]
    /// The sentences that contain the message, in lower case. Any text may replace "…".
    let phrases: [String]
    let meaning: String
    /// The likely causes, the most likely one first.
    let causes: [String]
    /// The command that finds the cause. `HOST` and `APP` are placeholders.
    let command: String

    private init(
        _ names: [String], phrases: [String] = [], _ meaning: String, _ causes: [String], _ command: String
    ) {
        (self.names, self.phrases, self.meaning) = (names, phrases, meaning)
        (self.causes, self.command) = (causes, "motivator \(command)")
    }

    private static let site = "association check HOST --app APP"
    private static let credentials = site + " --service webcredentials"
    private static let passkeys =
        "association check HOST --passkeys --app APP --entitlement webcredentials:HOST"
    private static let copy = site + " --cdn"
    private static let lint = "certificate lint HOST:443"
    private static let app = "association check HOST --entitlements App.ipa"

    /// All messages, specific ones first.
    static let all: [KnownMessage] = [
        .init(
            ["SWCERR00101"], phrases: ["bad http response"],
            "Apple's CDN received a status other than 200 from the host.",
            [
                "The file is missing, for example because the deployment skipped the folder .well-known.",
                "The host redirects the request, for example to www or to a sign-in page.",
                "A bot filter or a country filter rejects the user agent AASA-Bot.",
            ], copy),
        .init(
            ["SWCERR00202"], phrases: ["private/reserved ip"],
            "The host has a private or reserved address, so Apple's CDN does not connect to it.",
            [
                "The host is internal, for example a staging host. Use ?mode=developer for development.",
                "The public DNS contains a private address. Publish the public address.",
            ], copy),
        .init(
            ["SWCERR00301"], phrases: ["client.timeout exceeded"], "The host did not respond to Apple's CDN in time.",
            [
                "A firewall drops connections from Apple's addresses or from other countries.",
                "The host starts slowly, or one of its addresses (often IPv6) does not respond.",
            ], copy),
        .init(
            ["SWCERR00401"], "Apple's CDN received a file that is not valid JSON.",
            ["The file has a syntax error.", "The host sends an HTML page with status 200."], site),
        .init(
            ["SWCErrorDomain 2"], "The entry or its service is invalid, so the device ignores it.",
            ["The entry has a scheme, a path or a space.", "The service is misspelled."], app),
        .init(
            ["SWCErrorDomain 7"], phrases: ["denied because the cdn"],
            "Apple's CDN has no file for the host, so the device denies the entry until its next check.",
            [
                "The CDN could not read the file from the host: status, redirect, time limit, or invalid JSON.",
                "The CDN remembers an earlier failure for up to 60 minutes, and the device asks again after 3 to 4 "
                    + "hours.",
                "The host is not public. Use ?mode=developer for development.",
            ], copy),
        .init(
            ["SWCErrorDomain 8"], phrases: ["is invalid. will not attempt a download"],
            "The domain of the entry is invalid, so the device does not request a file.",
            ["The entry has a scheme, a path or a space, or its host has no dot."], app),
        .init(
            ["SWCErrorDomain 100"], phrases: ["disallowed trust result"],
            "The device does not trust the host's TLS certificate.",
            [
                "The certificate has expired, is for another host, or is self-signed.",
                "The host does not send its intermediate certificates.",
                "The root is private. A device trusts it only with ?mode=developer.",
            ], lint),
        .init(
            ["SWCErrorDomain 101"], phrases: ["failed to get server trust"],
            "The device received no certificate chain from the host.",
            ["A proxy or a firewall ends the TLS handshake.", "The host has no certificate for this name."], lint),
        .init(
            ["SWCErrorDomain 102"], "The host's certificate failed the check for extended validation.",
            ["The certificate does not have extended validation, which this entry requires."], lint),
        .init(
            ["SWCErrorDomain 103"], "The host's root certificate is not in the system's trust store.",
            [
                "A user or a profile installed the root. A device trusts it only with ?mode=developer.",
                "A company proxy replaces the certificate on this network.",
            ], lint),
        .init(
            ["SWCErrorDomain 104", "NSCocoaErrorDomain 3840"],
            phrases: ["json text did not start with array or object"],
            "The content is neither JSON nor a signed file.",
            [
                "The host sends an HTML page with status 200, as single-page apps and sign-in pages do.",
                "The JSON has a syntax error.", "The signature is in PEM or S/MIME format.",
            ], site),
        .init(
            ["SWCErrorDomain 1701"], phrases: ["getting enterprise-managed associated domains data"],
            "The device has no managed associated domains. This is normal for a device that no company manages.",
            ["The device is not managed. Look for another message."], site),
        .init(
            ["NSURLErrorDomain -1103"], phrases: ["resource exceeds maximum size"],
            "The file is larger than 131,072 bytes, so the device ignores it.",
            ["The file lists paths one by one. Use patterns.", "The URL returns a large HTML page."], site),
        .init(
            ["NSURLErrorDomain -1001"], "The host did not respond in time.",
            ["A firewall drops the connection.", "The host or the network is slow."], site),
        .init(
            ["NSURLErrorDomain -1003", "NSURLErrorDomain -1004", "NSURLErrorDomain -1009"],
            "The device could not connect to the host.",
            ["The device has no network.", "The name is not in the DNS.", "No server listens on port 443."], site),
        .init(
            [
                "NSURLErrorDomain -1200", "NSURLErrorDomain -1201", "NSURLErrorDomain -1202", "NSURLErrorDomain -1203",
                "NSURLErrorDomain -1204",
            ], "The TLS handshake failed, or the device does not trust the certificate.",
            ["The certificate has expired, or is for another host.", "The server does not support TLS 1.2."], lint),
        .init(
            ["OSStatus -6754", "kAuthenticationErr"], phrases: ["authentication error -6754"],
            "The device did not trust the host's TLS certificate (iOS 9 to 13).",
            [
                "The host does not send its intermediate certificates.",
                "The certificate has expired, is for another host, or ends at a private root.",
            ], lint),
        .init(
            ["ASAuthorizationError 1004", "AuthorizationError 1004"], phrases: ["is not associated with…domain"],
            "The association is denied: the site does not approve the app for webcredentials.",
            [
                "The file does not list this application identifier under webcredentials.",
                "The entitlement has no webcredentials entry with exactly this host.",
                "The app is signed with another team than the file lists.",
                "Apple's CDN has an older file. Install the app again after the CDN has the new one.",
            ], passkeys),
        .init(
            ["ASAuthorizationError 1004", "AuthorizationError 1004"],
            phrases: ["unable to verify webcredentials association"],
            "The device has no result for the association yet.",
            [
                "The app was just installed. Try again in a few seconds.",
                "The device or Apple's CDN could not fetch the file.",
            ], passkeys),
        .init(
            ["ASAuthorizationError 1006", "AuthorizationError 1006"], phrases: ["matchedexcludedcredential"],
            "The device already has a passkey that the server excludes (iOS 18 and later).",
            ["The account already has a passkey on this device. Offer to sign in with it."], passkeys),
        .init(
            ["SecurityError"], phrases: ["is not a registrable domain suffix", "relying party id is invalid"],
            "The page may not use the RP ID.",
            [
                "The RP ID is neither the page's host nor a parent domain.",
                "The RP ID's file /.well-known/webauthn does not list the page's origin, or a browser cannot read it.",
            ], "association check HOST --passkeys --origin https://ORIGIN"),
        .init(
            ["ASAuthorizationError 1001", "AuthorizationError 1001"], "The user or the app canceled the request.",
            ["The user closed the sheet.", "The device has no credential for the request."], credentials),
        .init(
            ["WebAuthenticationSession 1", "ASWebAuthenticationSessionError 1"],
            phrases: ["using https callbacks requires associated domains"],
            "The session ended: the user canceled it, or the app is not associated with the host of an https callback.",
            ["The file or the entitlement lacks webcredentials for the host of the callback."], credentials),
        .init(
            ["OSStatus -50", "errSecParam"],
            phrases: ["no domain provided", "no account provided", "no password provided"],
            "A required value is missing or empty.",
            [
                "The domain, the account or the password is empty.",
                "The domain is nil, and the entitlement has no webcredentials entry.",
            ], app),
        .init(
            ["OSStatus -909", "errSecBadReq"], phrases: ["autofill is not enabled"],
            "AutoFill of passwords is off on the device.",
            ["Turn on AutoFill in the settings for passwords. The app must work without it."], credentials),
        .init(
            ["OSStatus -4", "errSecUnimplemented"], "The function is not available on this system.",
            ["The program runs on a simulator or a system without shared web credentials."], credentials),
        .init(
            ["OSStatus -25293", "errSecAuthFailed"],
            phrases: ["failed to approve", "approval is pending", "approval of…is pending"],
            "The site has not approved the app, or the device has no result yet.",
            [
                "The file does not list the app under webcredentials.",
                "The device or Apple's CDN could not fetch the file.",
                "The app was just installed, and the approval is pending. Try again later.",
            ], credentials + " --cdn"),
        .init(
            ["OSStatus -25299", "errSecDuplicateItem"], "The user chose never to save a password for this host.",
            ["Remove the host from the list of declined websites in the password settings."], credentials),
        .init(
            ["OSStatus -25300", "errSecItemNotFound"], phrases: ["no matching items found"],
            "The device has no matching credential, or the user canceled the choice.",
            [
                "No password is saved for exactly this host. A subdomain or another port has its own.",
                "The user canceled the choice.", "None of several domains has approved the app (iOS 8 to 13).",
            ], credentials),
        .init(
            ["OSStatus -34018", "errSecMissingEntitlement"], phrases: ["not found in…entitlement"],
            "The app's entitlement does not contain the domain.",
            [
                "The app has no webcredentials entry with exactly this host. A wildcard does not count.",
                "The provisioning profile or the signing step dropped the entitlement.",
            ], app),
        .init(
            ["OSStatus -26276", "errSecInternal"], "The system's credential service failed.",
            ["The failure is in the system. Restart the device, and try again."], credentials),
        .init(
            ["Android 50152"], phrases: ["incoming request cannot be validated", "rp id cannot be validated"],
            "Android could not verify that the site shares credentials with the app.",
            [
                "assetlinks.json lacks the relation delegate_permission/common.get_login_creds.",
                "assetlinks.json lists the upload key. Add the app signing key (Play Console, App integrity).",
                "The package name differs, or the file is not public or redirects.",
            ], "association check HOST --android PACKAGE=FINGERPRINT"),
    ]
}

extension KnownMessage {
    /// The smallest number of digits of a negative number that counts without the name of its domain.
    private static let digitsWithoutDomain = 3

    /// Returns the messages in a text, and the first line that contains each message. The text is a number, a domain
    /// with a code, a sentence, or a log.
    static func found(in text: String) -> [(message: KnownMessage, line: String)] {
        var named: Set<Int> = []
        var spoken: Set<Int> = []
        var lines: [Int: String] = [:]
        for original in text.split(whereSeparator: \.isNewline) {
            let line = original.lowercased().replacing("\u{2212}", with: "-").replacing("\u{2013}", with: "-")
            let codes = KnownMessage.codes(in: line)
            for (index, message) in all.enumerated() {
                let isSpoken = message.phrases.contains { line.has($0) }
                guard isSpoken || message.names.contains(where: { codes.contains($0.lowercased()) }) else { continue }
                if isSpoken { spoken.insert(index) } else { named.insert(index) }
                lines[index] = lines[index] ?? String(original)
            }
        }
        // A sentence is more specific than its code.
        let explained = Set(spoken.flatMap { all[$0].names })
        named = named.filter { explained.isDisjoint(with: all[$0].names) }
        return spoken.union(named).sorted().map { (all[$0], lines[$0] ?? "") }
    }

    /// Returns the names in a line, in lower case.
    private static func codes(in line: String) -> Set<String> {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }.map {
            $0.hasSuffix(".") ? String($0.dropLast()) : String($0)
        }
        var found = Set(words)
        let domains = Set(all.flatMap(\.names).filter { $0.contains(" ") }.map { $0.lowercased() })
        let isAlone = words.count == 1
        // In a log, a number counts only after the name of its domain or if it is a long negative number.
        var domain: String?
        for word in words {
            guard let number = Int(code: word) else {
                let last = word.split(separator: ".").last.map(String.init) ?? word
                if !["code", "error", "domain", "swcd"].contains(last) {
                    domain = last == "nsosstatuserrordomain" ? "osstatus" : last
                }
                continue
            }
            let isLong = word.hasPrefix("-") && word.count > digitsWithoutDomain || number > 9_999
            func names(_ number: Int, _ isEnough: Bool) -> [String] {
                domains.filter { $0.hasSuffix(" \(number)") && (isEnough || $0.hasPrefix("\(domain ?? "") ")) }
            }
            let exact = names(number, isAlone || isLong)
            // People often omit the minus sign.
            found.formUnion(exact.isEmpty ? names(-number, isAlone) : exact)
        }
        return found
    }

    func command(for text: String) -> String {
        let names = MessageNames(text)
        return command.split(separator: " ").map { word in
            switch word {
            case "APP": names.app ?? "APP"
            case _: names.host.map { String(word.replacing("HOST", with: $0)) } ?? String(word)
            }
        }.joined(separator: " ")
    }

    /// The explanation for a terminal.
    func text(for text: String) -> String {
        let causes = causes.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n            ")
        return """
            \(names.first ?? "")
              Meaning   \(meaning)
              Causes    \(causes)
              Command   \(command(for: text))

            """
    }

    func json(for text: String) -> JSONNode {
        [
            "names": .list(names.map { .text($0) }), "meaning": .text(meaning),
            "causes": .list(causes.map { .text($0) }), "command": .text(command(for: text)),
        ]
    }
}

/// The app and the host that a message names.
struct MessageNames {
    private(set) var app: String?
    private(set) var host: String?

    init(_ text: String) {
        let services = Service.allCases.map { "\($0.rawValue):" }
        var last = ""
        for part in text.split(whereSeparator: { $0.isWhitespace || "\"'“”‘’()<>[]{},;=".contains($0) }) {
            var word = String(part)
            while word.last == "." || word.last == ":" { word.removeLast() }
            defer { last = word.lowercased() }
            if app == nil, let found = try? AppIdentifier(word), found.prefix == found.prefix.uppercased() {
                app = word
                continue
            }
            guard host == nil else { continue }
            var name: Substring?
            if let service = services.first(where: { word.lowercased().hasPrefix($0) }) {
                name = word.dropFirst(service.count)
            } else if let end = word.firstRange(of: "/a/v1/")?.upperBound {
                name = word[end...]
            } else if word.hasPrefix("https://") {
                name = word.dropFirst("https://".count)
            } else if ["domain", "for", "from"].contains(last) {
                name = word[...]
            }
            guard let found = name?.prefix(while: { $0 != "/" && $0 != "?" }), found.contains("."),
                let entry = try? AssociatedDomain("applinks:\(found)")
            else { continue }
            host = entry.fileAuthority
        }
    }
}

extension Int {
    /// Parses an error code: decimal, or an OSStatus as an unsigned or hexadecimal number.
    fileprivate init?(code word: String) {
        let number = word.hasPrefix("0x") ? Int(word.dropFirst(2), radix: 16) : Int(word)
        guard let number else { return nil }
        self = number > Int(Int32.max) && number <= Int(UInt32.max) ? number - (1 << 32) : number
    }
}

extension String {
    /// Returns whether the text contains the parts of a phrase, which "…" separates, in this order.
    fileprivate func has(_ phrase: String) -> Bool {
        var rest = self[...]
        for part in phrase.split(separator: "…") {
            guard let end = rest.firstRange(of: part)?.upperBound else { return false }
            rest = rest[end...]
        }
        return true
    }
}
