import Platform
import SourceJSON

extension AssociatedDomain.Malformed {
    private static let form = "Write it as SERVICE:DOMAIN, such as \"webcredentials:example.com\""

    public var fix: String {
        switch self {
        case .empty: Self.form
        case .tooLong: "Write one domain in one entry, such as \"webcredentials:example.com\""
        case .surroundingSpace(let text), .space(let text, _, _): write(text) ?? "Remove the space"
        case .markup(let text):
            write(text)
                ?? "Give the text between <string> and </string> alone, or the whole .entitlements file as a file"
        case .severalEntries: "Give each entry a string of its own"
        case .quotes(let text, _): write(text) ?? "Remove the quotes"
        case .buildSetting:
            "Put in the value of the setting, or take the entitlements from the built app: "
                + "codesign -d --entitlements - --xml APP"
        case .placeholder: "Put your own domain in its place, such as \"webcredentials:example.com\""
        case .entitlementKey: "Give one of the strings in its array, such as \"webcredentials:example.com\""
        case .appIdentifier:
            "Write the domain of the website, such as \"webcredentials:example.com\"; the application identifier belongs in "
                + "the association file"
        case .json: "Write an entry, such as \"webcredentials:example.com\"; an association file is given as a file"
        case .noColon(let text, _): write(text) ?? Self.form
        case .noService(let text):
            HostText.looksReversed(text)
                ? "Write a service and the domain of the website, such as \"webcredentials:example.com\"; this looks like "
                    + "a bundle identifier"
                : write(text, or: "or with \(Self.others) in place of webcredentials") ?? Self.form
        case .unknownService(let text, _, .some): write(text) ?? Self.services
        case .unknownService(_, _, .none): Self.services
        case .twoServices(let text): write(text) ?? "Remove one of the two, or make two entries of them"
        case .scheme(let text, _):
            AssociatedDomain.hasService(text)
                ? write(text) ?? Self.form
                : write(text, or: "or with \(Self.others) in place of webcredentials") ?? Self.form
        case .slashes(let text), .leadingDot(let text), .trailingDot(let text), .emptyLabel(let text, _):
            write(text) ?? Self.form
        case .emptyHost: "Write the domain after the colon, such as \"webcredentials:example.com\""
        case .labelTooLong, .hostTooLong: "Write the domain as it is registered in the DNS"
        case .character(_, let scalar, _) where scalar.value > 0x7F && scalar.properties.isAlphabetic:
            "Write the domain in its ASCII form, whose labels begin with xn--"
        case .character(_, let scalar, _) where scalar == "%":
            "Write the domain without percent encoding, in its ASCII form"
        case .character(let text, _, _):
            write(text) ?? "Use only letters, digits, hyphens and dots in the domain, after an optional \"*.\""
        case .userinfo(let text): write(text) ?? "Write the domain alone"
        case .noDot:
            "Write the whole domain with its ending, such as \"example.com\""
        case .localhostWithoutDeveloperMode(let text): write(text) ?? "Add ?mode=developer"
        case .addressWithoutMode(let text, _):
            write(text, or: "or name the server by a domain")
                ?? "Add ?mode=developer, or name the server by a domain"
        case .addressWithoutBrackets(let text, _): write(text) ?? "Put the address in brackets, such as [::1]"
        case .malformedAddress: "Write the four numbers of an IPv4 address, an IPv6 address in brackets, or a domain"
        case .wildcardInside: "Put \"*.\" only in front of the whole domain, such as \"*.example.com\""
        case .wildcardAlone: "Put your own domain behind it, such as \"*.example.com\""
        case .wildcardAddress: "Write the address without \"*.\""
        case .portMalformed(let text, _), .portZero(let text):
            write(text, or: "or with a port from 1 to 65535") ?? "Write a port from 1 to 65535, or none"
        case .portTooLarge: "Write a port from 1 to 65535, or none"
        }
    }

    private static let others = "applinks, appclips or activitycontinuation"
    private static let services =
        "Write webcredentials, applinks, appclips or activitycontinuation in front of the colon"

    /// The advice to write a mended entry, with what else can be done; nil when the entry cannot be mended.
    private func write(_ text: String, or alternative: String? = nil) -> String? {
        guard let mended = AssociatedDomain.mended(text) else { return nil }
        return "Write \"\(mended)\"" + (alternative.map { ", \($0)" } ?? "")
    }
}

extension AssociatedDomain {
    /// Whether a text begins with a service and its colon.
    static func hasService(_ text: String) -> Bool {
        Service.allCases.contains { text.hasPrefix("\($0.rawValue):") }
    }

    /// The entry that was most likely meant by a malformed one, or nil when nobody can tell.
    ///
    /// Where the developer mode is all that is missing, it is put to it.
    ///
    /// - Parameter text: the malformed entry; for a text without a service, `webcredentials` is taken.
    static func mended(_ text: String) -> AssociatedDomain? {
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
        let entry = "\(service.rawValue):\(mended(authority: authority.text))"
        return [entry + mended(query: query), entry + "?mode=developer"].lazy.compactMap { try? AssociatedDomain($0) }
            .first
    }

    /// The service at the beginning of a text that has something else than a colon behind it, and its length.
    static func serviceWithoutColon(_ text: String) -> (service: Service, length: Int)? {
        for service in Service.allCases where text.hasPrefix(service.rawValue) {
            let length = service.rawValue.unicodeScalars.count
            guard let next = text.unicodeScalars.dropFirst(length).first else { return (service, length) }
            if isSeparator(next) { return (service, length) }
        }
        return nil
    }

    /// What is written in place of the colon; a dot or a hyphen may be part of a domain.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || ";=/|,\u{FF1A}".unicodeScalars.contains(scalar)
    }

    private static func mended(query: String) -> String {
        let lowered = HostText.lowered(query)
        guard lowered.hasPrefix("mode=") else { return "" }
        let modes = ["developer+managed", "managed+developer", "developer", "managed"]
        return modes.first { lowered.dropFirst(5).hasPrefix($0) }.map { "?mode=\($0)" } ?? ""
    }

    private static func mended(authority: String) -> String {
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
    /// The content of a `<string>` element that is the whole text, or the text itself.
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
