import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import MotivatorPlatform
import MotivatorServer

/// A recorded request or failed handshake. The inspector shows it without secrets.
struct InspectedEntry {
    /// The known clients, by a word in their User-Agent. The order matters because browsers also name their ancestors.
    private static let clients = [
        ("AASA-Bot", "AASA-Bot"), ("swcd", "swcd"), ("UltraMotivator", "our checker"), ("Chromium", "Chromium"),
        ("HeadlessChrome", "Chromium"), ("Edg/", "Edge"), ("Chrome/", "Chromium"), ("CriOS", "Chrome for iOS"),
        ("Firefox/", "Firefox"), ("Safari/", "Safari"), ("CFNetwork", "CFNetwork"), ("curl/", "curl"),
    ]

    let entry: TrafficRecorder.Entry
    private let trust: [Certificate]?
    let method: String
    let target: String
    let version: String
    /// The fields in order, with the values of secret fields replaced.
    let fields: [(name: String, value: String)]

    init(_ entry: TrafficRecorder.Entry, trust: [Certificate]?) {
        (self.entry, self.trust) = (entry, trust)
        var lines = entry.head.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let start = lines.isEmpty ? [] : lines.removeFirst().split(separator: " ").map(String.init)
        method = start.first ?? ""
        target = Secrets.url(start.count > 1 ? start[1] : "")
        version = start.count > 2 ? start[2] : ""
        fields = lines.compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = String(line[..<colon])
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (name, Secrets.value(String(value), ofField: name))
        }
    }

    /// The identifier, which is a valid path segment.
    var id: String { "\(entry.lane)-\(entry.number)" }

    var host: String { field("host") ?? entry.peer?.serverName ?? "" }

    var scheme: String { entry.peer?.tlsVersion == nil ? "http" : "https" }

    var url: String { target.hasPrefix("/") ? "\(scheme)://\(host)\(target)" : target }

    var path: String { String(target.prefix { $0 != "?" }) }

    /// Whether the request is for a style sheet or a picture of a page, which the list of requests omits.
    var isAsset: Bool {
        ["/style.css", "/favicon.svg", "/favicon.ico", "/apple-touch-icon.png", "/connected.svg"].contains(path)
    }

    func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }

    /// The program that sent the request.
    var client: String {
        guard let agent = field("user-agent") else { return "" }
        let known = Self.clients.first { agent.contains($0.0) }?.1
        return known ?? String(agent.prefix { $0 != "/" && $0 != " " })
    }

    /// What a device concludes from a response or a failed handshake.
    struct Conclusion {
        /// The names are the CSS classes for the color and the symbol.
        enum Outcome { case accepted, denied, retry, inactive }

        let outcome: Outcome
        let verdict: String
        var cause: String?

        var text: String { verdict + (cause.map { ": \($0)." } ?? ".") }

        static func denied(_ cause: String) -> Self { Self(.denied, "A device denies the association", cause) }
        static func retry(_ cause: String) -> Self { Self(.retry, "A device tries again later", cause) }

        init(_ outcome: Outcome, _ verdict: String, _ cause: String? = nil) {
            (self.outcome, self.verdict, self.cause) = (outcome, verdict, cause)
        }
    }

    /// The conclusion, or nil if devices do not send this request.
    var conclusion: Conclusion? {
        if let failure = entry.failure { return Self.conclusion(ofHandshake: failure) }
        let paths = [FilePath.wellKnown.text, FilePath.root.text]
        guard paths.contains(path), method == "GET" else { return nil }
        guard scheme == "https" else { return Conclusion(.inactive, "Devices request this file over https only") }
        switch entry.status {
        case 0: return .retry("it receives no response")
        case 200:
            guard let sent = entry.content else { return .retry("the response is incomplete") }
            guard let problem = sent.problem({ self.problem(of: $0) }) else {
                return Conclusion(.accepted, "A device accepts this file")
            }
            return Conclusion(.denied, "A device denies this file", problem)
        case 206, 304, 406, 412, 416:
            return Conclusion(
                .inactive, "Devices send neither conditions nor ranges, and exclude no coding: this is not a device")
        case 300...399: return .denied("it does not follow redirects from the CDN")
        case 400...499: return .denied("status \(entry.status)")
        case 500...599: return .retry("status \(entry.status)")
        case _: return .denied("the response has no file")
        }
    }

    /// A client that ends its handshake does not send its name, so it can also be a browser.
    /// - Parameter reason: OpenSSL's reason, which names an alert of each version after SSL 3 or TLS 1.0.
    private static func conclusion(ofHandshake reason: String) -> Conclusion {
        let alert = reason.firstRange(of: " alert ").map { String(reason[$0.upperBound...]) }
        let words = alert ?? reason
        let denial = "If this client is a device, it denies the association"
        if ["unsupported protocol", "protocol version"].contains(words) {
            return Conclusion(.inactive, denial, "the client and the server have no common TLS version")
        }
        let name = "TLS alert \(words.replacing(" ", with: "_"))"
        if words.contains("certificate") || words == "unknown ca" {
            return Conclusion(.inactive, denial, "the client rejected the certificate (\(name))")
        }
        return .retry(alert == nil ? reason : "the client ended the handshake (\(name))")
    }

    /// Returns why a device denies the content of a response, or nil if it accepts it.
    private func problem(of sent: TrafficRecorder.Content) -> String? {
        guard let content = Self.decoded(sent) else { return "the content is not valid gzip" }
        let file = AssociationFile(content, name: "this file", trust: trust, at: sent.time / 1_000)
        let denial = file.report.denial(path == FilePath.root.text ? .ios9 : .device)
        return denial.map { "\($0.message.clause) [\($0.code)]" }
    }

    private static func decoded(_ sent: TrafficRecorder.Content) -> [UInt8]? {
        guard sent.isGzip else { return sent.bytes }
        return Inflation.undo(sent.bytes, coding: "gzip", limit: AssociationFile.maximumSize + 1)
    }

    var curl: String {
        let own = ["host", "connection", "content-length", "transfer-encoding", "expect"]
        let sent = fields.filter { field in
            !own.contains(field.name.lowercased()) && !field.value.contains("(removed)")
        }
        let selection = method == "GET" ? [] : method == "HEAD" ? ["--head"] : ["-X", method]
        let lines =
            [(["curl", "-i", "--path-as-is"] + selection).joined(separator: " ")]
            + sent.map { "-H " + ($0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)").shellQuoted }
        return (lines + [url.shellQuoted]).joined(separator: " \\\n  ")
    }

    var json: JSONNode {
        [
            "id": .text(id), "time": .text(time), "duration_ms": .number(Int(entry.duration)),
            "client_address": .optional(entry.peer?.address.host), "client": .text(client),
            "tls": .optional(entry.peer?.tlsVersion), "sni": .optional(entry.peer?.serverName),
            "handshake_failure": .optional(entry.failure), "method": .text(method), "url": .text(url),
            "version": .text(version), "fields": .list(fields.map { .list([.text($0.name), .text($0.value)]) }),
            "status": .number(entry.status), "bytes": .number(entry.bytes), "conclusion": .optional(conclusion?.text),
        ]
    }

    /// The entry for an HTTP archive (HAR 1.2).
    var archive: JSONNode {
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().flatMap { $0.split(separator: "&") }.map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        }
        func pairs(_ list: [(String, String)]) -> JSONNode {
            .list(list.map { ["name": .text($0.0), "value": .text($0.1)] })
        }
        return [
            "startedDateTime": .text(Self.text(entry.time - entry.duration)), "time": .number(Int(entry.duration)),
            "request": [
                "method": .text(method), "url": .text(url), "httpVersion": .text(version), "cookies": [],
                "headers": pairs(fields.map { ($0.name, $0.value) }),
                "queryString": pairs(query.map { ($0[0], $0.count > 1 ? $0[1] : "") }),
                "headersSize": .number(entry.head.count), "bodySize": -1,
            ],
            "response": [
                "status": .number(entry.status), "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [],
                "headers": [], "content": ["size": .number(entry.bytes), "mimeType": ""], "redirectURL": "",
                "headersSize": -1, "bodySize": .number(entry.bytes),
            ],
            "cache": [:], "timings": ["send": 0, "wait": .number(Int(entry.duration)), "receive": 0],
            "serverIPAddress": "", "comment": .text(conclusion?.text ?? ""),
        ]
    }

    /// The time with milliseconds (RFC 3339).
    var time: String { Self.text(entry.time) }

    private static func text(_ time: Int64) -> String {
        let fraction = "\(time % 1_000)"
        let padded = String(repeating: "0", count: 3 - fraction.count) + fraction
        return Timestamp.text(time / 1_000).dropLast() + ".\(padded)Z"
    }
}
