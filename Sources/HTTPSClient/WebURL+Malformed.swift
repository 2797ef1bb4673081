public import MotivatorPlatform

extension WebURL {
    /// Why a text is not an HTTP or HTTPS URL.
    ///
    /// Positions count Unicode scalars from 1.
    public enum Malformed: ExplainedError, Hashable, Sendable {
        case empty
        /// The URL is longer than `maximumLength` bytes, as written or percent-encoded.
        case tooLong(length: Int)
        case surroundingSpace(String)
        /// A control character. Browsers drop or encode it, depending on the character.
        case controlCharacter(String, Unicode.Scalar, position: Int)
        /// A backslash. Browsers treat it as a slash; other software does not.
        case backslash(String, position: Int)
        /// A `%` without two hexadecimal digits.
        case loneEscape(String, position: Int)
        /// A relative reference, or a host without a scheme.
        case noScheme(String)
        /// A scheme other than `https` and `http`.
        case otherScheme(String, scheme: String)
        /// No `//`, or an empty host.
        case noHost(String)
        /// A user name or password before the host.
        case userInformation(String)
        /// A host with non-ASCII characters.
        case internationalHost(String, host: String)
        /// A character that is not allowed in host names.
        case hostCharacter(String, Unicode.Scalar)
        /// An empty label: two dots in a row, or a dot at the start or the end.
        case emptyLabel(String, host: String)
        /// A label of more than 63 bytes, or a name of more than 253 bytes (RFC 1035, section 2.3.4).
        case hostTooLong(String)
        /// A host that ends in a number or is in brackets, but is not an IP address.
        case malformedAddress(String, host: String)
        /// A port that is not a number from 1 to 65535.
        case malformedPort(String, port: String)

        public var problem: String {
            switch self {
            case .empty: "the URL is empty"
            case .tooLong(let length): "the URL is \(length) bytes long, more than the limit of \(WebURL.maximumLength)"
            case .surroundingSpace(let text): "the URL \(text.excerpt) starts or ends with a space or line break"
            case .controlCharacter(let text, let scalar, let position):
                "the URL \(text.excerpt) has the control character \(scalar.code) at character \(position)"
            case .backslash(let text, let position): "the URL \(text.excerpt) has a backslash at character \(position)"
            case .loneEscape(let text, let position):
                "the URL \(text.excerpt) has a % at character \(position) not followed by two hexadecimal digits"
            case .noScheme(let text): "the URL \(text.excerpt) has no scheme"
            case .otherScheme(let text, let scheme):
                "the URL \(text.excerpt) has the scheme \(scheme.excerpt), not https or http"
            case .noHost(let text): "the URL \(text.excerpt) has no host"
            case .userInformation(let text): "the URL \(text.excerpt) has a user name before its host"
            case .internationalHost(_, let host): "the host \(host.excerpt) has non-ASCII characters"
            case .hostCharacter(let host, let scalar): "the host \(host.excerpt) contains \(scalar.shown)"
            case .emptyLabel(_, let host): "the host \(host.excerpt) has an empty label"
            case .hostTooLong(let host): "the host \(host.excerpt) is too long for a domain name"
            case .malformedAddress(_, let host): "the host \(host.excerpt) looks like an IP address, but is not valid"
            case .malformedPort(let text, let port):
                "the URL \(text.excerpt) has the port \(port.excerpt), which is not a number from 1 to 65535"
            }
        }

        public var fix: String {
            switch self {
            case .empty, .noScheme, .noHost: "Write the URL in full, such as https://example.com/path"
            case .tooLong: "Shorten the URL"
            case .surroundingSpace: "Remove the space"
            case .controlCharacter: "Remove the character, or percent-encode it"
            case .backslash: "Write a slash, or %5C for a backslash"
            case .loneEscape: "Write %25 for a percent sign"
            case .otherScheme: "Use https"
            case .userInformation: "Remove everything between // and @"
            case .internationalHost: "Write the host in Punycode, such as xn--mnchen-3ya.example for münchen.example"
            case .hostCharacter: "Use only letters, digits, hyphens and dots in the host"
            case .emptyLabel: "Remove the extra dot"
            case .hostTooLong: "Use at most 63 characters in each label and 253 in total"
            case .malformedAddress:
                "Use a domain name, an IPv4 address in dotted-decimal form, or an IPv6 address in brackets"
            case .malformedPort: "Write the port as a number, or omit the port and its colon"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
