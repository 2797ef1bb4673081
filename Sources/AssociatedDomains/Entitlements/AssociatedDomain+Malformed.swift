package import AssociationDiagnostics
public import MotivatorPlatform
import SourceJSON

extension AssociatedDomain {
    /// The reason a device drops an entry, or a string is not an entry.
    ///
    /// In all cases except the first two, the first value is the whole entry. Positions are in Unicode scalars,
    /// starting at 1.
    public enum Malformed: Error, Hashable, Sendable {
        // The text as a whole.

        case empty
        /// An entry longer than `maximumLength` bytes. The case omits the entry itself.
        case tooLong(length: Int)
        case surroundingSpace(String)
        case markup(String)
        case severalEntries(String)
        case quotes(String, Unicode.Scalar)
        case buildSetting(String)
        case placeholder(String)
        case json(String)
        case entitlementKey(String)
        case appIdentifier(String)

        // The service.

        case noColon(String, service: Service)
        case noService(String)
        case unknownService(String, service: String, suggestion: Service?)
        case twoServices(String)
        case scheme(String, scheme: String)
        case slashes(String)

        // The host.

        case emptyHost(String)
        /// A dot at the start or the end of the host, or two consecutive dots, with the position of the second dot.
        case emptyLabel(String, position: Int)
        /// A host, or one of its labels, that is longer than a limit.
        case nameTooLong(String, name: String, limit: Int)
        case space(String, Unicode.Scalar, position: Int)
        case character(String, Unicode.Scalar, position: Int)
        case userinfo(String)
        case noDot(String, host: String)
        case localhostWithoutDeveloperMode(String)
        case addressWithoutMode(String, address: String)
        case addressWithoutBrackets(String, address: String)
        case malformedAddress(String, address: String)
        case wildcardInside(String, position: Int)
        case wildcardAlone(String)
        case wildcardAddress(String)

        // The text after the host.

        case port(String, port: String)
    }
}

extension AssociatedDomain.Malformed: ExplainedError {
    public var exitCode: ExitCode { .badInput }

    public var problem: String {
        switch self {
        case .empty: "the entry is empty"
        case .tooLong(let length): "the entry is \(length) bytes long; the limit is \(AssociatedDomain.maximumLength)"
        case .surroundingSpace(let text): "the entry \(text.excerpt) begins or ends with a space or line break"
        case .markup(let text): "\(text.excerpt) is part of a property list, not an entry"
        case .severalEntries(let text): "\(text.excerpt) contains more than one entry"
        case .quotes(let text, let quote): "the entry \(text.excerpt) begins or ends with \(quote.shown)"
        case .buildSetting(let text): "the entry \(text.excerpt) contains a build setting instead of its value"
        case .placeholder(let text): "the entry \(text.excerpt) contains a placeholder instead of a domain"
        case .entitlementKey(let text): "\(text.excerpt) is the key of the entitlement, not one of its entries"
        case .appIdentifier(let text): "\(text.excerpt) is an application identifier, not an entry"
        case .json(let text): "\(text.excerpt) is JSON, not an entry"
        case .noColon(let text, let service): "the entry \(text.excerpt) has no colon after \(service.rawValue)"
        case .noService(let text): "the entry \(text.excerpt) has no service before its domain"
        case .unknownService(let text, let service, _):
            "the entry \(text.excerpt) has the unknown service \(service.excerpt): devices silently drop it"
        case .twoServices(let text): "the entry \(text.excerpt) has two services"
        case .scheme(let text, let scheme): "the entry \(text.excerpt) has the URL scheme \(scheme.excerpt)"
        case .slashes(let text): "the entry \(text.excerpt) has slashes before its domain"
        case .emptyHost(let text): "the entry \(text.excerpt) has no domain"
        case .emptyLabel(let text, let position):
            "the entry \(text.excerpt) has an unnecessary dot at character \(position)"
        case .nameTooLong(let text, let name, let limit):
            "\(name.excerpt) in the entry \(text.excerpt) is \(name.utf8.count) characters long; the limit is \(limit)"
        case .space(let text, let scalar, let position):
            "the entry \(text.excerpt) contains \(scalar == " " ? "a space" : "white space (\(scalar.code))") "
                + "at character \(position)"
        case .character(let text, let scalar, let position):
            "the entry \(text.excerpt) contains \(scalar.shown) at character \(position), where it is not allowed"
        case .userinfo(let text): "the entry \(text.excerpt) contains a user name or e-mail address (@)"
        case .noDot(let text, let host): "the domain \(host.excerpt) of the entry \(text.excerpt) has no dot"
        case .localhostWithoutDeveloperMode(let text):
            "the entry \(text.excerpt) names localhost, which a device accepts only with ?mode=developer"
        case .addressWithoutMode(let text, let address):
            "the entry \(text.excerpt) names the address \(address.excerpt), which a device accepts only with a mode"
        case .addressWithoutBrackets(let text, let address):
            "the IPv6 address \(address.excerpt) of the entry \(text.excerpt) is not in brackets"
        case .malformedAddress(let text, let address):
            "\(address.excerpt) in the entry \(text.excerpt) is neither an IP address nor a domain"
        case .wildcardInside(let text, let position):
            "the entry \(text.excerpt) has a wildcard at character \(position), where it is not allowed"
        case .wildcardAlone(let text): "the entry \(text.excerpt) has a wildcard without a domain"
        case .wildcardAddress(let text): "the entry \(text.excerpt) has a wildcard before an address"
        case .port(let text, let port):
            "the port \(port.excerpt) of the entry \(text.excerpt) is not a number from 1 to \(UInt16.max)"
        }
    }

    private static let form = "Use the form SERVICE:DOMAIN, as in \"webcredentials:example.com\""

    public var fix: String {
        switch self {
        case .empty: Self.form
        case .tooLong: "Write only one domain in each entry, as in \"webcredentials:example.com\""
        case .surroundingSpace(let text), .space(let text, _, _): write(text) ?? "Remove the space"
        case .markup(let text):
            write(text) ?? "Use only the text between <string> and </string>, or pass the whole .entitlements file"
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
        case .slashes(let text), .emptyLabel(let text, _): write(text) ?? Self.form
        case .emptyHost(let text):
            "Write the domain after the colon, as in \("\(text.prefix { $0 != ":" }):example.com".excerpt). If the "
                + "domain is in a build setting, set it for each configuration"
        case .nameTooLong: "Write the domain as it is registered in the DNS"
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
            write(text, or: "or use a domain name") ?? "Add ?mode=developer, or use a domain name"
        case .addressWithoutBrackets(let text, _): write(text) ?? "Put the address in brackets, as in [::1]"
        case .malformedAddress: "Use a domain name, a dotted-decimal IPv4 address, or an IPv6 address in brackets"
        case .wildcardInside(let text, _):
            write(text) ?? "Put \"*.\" only before the whole domain, as in \"*.example.com\""
        case .wildcardAlone: "Add your own domain after the wildcard, as in \"*.example.com\""
        case .wildcardAddress: "Write the address without \"*.\""
        case .port(let text, _):
            write(text, or: "or use a port from 1 to 65535") ?? "Write a port from 1 to 65535, or remove it"
        }
    }

    private static let others = "applinks, appclips or another service"
    private static let services =
        "Write one of these services before the colon: " + Service.allCases.map(\.rawValue).joined(separator: ", ")

    /// Returns the fix with a corrected entry and an alternative, or nil if the entry cannot be corrected.
    private func write(_ text: String, or alternative: String? = nil) -> String? {
        guard let corrected = AssociatedDomain.corrected(text) else { return nil }
        return "Write \"\(corrected)\"" + (alternative.map { ", \($0)" } ?? "")
    }
}

extension AssociatedDomain.Malformed: CatalogIssue {
    package static let examples: [AssociatedDomain.Malformed] = [
        .unknownService("", service: "", suggestion: nil), .noService(""), .scheme("", scheme: ""), .port("", port: ""),
        .emptyHost(""), .wildcardAlone(""), .noDot("", host: ""), .addressWithoutMode("", address: ""),
    ]

    package var entry: CatalogEntry {
        switch self {
        case .unknownService:
            dropped(
                "entitlement-unknown-service",
                """
                The service is webcredentials, applinks, appclips, activitycontinuation, messagefilter, \
                classificationreport or authsrv.
                """, "weblinks:example.com", fixed: "applinks:example.com")
        case .scheme, .slashes:
            dropped("entitlement-scheme", "An entry has no URL scheme.", "webcredentials:https://example.com")
        case .port:
            dropped(
                "entitlement-port", "A port is a number from 1 to 65535.", "webcredentials:example.com:0", .observed)
        case .wildcardInside, .wildcardAlone, .wildcardAddress:
            dropped(
                "entitlement-wildcard", "A wildcard is written as *. before the host.",
                "webcredentials:www.*.example.com", fixed: "webcredentials:*.example.com")
        case .noDot, .localhostWithoutDeveloperMode:
            dropped("entitlement-no-dot", "The host contains a dot.", "webcredentials:example", .observed)
        case .addressWithoutMode, .addressWithoutBrackets, .malformedAddress:
            dropped(
                "entitlement-address", "An entry with an IP address also has a mode.", "webcredentials:192.0.2.1",
                .observed)
        case .emptyHost, .emptyLabel, .nameTooLong, .space, .character, .userinfo:
            dropped("entitlement-host", "The host is a valid DNS name.", "webcredentials:example..com", .observed)
        case .empty, .tooLong, .surroundingSpace, .markup, .json, .severalEntries, .quotes, .buildSetting,
            .placeholder, .entitlementKey, .appIdentifier, .noService, .noColon, .twoServices:
            dropped("entitlement-form", "An entry consists of a service, a colon and a host.", "example.com")
        }
    }

    private func dropped(
        _ code: String, _ rule: String, _ example: String, _ source: Source = .entitlement,
        fixed: String = "webcredentials:example.com"
    ) -> CatalogEntry {
        .init(
            code, rule, because: "The device silently drops invalid entries.", .all(.denial), source,
            example: example, fixed: fixed, problem: problem, fix: fix)
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
        let parts = HostText.lowered(rest.text).split(separator: "mode=", maxSplits: 1)
        let authority = parts.first?.prefix { !"/?#\\,;&".contains($0) } ?? ""
        let entry = "\(service.rawValue):\(corrected(authority: String(authority)))"
        let candidates = [entry + corrected(mode: parts.dropFirst().first ?? ""), entry + "?mode=developer"]
        return candidates.lazy.compactMap { try? AssociatedDomain($0) }.first
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

    static func corrected(mode: Substring) -> String {
        let mode = HostText.lowered(String(mode)).replacing("mode=", with: "")
        let modes = ["developer+managed", "managed+developer", "developer", "managed"]
        return modes.first { mode.hasPrefix($0) }.map { "?mode=\($0)" } ?? ""
    }

    private static func corrected(authority: String) -> String {
        if HostText.ipv6(authority) != nil { return "[\(authority)]" }
        var parts = authority.split(separator: "@").last.map(String.init) ?? ""
        if !parts.hasPrefix("["), let colon = parts.firstIndex(of: ":") {
            let isPort = UInt16(parts[parts.index(after: colon)...]).map { $0 > 0 } ?? false
            if !isPort { parts = String(parts[..<colon]) }
        }
        if let star = parts.lastIndex(of: "*") { parts = "*." + parts[star...].dropFirst() }
        return parts.split(separator: ".").joined(separator: ".")
    }
}

extension String {
    /// The content of the text if it is a `<string>` element, otherwise the text itself.
    fileprivate var withoutElement: String {
        guard let opened = firstRange(of: "<string>"), self[..<opened.lowerBound].allSatisfy(\.isWhitespace) else {
            return self
        }
        let content = self[opened.upperBound...]
        guard let closed = content.firstRange(of: "</string>") else { return String(content) }
        return content[closed.upperBound...].allSatisfy(\.isWhitespace) ? String(content[..<closed.lowerBound]) : self
    }
}
