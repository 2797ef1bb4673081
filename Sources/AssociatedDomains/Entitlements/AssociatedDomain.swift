import MotivatorPlatform

/// An entry of the associated-domains entitlement, such as `webcredentials:example.com?mode=developer`.
///
/// Apple, "Associated Domains Entitlement": `<service>:<fully qualified domain>[:port][?mode=…]`. Three decisions cover
/// cases that are neither documented nor observed:
/// - The word `mode` must be in lower case, as documented.
/// - A trailing dot in the host is rejected. No certificate has such a name, so the dot can only be a typo.
/// - A host with only digits after its last dot must be an address, as in every URL (WHATWG URL, 3.5).
///
/// Two entries are equal if a device does not distinguish them. Issues do not affect equality.
public struct AssociatedDomain: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of an entry, in bytes. The longest useful entry is a third as long.
    public static let maximumLength = 1_024

    /// The modes that make a device fetch the file from the domain itself instead of from Apple's CDN.
    public struct Modes: OptionSet, Hashable, Sendable {
        /// One bit for each mode.
        public let rawValue: UInt8

        /// Creates a set of modes.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// A device in developer mode fetches the file from the domain.
        public static let developer = Modes(rawValue: 1)
        /// A managed device fetches the file from the domain.
        public static let managed = Modes(rawValue: 2)
    }

    /// The service that the app and the domain share.
    public let service: Service
    /// The host in lower case and without a leading `*.`, or an IPv6 address in RFC 5952 form without brackets.
    public let host: String
    /// Whether the host begins with `*.`.
    public let isWildcard: Bool
    /// The port from 1 to 65,535, or nil for the default HTTPS port.
    public let port: UInt16?
    /// The known modes of the entry.
    public let modes: Modes
    /// Differences from Apple's documentation, and behavior that the author may not expect.
    package private(set) var issues: [EntryIssue] = []

    /// Parses an entry as a device does.
    /// - Parameter text: The whole entry, without surrounding white space, at most `maximumLength` bytes.
    /// - Throws: The first error.
    public init(_ text: String) throws(Malformed) {
        try Self.checkWhole(text)
        let scalars = Array(text.unicodeScalars)
        let colon = try Self.colon(in: scalars, of: text)
        let word = scalars[..<colon].text
        let rest = scalars[(colon + 1)...]
        guard let service = Service(rawValue: HostText.lowered(word)) else {
            throw Self.noService(word, after: rest, of: text)
        }
        self.service = service
        try Self.checkBeginning(rest, of: text)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let (written, digits) = try Self.split(rest[..<end], of: text)
        (host, isWildcard) = try Self.host(written, of: text)
        var found: [EntryIssue.Kind] = word == service.rawValue ? [] : [.serviceCase(service)]
        if let digits, !digits.isEmpty {
            port = try Self.port(digits, of: text)
        } else {
            port = nil
            if digits != nil { found.append(.emptyPort) }
        }
        modes = try Self.modes(in: rest[end...], of: text, &found)
        try checkModes(written.text, of: text)
        issues = (found + partIssues(written.text)).map { EntryIssue($0, text, self) }
    }

    /// Whether the host is an address, such as `192.0.2.1` or `::1`.
    public var isAddress: Bool { HostText.isAddress(host) }

    /// The host that serves the file. For a wildcard, this is the host after `*.`.
    public var fileHost: String { host }

    /// The host and port as used in URLs and in the paths of Apple's CDN, such as `example.com:8443` or `[::1]`.
    public var fileAuthority: String { host.bracketed + (port.map { ":\($0)" } ?? "") }

    /// Returns an entry that a device accepts: an entry for localhost or an address gets a mode.
    package static func accepted(_ entry: String) -> String {
        let withMode = "\(entry)?mode=developer"
        return (try? AssociatedDomain(entry)) == nil && (try? AssociatedDomain(withMode)) != nil ? withMode : entry
    }

    /// The entry in its canonical form, without the parts that a device ignores.
    public var description: String {
        var words: [String] = []
        if modes.contains(.developer) { words.append("developer") }
        if modes.contains(.managed) { words.append("managed") }
        let query = words.isEmpty ? "" : "?mode=" + words.joined(separator: "+")
        return "\(service.rawValue):\(isWildcard ? "*." : "")\(fileAuthority)\(query)"
    }

    /// Returns whether the entry covers a host. Ports are ignored.
    ///
    /// A wildcard covers subdomains at every depth. According to TN3155 and on devices, it also covers the host after
    /// `*.`. According to the App Search Programming Guide (archived), which the profiles of earlier systems follow, it
    /// does not. All covered hosts share the file of `fileHost`, but an entry for `www.example.com` uses its own file.
    /// - Parameters:
    ///   - host: A host name or address without port, in upper or lower case. An IPv6 address may have brackets.
    ///   - profile: The profile, which determines whether a wildcard covers the host after `*.`.
    /// - Returns: Whether the host is covered, or false for an invalid host name.
    public func covers(_ host: String, in profile: Profile) -> Bool {
        let wanted = HostText.canonical(host)
        if wanted == self.host { return !isWildcard || profile == .documented || profile == .device }
        guard isWildcard, wanted.hasSuffix(".\(self.host)") else { return false }
        return HostText.isName(wanted)
    }

    public static func == (one: AssociatedDomain, other: AssociatedDomain) -> Bool {
        one.description == other.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
