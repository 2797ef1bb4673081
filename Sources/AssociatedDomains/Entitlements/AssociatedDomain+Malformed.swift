import Platform

extension AssociatedDomain {
    /// Why a device drops an entry, or why a text is none.
    ///
    /// All but the first two begin with the whole entry. Positions count Unicode scalars of the entry from 1.
    public enum Malformed: Error, Hashable, Sendable {
        // The text as a whole.

        /// Nothing, or nothing but white space.
        case empty
        /// More than `maximumLength` bytes; the entry itself is left out.
        case tooLong(length: Int)
        /// White space in front or behind.
        case surroundingSpace(String)
        /// A piece of a property list, with its tags.
        case markup(String)
        /// More than one entry in one string.
        case severalEntries(String)
        /// A quote in front or behind.
        case quotes(String, Unicode.Scalar)
        /// A variable of Xcode, such as `$(DOMAIN)`, that was not replaced.
        case buildSetting(String)
        /// A stand-in of a template or a document, such as `<domain>`.
        case placeholder(String)
        /// An object or array of JSON.
        case json(String)
        /// The entitlement's key in place of one of its values.
        case entitlementKey(String)
        /// An application identifier in place of an entry.
        case appIdentifier(String)

        // The service.

        /// A service with something else than a colon behind it.
        case noColon(String, service: Service)
        /// A host alone.
        case noService(String)
        case unknownService(String, service: String, suggestion: Service?)
        /// A second service where the host has to be.
        case twoServices(String)
        /// A scheme, such as that of a URL.
        case scheme(String, scheme: String)
        /// `//` in front of the host, as in a URL.
        case slashes(String)

        // The host.

        case emptyHost(String)
        case leadingDot(String)
        case trailingDot(String)
        /// Two dots in a row; the position is that of the second.
        case emptyLabel(String, position: Int)
        case labelTooLong(String, label: String, length: Int)
        case hostTooLong(String, length: Int)
        /// White space inside.
        case space(String, Unicode.Scalar, position: Int)
        case character(String, Unicode.Scalar, position: Int)
        case userinfo(String)
        case noDot(String, host: String)
        case localhostWithoutDeveloperMode(String)
        case addressWithoutMode(String, address: String)
        /// An IPv6 address without `[` and `]`.
        case addressWithoutBrackets(String, address: String)
        /// Something that can only be meant as an address, but is none.
        case malformedAddress(String, address: String)
        /// A `*` elsewhere than in `*.` at the beginning of the host.
        case wildcardInside(String, position: Int)
        /// Nothing but `*`.
        case wildcardAlone(String)
        case wildcardAddress(String)

        // What follows the host.

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
        case .tooLong(let length):
            "the entry has \(length) bytes, more than the \(AssociatedDomain.maximumLength) that any entry can need"
        case .surroundingSpace(let text): "the entry \(text.excerpt) has a space or line break at its beginning or end"
        case .markup(let text): "\(text.excerpt) is a piece of a property list, not an entry"
        case .severalEntries(let text): "more than one entry stands in \(text.excerpt)"
        case .quotes(let text, let quote):
            "the entry \(text.excerpt) begins or ends with \(quote.shown)"
        case .buildSetting(let text): "the entry \(text.excerpt) has a build setting that was not replaced by its value"
        case .placeholder(let text): "the entry \(text.excerpt) has a placeholder, not a domain"
        case .entitlementKey(let text): "\(text.excerpt) is the key of the entitlement, not one of its entries"
        case .appIdentifier(let text): "\(text.excerpt) is an application identifier, not an entry"
        case .json(let text): "\(text.excerpt) is JSON, not an entry"
        case .noColon(let text, let service): "the entry \(text.excerpt) has no colon after \(service.rawValue)"
        case .noService(let text): "the entry \(text.excerpt) has no service in front of its domain"
        case .unknownService(let text, let service, _):
            "the entry \(text.excerpt) has the unknown service \(service.excerpt): devices drop it without a word"
        case .twoServices(let text): "the entry \(text.excerpt) has two services"
        case .scheme(let text, let scheme): "the entry \(text.excerpt) has the scheme \(scheme.excerpt) of a URL"
        case .slashes(let text): "the entry \(text.excerpt) has slashes in front of its domain"
        case .emptyHost(let text): "the entry \(text.excerpt) has no domain"
        case .leadingDot(let text): "the domain of the entry \(text.excerpt) begins with a dot"
        case .trailingDot(let text): "the domain of the entry \(text.excerpt) ends with a dot"
        case .emptyLabel(let text, let position):
            "the entry \(text.excerpt) has two dots in a row at character \(position)"
        case .labelTooLong(let text, let label, let length):
            "the entry \(text.excerpt) has \(length) characters in \(label.excerpt), more than the "
                + "\(HostText.maximumLabel) that may stand between two dots"
        case .hostTooLong(let text, let length):
            "the domain of the entry \(text.excerpt) has \(length) characters, more than \(HostText.maximumName)"
        case .space(let text, let scalar, let position):
            "the entry \(text.excerpt) has \(scalar == " " ? "a space" : "white space (\(scalar.code))") "
                + "at character \(position)"
        case .character(let text, let scalar, let position):
            "the entry \(text.excerpt) has \(scalar.shown) at character \(position), which no entry can have there"
        case .userinfo(let text): "the entry \(text.excerpt) has a user name or e-mail address (@)"
        case .noDot(let text, let host): "the domain \(host.excerpt) of the entry \(text.excerpt) has no dot"
        case .localhostWithoutDeveloperMode(let text):
            "the entry \(text.excerpt) names localhost, which a device takes only with the mode developer alone"
        case .addressWithoutMode(let text, let address):
            "the entry \(text.excerpt) names the address \(address.excerpt), which a device takes only with a mode"
        case .addressWithoutBrackets(let text, let address):
            "the IPv6 address \(address.excerpt) of the entry \(text.excerpt) is not in brackets"
        case .malformedAddress(let text, let address):
            "\(address.excerpt) in the entry \(text.excerpt) is neither an IP address nor a domain"
        case .wildcardInside(let text, let position):
            "the entry \(text.excerpt) has a wildcard at character \(position), where none may be"
        case .wildcardAlone(let text): "the entry \(text.excerpt) has a wildcard without a domain"
        case .wildcardAddress(let text): "the entry \(text.excerpt) has a wildcard in front of an address"
        case .portMalformed(let text, let port):
            port.isEmpty
                ? "the entry \(text.excerpt) has a colon without a port behind it"
                : "the port \(port.excerpt) of the entry \(text.excerpt) is not a number"
        case .portZero(let text): "the entry \(text.excerpt) has the port 0, which no server has"
        case .portTooLarge(let text, let port):
            "the port \(port.excerpt) of the entry \(text.excerpt) is over \(UInt16.max)"
        }
    }
}
