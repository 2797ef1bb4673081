import MotivatorPlatform
import SourceJSON

/// The steps that parse an entry of the entitlement. Each step throws the first error in its part.
extension AssociatedDomain {
    /// Checks the text as a whole. These checks come first because they produce the clearest messages.
    static func checkWhole(_ text: String) throws(Malformed) {
        let length = text.utf8.count
        guard length <= AssociatedDomain.maximumLength else { throw .tooLong(length: length) }
        let scalars = text.unicodeScalars
        guard let first = scalars.first, let last = scalars.last, !scalars.allSatisfy(\.properties.isWhitespace)
        else { throw .empty }
        if text.isMarkup { throw .markup(text) }
        if text.hasSeveralEntries { throw .severalEntries(text) }
        if first.properties.isWhitespace || last.properties.isWhitespace { throw .surroundingSpace(text) }
        for edge in [first, last] where edge.isQuote { throw .quotes(text, edge) }
        if text.hasPrefix("{\"") || text.hasPrefix("[\"") { throw .json(text) }
        if text.contains("$(") || text.contains("${") { throw .buildSetting(text) }
        if (text.contains("<") && text.contains(">")) || (text.contains("{") && text.contains("}")) {
            throw .placeholder(text)
        }
    }

    static func colon(in scalars: [Unicode.Scalar], of text: String) throws(Malformed) -> Int {
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
    static func noService(_ word: String, after rest: ArraySlice<Unicode.Scalar>, of text: String) -> Malformed {
        if word.isWebScheme || rest.starts(with: ["/", "/"]) && Service(meantBy: word) == nil {
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

    static func checkBeginning(_ rest: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) {
        if rest.starts(with: ["/", "/"]) { throw .slashes(text) }
        guard let colon = rest.firstIndex(of: ":") else { return }
        let word = rest[..<colon].text
        if word.isWebScheme || rest[(colon + 1)...].starts(with: ["/", "/"]) && !word.contains(".") {
            throw .scheme(text, scheme: word)
        }
        if Service(rawValue: HostText.lowered(word)) != nil { throw .twoServices(text) }
    }

    static func split(
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
    static func port(_ digits: ArraySlice<Unicode.Scalar>, of text: String) throws(Malformed) -> UInt16 {
        guard digits.allSatisfy({ ("0"..."9").contains($0) }), let port = UInt16(digits.text), port > 0 else {
            throw .port(text, port: digits.text)
        }
        return port
    }

    /// Parses the text after the authority as in a URL. A device ignores everything except the modes.
    static func modes(
        in tail: ArraySlice<Unicode.Scalar>, of text: String, _ issues: inout [EntryIssue.Kind]
    ) throws(Malformed) -> Modes {
        for index in tail.indices where !("!"..."~").contains(tail[index]) {
            if tail[index].properties.isWhitespace { throw .space(text, tail[index], position: index + 1) }
            throw .character(text, tail[index], position: index + 1)
        }
        let path = tail.prefix { $0 != "?" && $0 != "#" }
        if !path.isEmpty {
            issues.append(.path(part: path.count == 1 ? "a slash" : "the path \(path.text.excerpt)"))
        }
        let rest = tail.dropFirst(path.count)
        if rest.contains("#") { issues.append(.path(part: "a fragment")) }
        let query = rest.prefix { $0 != "#" }
        return query.first == "?" ? modes(inQuery: query.dropFirst().text, &issues) : []
    }

    private static func modes(inQuery query: String, _ issues: inout [EntryIssue.Kind]) -> Modes {
        var values: [Substring] = []
        for item in query.split(separator: "&", omittingEmptySubsequences: false) {
            let value = item.dropFirst(5)
            let isMode = item == "mode" || item.hasPrefix("mode=")
            if isMode { values.append(value) }
            if !isMode || value.isEmpty { issues.append(.query(String(item))) }
        }
        if values.count > 1 { issues.append(.modeTwice) }
        // The last mode takes effect, even if it is empty.
        guard let last = values.last, !last.isEmpty else { return [] }
        var modes: Modes = []
        var hasCapitals = false
        for word in last.split(separator: "+", omittingEmptySubsequences: false) {
            let lowered = HostText.lowered(String(word))
            switch lowered {
            case "developer": modes.insert(.developer)
            case "managed": modes.insert(.managed)
            case _:
                issues.append(.unknownMode(String(word)))
                continue
            }
            hasCapitals = hasCapitals || lowered != word
        }
        if hasCapitals { issues.append(.modeCase) }
        return modes
    }

    // MARK: The host

    /// Parses a host: a name, an address, or a wildcard with a name.
    /// - Parameter host: A slice of the text's scalars. Its indices count from the beginning of the text.
    /// - Returns: The host in lower case, without `*.` and without the brackets of an IPv6 address.
    static func host(
        _ host: ArraySlice<Unicode.Scalar>, of text: String
    ) throws(Malformed) -> (name: String, isWildcard: Bool) {
        if host.first == "[" {
            guard let address = HostText.ipv6(host.dropFirst().dropLast().text) else {
                throw .malformedAddress(text, address: host.text)
            }
            return (address, false)
        }
        guard !host.isEmpty else { throw .emptyHost(text) }
        for index in host.indices {
            let scalar = host[index]
            if scalar == "." || scalar == "*" || HostText.isNameCharacter(scalar) { continue }
            if scalar.properties.isWhitespace { throw .space(text, scalar, position: index + 1) }
            throw .character(text, scalar, position: index + 1)
        }
        let isWildcard = host.starts(with: ["*", "."])
        let name = isWildcard ? host.dropFirst(2) : host
        guard host.count > 1 || host.first != "*" else { throw .wildcardAlone(text) }
        if let star = name.firstIndex(of: "*") { throw .wildcardInside(text, position: star + 1) }
        guard !name.isEmpty else { throw .emptyHost(text) }
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        if let label = labels.first(where: \.isEmpty) {
            throw .emptyLabel(text, position: min(label.startIndex + 1, name.endIndex))
        }
        // The host is ASCII.
        if let label = labels.first(where: { $0.count > HostText.maximumLabel }) {
            throw .nameTooLong(text, name: label.text, limit: HostText.maximumLabel)
        }
        guard host.count <= HostText.maximumName else {
            throw .nameTooLong(text, name: host.text, limit: HostText.maximumName)
        }
        return (HostText.lowered(name.text), isWildcard)
    }

    /// Checks whether a device accepts the host with the modes.
    func checkModes(_ written: String, of text: String) throws(Malformed) {
        if isAddress {
            guard !isWildcard else { throw .wildcardAddress(text) }
            guard !modes.isEmpty else { throw .addressWithoutMode(text, address: written) }
            return
        }
        guard host.contains(".") else {
            guard host == "localhost", !isWildcard else { throw .noDot(text, host: written) }
            guard modes == .developer else { throw .localhostWithoutDeveloperMode(text) }
            return
        }
        if HostText.endsInNumber(host) { throw .malformedAddress(text, address: written) }
    }
}

extension Service {
    /// Creates the service that an unknown word probably means, or returns nil if no service is similar.
    package init?(meantBy word: String) {
        let others: [String: Service] = [
            "universallinks": .applinks, "universallink": .applinks, "links": .applinks, "deeplinks": .applinks,
            "credentials": .webcredentials, "passwords": .webcredentials, "passkeys": .webcredentials,
            "autofill": .webcredentials, "handoff": .activitycontinuation, "clips": .appclips, "sso": .authsrv,
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

    fileprivate var isMarkup: Bool {
        guard unicodeScalars.first(where: { !$0.properties.isWhitespace }) == "<" else { return false }
        return contains("</") || contains("/>")
            || ["<?xml", "<string", "<key", "<array", "<dict"].contains(where: contains)
    }

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
