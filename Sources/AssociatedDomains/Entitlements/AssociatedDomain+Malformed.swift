package import AssociationDiagnostics
public import MotivatorPlatform

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
        case leadingDot(String)
        case trailingDot(String)
        /// Two consecutive dots, with the position of the second dot.
        case emptyLabel(String, position: Int)
        case labelTooLong(String, label: String, length: Int)
        case hostTooLong(String, length: Int)
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

        case portMalformed(String, port: String)
        case portZero(String)
        case portTooLarge(String, port: String)
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
        case .leadingDot(let text): "the domain of the entry \(text.excerpt) begins with a dot"
        case .trailingDot(let text): "the domain of the entry \(text.excerpt) ends with a dot"
        case .emptyLabel(let text, let position):
            "the entry \(text.excerpt) has two dots in a row at character \(position)"
        case .labelTooLong(let text, let label, let length):
            "the label \(label.excerpt) of the entry \(text.excerpt) is \(length) characters long; "
                + "the limit is \(HostText.maximumLabel)"
        case .hostTooLong(let text, let length):
            "the domain of the entry \(text.excerpt) is \(length) characters long; the limit is \(HostText.maximumName)"
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
        case .portMalformed(let text, let port):
            port.isEmpty
                ? "the entry \(text.excerpt) has a colon without a port"
                : "the port \(port.excerpt) of the entry \(text.excerpt) is not a number"
        case .portZero(let text): "the entry \(text.excerpt) has port 0, which is not valid"
        case .portTooLarge(let text, let port):
            "the port \(port.excerpt) of the entry \(text.excerpt) is larger than \(UInt16.max)"
        }
    }
}

extension AssociatedDomain.Malformed: CatalogIssue {
    package static let title = "Entitlement"
    package static let examples: [AssociatedDomain.Malformed] = [
        .unknownService("", service: "", suggestion: nil), .noService(""), .scheme("", scheme: ""), .portZero(""),
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
        case .portMalformed, .portZero, .portTooLarge:
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
        case .emptyHost, .leadingDot, .trailingDot, .emptyLabel, .labelTooLong, .hostTooLong, .space, .character,
            .userinfo:
            dropped(
                "entitlement-host", "The host is a valid DNS name.", "webcredentials:example..com", .observed)
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
