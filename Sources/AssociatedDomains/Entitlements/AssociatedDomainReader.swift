import MotivatorPlatform
import SourceJSON

/// Parses an entry of the entitlement.
struct AssociatedDomainReader {
    package typealias Malformed = AssociatedDomain.Malformed

    package let text: String
    package let service: Service
    package let host: AssociatedDomainHost
    package let port: UInt16?
    private(set) var modes: AssociatedDomain.Modes = []
    /// The issues with syntax that devices accept but the documentation does not allow.
    private(set) var parsed: [AssociatedDomain.EntryIssue.Kind] = []

    init(_ text: String) throws(Malformed) {
        self.text = text
        try AssociatedDomainReader.checkWhole(text)
        let scalars = Array(text.unicodeScalars)
        let colon = try AssociatedDomainReader.colon(in: scalars, of: text)
        let word = scalars[..<colon].text
        guard let service = Service(rawValue: HostText.lowered(word)) else {
            throw AssociatedDomainReader.noService(word, after: scalars[(colon + 1)...], of: text)
        }
        if word != service.rawValue { parsed.append(.serviceCase(service)) }
        self.service = service
        let rest = scalars[(colon + 1)...]
        try AssociatedDomainReader.checkBeginning(rest, of: text)

        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = try AssociatedDomainReader.split(rest[..<end], of: text)
        host = try AssociatedDomainHost(authority.host, of: text)
        if let digits = authority.port, !digits.isEmpty {
            port = try AssociatedDomainReader.port(digits, of: text)
        } else {
            port = nil
            if authority.port != nil { parsed.append(.emptyPort) }
        }
        try readTail(rest[end...])
        try host.check(modes: modes, of: text)
    }

    /// Checks the text as a whole. These checks come first because they produce the clearest messages.
    private static func checkWhole(_ text: String) throws(Malformed) {
        let length = text.utf8.count
        guard length <= AssociatedDomain.maximumLength else { throw .tooLong(length: length) }
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last,
            !scalars.allSatisfy({ $0.properties.isWhitespace })
        else { throw .empty }
        if text.isMarkup { throw .markup(text) }
        if text.hasSeveralEntries { throw .severalEntries(text) }
        if first.properties.isWhitespace || last.properties.isWhitespace { throw .surroundingSpace(text) }
        for edge in [first, last] where edge.isQuote { throw .quotes(text, edge) }
        if text.isJSON { throw .json(text) }
        if text.contains("$(") || text.contains("${") { throw .buildSetting(text) }
        if (text.contains("<") && text.contains(">")) || (text.contains("{") && text.contains("}")) {
            throw .placeholder(text)
        }
    }

    private static func colon(in scalars: [Unicode.Scalar], of text: String) throws(Malformed) -> Int {
        if let (service, _) = AssociatedDomain.serviceWithoutColon(text) {
            // In `applinks :example.com`, the colon follows a space.
            if scalars.dropFirst(service.rawValue.utf8.count).first(where: { $0 != " " }) != ":" {
                throw .noColon(text, service: service)
            }
        }
        if let colon = scalars.firstIndex(of: ":") { return colon }
        if text == Entitlements.key { throw .entitlementKey(text) }
        if (try? AppIdentifier(text)) != nil { throw .appIdentifier(text) }
        throw .noService(text)
    }

    /// Returns the error for an unknown word before the colon.
    private static func noService(
        _ word: String, after rest: ArraySlice<Unicode.Scalar>, of text: String
    ) -> Malformed {
        if word.isWebScheme || rest.starts(with: ["/", "/"]) && !word.isNearService {
            return .scheme(text, scheme: word)
        }
        let scalars = Array(word.unicodeScalars)
        if let space = scalars.firstIndex(where: \.properties.isWhitespace) {
            return .space(text, scalars[space], position: space + 1)
        }
        // In `example.com:8443`, the colon precedes a port.
        let isHost = scalars.contains { ".*/[@".unicodeScalars.contains($0) } || HostText.lowered(word) == "localhost"
        if word.isEmpty || isHost { return .noService(text) }
        return .unknownService(text, service: word, suggestion: Service(meantBy: word))
    }

    private static func checkBeginning(_ rest: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) {
        if rest.starts(with: ["/", "/"]) { throw .slashes(text) }
        guard let colon = rest.firstIndex(of: ":") else { return }
        let word = rest[..<colon].text
        if word.isWebScheme || rest[(colon + 1)...].starts(with: ["/", "/"]) && !word.contains(".") {
            throw .scheme(text, scheme: word)
        }
        if Service(rawValue: HostText.lowered(word)) != nil { throw .twoServices(text) }
    }

    private static func split(
        _ authority: ArraySlice<Unicode.Scalar>, of text: String
    ) throws(Malformed) -> (host: ArraySlice<Unicode.Scalar>, port: ArraySlice<Unicode.Scalar>?) {
        if authority.contains("@") { throw .userinfo(text) }
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else {
                throw .malformedAddress(text, address: authority.text)
            }
            let after = authority[(end + 1)...]
            guard let next = after.first else { return (authority, nil) }
            guard next == ":" else { throw .character(text, next, position: end + 2) }
            return (authority[...end], after.dropFirst())
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority, nil) }
        if HostText.ipv6(authority.text) != nil { throw .addressWithoutBrackets(text, address: authority.text) }
        return (authority[..<colon], authority[(colon + 1)...])
    }

    /// Parses a port of at least one digit. Leading zeros are allowed (RFC 3986, 3.2.3).
    private static func port(_ digits: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) -> UInt16 {
        guard !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) else {
            throw .portMalformed(text, port: digits.text)
        }
        let significant = digits.drop { $0 == "0" }
        guard !significant.isEmpty else { throw .portZero(text) }
        guard let port = UInt16(significant.text) else { throw .portTooLarge(text, port: digits.text) }
        return port
    }

    /// Parses the text after the authority as in a URL. A device ignores everything except the modes.
    private mutating func readTail(_ tail: ArraySlice<Unicode.Scalar>) throws(Malformed) {
        for index in tail.indices where !("!"..."~").contains(tail[index]) {
            if tail[index].properties.isWhitespace { throw .space(text, tail[index], position: index + 1) }
            throw .character(text, tail[index], position: index + 1)
        }
        let path = tail.prefix { $0 != "?" && $0 != "#" }
        if !path.isEmpty {
            let part = path.count == 1 ? "a slash" : "the path \(path.text.excerpt)"
            parsed.append(.path(part: part))
        }
        let rest = tail.dropFirst(path.count)
        if rest.contains("#") { parsed.append(.path(part: "a fragment")) }
        let query = rest.prefix { $0 != "#" }
        if query.first == "?" { readQuery(query.dropFirst().text) }
    }

    private mutating func readQuery(_ query: String) {
        var values: [Substring] = []
        for item in query.split(separator: "&", omittingEmptySubsequences: false) {
            let value = item.dropFirst(5)
            let isMode = item == "mode" || item.hasPrefix("mode=")
            if isMode { values.append(value) }
            if !isMode || value.isEmpty { parsed.append(.query(String(item))) }
        }
        if values.count > 1 { parsed.append(.modeTwice) }
        // The last mode takes effect, even if it is empty.
        guard let last = values.last, !last.isEmpty else { return }
        var hasCapitals = false
        for word in last.split(separator: "+", omittingEmptySubsequences: false) {
            let lowered = HostText.lowered(String(word))
            switch lowered {
            case "developer": modes.insert(.developer)
            case "managed": modes.insert(.managed)
            case _:
                parsed.append(.unknownMode(String(word)))
                continue
            }
            hasCapitals = hasCapitals || lowered != word
        }
        if hasCapitals { parsed.append(.modeCase) }
    }
}

extension Service {
    /// Creates the service that an unknown word probably means, or returns nil if no service is similar.
    package init?(meantBy word: String) {
        let others: [String: Service] = [
            "universallinks": .applinks, "universallink": .applinks, "links": .applinks, "deeplinks": .applinks,
            "credentials": .webcredentials, "passwords": .webcredentials, "passkeys": .webcredentials,
            "autofill": .webcredentials, "handoff": .activitycontinuation, "clips": .appclips,
            "sso": .authsrv,
        ]
        if let service = others[HostText.lowered(word)] {
            self = service
            return
        }
        guard let name = word.nearest(of: Service.allCases.map(\.rawValue), within: 2) else { return nil }
        self.init(rawValue: name)
    }
}

extension Sequence<Unicode.Scalar> {
    package var text: String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: self)
        return String(view)
    }
}

extension Unicode.Scalar {
    package var isQuote: Bool {
        self == "\"" || self == "'" || self == "`" || isTypographicQuote || isTypographicSingleQuote
    }
}

extension String {
    fileprivate var isWebScheme: Bool { ["http", "https"].contains(HostText.lowered(self)) }

    fileprivate var isNearService: Bool { Service(meantBy: self) != nil }

    /// Whether the text is part of a property list.
    fileprivate var isMarkup: Bool {
        guard let start = unicodeScalars.first(where: { !$0.properties.isWhitespace }), start == "<" else {
            return false
        }
        return contains("</") || contains("/>")
            || ["<?xml", "<string", "<key", "<array", "<dict"].contains(where: contains)
    }

    /// Whether the text begins like a JSON object or an array of strings. `{{` begins a template variable instead.
    fileprivate var isJSON: Bool {
        let scalars = unicodeScalars.filter { !$0.properties.isWhitespace }
        return scalars.starts(with: "{\"".unicodeScalars) || scalars.starts(with: "[\"".unicodeScalars)
            || scalars.starts(with: "{}".unicodeScalars)
    }

    /// Whether the text contains several entries, separated by white space or punctuation.
    fileprivate var hasSeveralEntries: Bool {
        let pieces = unicodeScalars.split { $0.properties.isWhitespace || ",;|".unicodeScalars.contains($0) }
        let beginnings = Service.allCases.map { $0.rawValue + ":" }
        let entries = pieces.filter { piece in
            let text = piece.drop(while: \.isQuote).text
            return beginnings.contains { text.hasPrefix($0) }
        }
        return entries.count > 1
    }
}
