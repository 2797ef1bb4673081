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

    /// All messages, specific ones first.
    static let all = PackageResources.messages_tsv.tableRows.map { row in
        KnownMessage(
            names: row[0].split(separator: ", ").map(String.init),
            phrases: row[1].split(separator: " | ").map(String.init),
            meaning: row[2], causes: row[3].split(separator: " | ").map(String.init), command: "motivator \(row[4])")
    }

    /// The smallest number of digits of a negative number that counts without the name of its domain.
    private static let digitsWithoutDomain = 3

    /// The index of the message for each name, which is in lower case. Of several messages with the same name, the last
    /// one is the general one.
    private static let named = Dictionary(
        all.enumerated().flatMap { index, message in message.names.map { ($0.lowercased(), index) } }
    ) { $1 }

    /// Returns the messages in a text, and the first line that contains each message, after the line of a response that
    /// names the host, or after the output of `pm get-app-links`. The text is a number, a domain with a code, a status
    /// line, a sentence, a response of Apple's CDN, that output, or a log.
    static func found(in text: String) -> [(message: KnownMessage, line: String)] {
        var coded: Set<Int> = []
        var spoken: Set<Int> = []
        var lines: [Int: String] = [:]
        var origin = ""
        for original in text.split(whereSeparator: \.isNewline) {
            let line = original.lowercased().replacing("\u{2212}", with: "-").replacing("\u{2013}", with: "-")
            let inCodes = codes(in: line).compactMap { named[$0] }
            let matching = all.indices.filter { index in all[index].phrases.contains { line.has($0) } }
            // Of the sentences with the same names, the first one is the most specific.
            let inPhrases = Dictionary(matching.map { (all[$0].names, $0) }) { first, _ in first }.values
            coded.formUnion(inCodes)
            spoken.formUnion(inPhrases)
            for index in inCodes + inPhrases where lines[index] == nil { lines[index] = String(original) }
            if origin.isEmpty, line.contains("apple-from:") { origin = "\(original) " }
            if line.contains("domain verification state:") { origin = "\(text)\n" }
        }
        // A sentence is more specific than its code.
        let explained = Set(spoken.flatMap { all[$0].names })
        coded = coded.filter { explained.isDisjoint(with: all[$0].names) }
        // The status of a response says less than its other headers.
        let isStatus = { (index: Int) in all[index].names[0].hasPrefix("HTTP ") }
        if !spoken.union(coded).allSatisfy(isStatus) { coded = coded.filter { !isStatus($0) } }
        return spoken.union(coded).sorted().map { (all[$0], origin + (lines[$0] ?? "")) }
    }

    /// Returns the names in a line, in lower case.
    private static func codes(in line: String) -> Set<String> {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }.map {
            $0.hasSuffix(".") ? String($0.dropLast()) : String($0)
        }
        var found = Set(words)
        let isAlone = words.count == 1
        // In a log, a number counts only after the name of its domain or if it is a long negative number.
        var domain: String?
        for word in words {
            guard let number = Int(code: word) else {
                // The version in a status line, such as HTTP/1.1 404, is not a domain.
                if Double(word) != nil { continue }
                let last = word.split(separator: ".").last.map(String.init) ?? word
                if !["code", "error", "domain", "swcd"].contains(last) {
                    domain = last == "nsosstatuserrordomain" ? "osstatus" : last
                }
                continue
            }
            let isLong = word.hasPrefix("-") && word.count > digitsWithoutDomain || number > 9_999
            func names(_ number: Int, _ isEnough: Bool) -> [String] {
                named.keys.filter { $0.hasSuffix(" \(number)") && (isEnough || $0.hasPrefix("\(domain ?? "") ")) }
            }
            let exact = names(number, isAlone || isLong)
            found.formUnion(exact)
            // People often omit the minus sign.
            if exact.isEmpty || (isAlone && number > 0) { found.formUnion(names(-number, isAlone)) }
        }
        return found
    }

    func command(for text: String) -> String {
        let names = MessageNames(text)
        return command.split(separator: " ").map { word in
            switch word {
            case "APP": names.app ?? "APP"
            case "PACKAGE=FINGERPRINT": names.android
            case _: names.host.map { String(word.replacing("HOST", with: $0)) } ?? String(word)
            }
        }.joined(separator: " ")
    }

    func text(for text: String) -> String {
        let causes = causes.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n            ")
        return """
            \(names.joined(separator: ", "))
              Meaning   \(meaning)
              Causes    \(causes)
              Command   \(command(for: text))

            """
    }

    /// Returns the part of a report about each message, and a sentence before the parts if only one of them applies.
    static func texts(_ found: [(message: KnownMessage, line: String)], in text: String) -> [String] {
        let isAmbiguous = Int(text) != nil && found.count > 1
        let advice = "Several error domains use the code \(text) or -\(text). Find the domain of your error below.\n"
        return (isAmbiguous ? [advice] : []) + found.map { $0.message.text(for: $0.line) }
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
    /// The Android app for the command, as `PACKAGE=FINGERPRINT`. A missing value remains a placeholder.
    private(set) var android = "PACKAGE=FINGERPRINT"

    init(_ text: String) {
        let services = Service.allCases.map { "\($0.rawValue):" }
        let hash = text.firstMatch(of: #/apk-key-hash:([-\w+\/=]+)/#).flatMap { String($0.1) }
        if let print = hash.flatMap({ CertificateFingerprint(base64: $0) }) { android = "PACKAGE=\(print)" }
        let states = AppLinksState.found(in: text)
        if let state = states.first(where: \.hasFailed) ?? states.first { (android, host) = (state.app, state.host) }
        var last = ""
        // An error domain is not a host.
        let text = text.replacing("Error Domain=", with: "Error ")
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
                !found.lowercased().hasPrefix("com.apple."), let entry = try? AssociatedDomain("applinks:\(found)")
            else { continue }
            host = entry.fileAuthority
        }
    }
}

extension Int {
    /// Parses an error code: decimal, or an OSStatus as an unsigned or hexadecimal number.
    fileprivate init?(code word: String) {
        let number = word.hasPrefix("0x") ? UInt32(word.dropFirst(2), radix: 16).map { Int($0) } : Int(word)
        guard let number, (Int(Int32.min)...Int(UInt32.max)).contains(number) else { return nil }
        self = number > Int(Int32.max) ? number - (1 << 32) : number
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
