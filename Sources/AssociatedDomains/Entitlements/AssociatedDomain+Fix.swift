import MotivatorPlatform
import SourceJSON

extension AssociatedDomain.Malformed {
    private static let form = "Use the form SERVICE:DOMAIN, as in \"webcredentials:example.com\""

    public var fix: String {
        switch self {
        case .empty: Self.form
        case .tooLong: "Write only one domain in each entry, as in \"webcredentials:example.com\""
        case .surroundingSpace(let text), .space(let text, _, _): write(text) ?? "Remove the space"
        case .markup(let text):
            write(text)
                ?? "Use only the text between <string> and </string>, or pass the whole .entitlements file"
        case .severalEntries: "Put each entry in its own string"
        case .quotes(let text, _): write(text) ?? "Remove the quotes"
        case .buildSetting:
            "Write the value of the setting, or extract the entitlements from the built app: "
                + "codesign -d --entitlements - --xml APP"
        case .placeholder: "Replace the placeholder with your own domain, as in \"webcredentials:example.com\""
        case .entitlementKey: "Use one of the strings in the array of this key, such as \"webcredentials:example.com\""
        case .appIdentifier:
            "Write the domain of the website, as in \"webcredentials:example.com\"; the application identifier "
                + "belongs in the association file"
        case .json: "Write an entry, such as \"webcredentials:example.com\"; check an association file separately"
        case .noColon(let text, _): write(text) ?? Self.form
        case .noService(let text):
            HostText.looksReversed(text)
                ? "Write a service and the domain of the website, as in \"webcredentials:example.com\"; this looks "
                    + "like a bundle identifier"
                : write(text, or: "or use \(Self.others) instead of webcredentials") ?? Self.form
        case .unknownService(let text, _, .some): write(text) ?? Self.services
        case .unknownService(_, _, .none): Self.services
        case .twoServices(let text): write(text) ?? "Remove one of the two services, or write two entries"
        case .scheme(let text, _):
            AssociatedDomain.hasService(text)
                ? write(text) ?? Self.form
                : write(text, or: "or use \(Self.others) instead of webcredentials") ?? Self.form
        case .slashes(let text), .leadingDot(let text), .trailingDot(let text), .emptyLabel(let text, _):
            write(text) ?? Self.form
        case .emptyHost: "Write the domain after the colon, as in \"webcredentials:example.com\""
        case .labelTooLong, .hostTooLong: "Write the domain as it is registered in the DNS"
        case .character(let text, let scalar, _) where scalar.value > 0x7F && scalar.properties.isAlphabetic:
            HostText.ascii(String(text.drop { $0 != ":" }.dropFirst().prefix { !"/?#:".contains($0) }), in: text)
                .flatMap { write($0) }
                ?? "Write the domain in its ASCII form, where each non-ASCII label begins with xn--"
        case .character(_, let scalar, _) where scalar == "%":
            "Write the domain in its ASCII form, without percent-encoding"
        case .character(let text, _, _):
            write(text) ?? "Use only letters, digits, hyphens and dots in the domain, after an optional \"*.\""
        case .userinfo(let text): write(text) ?? "Write only the domain"
        case .noDot: "Write the full domain with its top-level domain, such as \"example.com\""
        case .localhostWithoutDeveloperMode(let text): write(text) ?? "Add ?mode=developer"
        case .addressWithoutMode(let text, _):
            write(text, or: "or use a domain name")
                ?? "Add ?mode=developer, or use a domain name"
        case .addressWithoutBrackets(let text, _): write(text) ?? "Put the address in brackets, as in [::1]"
        case .malformedAddress: "Use a domain name, a dotted-decimal IPv4 address, or an IPv6 address in brackets"
        case .wildcardInside: "Put \"*.\" only before the whole domain, as in \"*.example.com\""
        case .wildcardAlone: "Add your own domain after the wildcard, as in \"*.example.com\""
        case .wildcardAddress: "Write the address without \"*.\""
        case .portMalformed(let text, _), .portZero(let text):
            write(text, or: "or use a port from 1 to 65535") ?? "Write a port from 1 to 65535, or remove it"
        case .portTooLarge: "Write a port from 1 to 65535, or remove it"
        }
    }

    private static let others = "applinks, appclips or another service"
    private static let services =
        "Write one of these services before the colon: "
        + Service.allCases.map(\.rawValue).joined(separator: ", ")

    /// Returns the fix with a corrected entry and an alternative, or nil if the entry cannot be corrected.
    private func write(_ text: String, or alternative: String? = nil) -> String? {
        guard let corrected = AssociatedDomain.corrected(text) else { return nil }
        return "Write \"\(corrected)\"" + (alternative.map { ", \($0)" } ?? "")
    }
}

extension AssociatedDomain {
    static func hasService(_ text: String) -> Bool {
        Service.allCases.contains { text.hasPrefix("\($0.rawValue):") }
    }

    /// Returns the entry that a malformed entry probably means, or nil if the meaning is unclear.
    ///
    /// If only the developer mode is missing, the result includes it.
    /// - Parameter text: The malformed entry. If it has no service, the result uses `webcredentials`.
    static func corrected(_ text: String) -> AssociatedDomain? {
        guard text.utf8.count <= maximumLength else { return nil }
        var rest = text.withoutElement.unicodeScalars.filter {
            !$0.properties.isWhitespace && !$0.isQuote && !$0.isInvisible
        }
        var service = Service.webcredentials
        if let (found, length) = serviceWithoutColon(text) {
            service = found
            rest = rest.dropFirst(length).drop { isSeparator($0) }.text.unicodeScalars
        }
        for _ in 0..<2 {
            guard let colon = rest.firstIndex(of: ":") else { break }
            let word = rest[..<colon].text
            guard let found = Service(rawValue: word) ?? Service(meantBy: word) else { break }
            service = found
            rest.removeSubrange(...colon)
        }
        if let scheme = ["https:", "http:"].first(where: { HostText.lowered(rest.text).hasPrefix($0) }) {
            rest = rest.dropFirst(scheme.unicodeScalars.count).text.unicodeScalars
        }
        rest = rest.drop { $0 == "/" }.text.unicodeScalars
        let authority = rest.prefix { !"/?#\\,;".unicodeScalars.contains($0) }
        let query = rest.drop { $0 != "?" }.dropFirst().prefix { !"&#/".unicodeScalars.contains($0) }.text
        let entry = "\(service.rawValue):\(corrected(authority: authority.text))"
        return [entry + corrected(query: query), entry + "?mode=developer"].lazy.compactMap {
            try? AssociatedDomain($0)
        }
        .first
    }

    /// Returns the service at the beginning of a string and its length, unless a colon follows the service.
    static func serviceWithoutColon(_ text: String) -> (service: Service, length: Int)? {
        for service in Service.allCases where text.hasPrefix(service.rawValue) {
            let length = service.rawValue.unicodeScalars.count
            guard let next = text.unicodeScalars.dropFirst(length).first else { return (service, length) }
            if isSeparator(next) { return (service, length) }
        }
        return nil
    }

    /// Returns whether a character is a likely typo for the colon. A dot or hyphen can be part of a domain.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || ";=/|,\u{FF1A}".unicodeScalars.contains(scalar)
    }

    private static func corrected(query: String) -> String {
        let lowered = HostText.lowered(query)
        guard lowered.hasPrefix("mode=") else { return "" }
        let modes = ["developer+managed", "managed+developer", "developer", "managed"]
        return modes.first { lowered.dropFirst(5).hasPrefix($0) }.map { "?mode=\($0)" } ?? ""
    }

    private static func corrected(authority: String) -> String {
        if HostText.ipv6(authority) != nil { return "[\(authority)]" }
        var parts = authority.split(separator: "@").last.map(String.init) ?? ""
        if !parts.hasPrefix("["), let colon = parts.firstIndex(of: ":") {
            let isPort = UInt16(parts[parts.index(after: colon)...]).map { $0 > 0 } ?? false
            if !isPort { parts = String(parts[..<colon]) }
        }
        return parts.split(separator: ".").joined(separator: ".")
    }
}

extension String {
    /// The content of the text if it is a `<string>` element, otherwise the text itself.
    fileprivate var withoutElement: String {
        let (start, end) = ("<string>", "</string>")
        guard let opened = firstRange(of: start), self[..<opened.lowerBound].allSatisfy(\.isWhitespace) else {
            return self
        }
        let content = self[opened.upperBound...]
        guard let closed = content.firstRange(of: end) else { return String(content) }
        return content[closed.upperBound...].allSatisfy(\.isWhitespace) ? String(content[..<closed.lowerBound]) : self
    }
}
