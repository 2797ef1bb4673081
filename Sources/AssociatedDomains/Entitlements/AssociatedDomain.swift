import Platform

/// An entry of the associated-domains entitlement as a device takes it, such as `webcredentials:example.com?mode=developer`.
///
/// Apple, "Associated Domains Entitlement": `<service>:<fully qualified domain>[:port][?mode=…]`. Where no document and
/// no observation says what a device does, three decisions are made:
/// - The service and the word `mode` are taken as they are documented, in lower case.
/// - A dot at the end of the host is refused: no certificate has such a name, and it can only be a slip of the hand.
/// - A host of digits after its last dot has to be an address, as it is in every URL (WHATWG URL, 3.5).
///
/// Two entries are equal when a device cannot tell them apart: the remarks do not count.
public struct AssociatedDomain: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes of an entry: three times the longest that has a meaning.
    public static let maximumLength = 1_024

    /// What lets a device fetch the file straight from the domain instead of from Apple's CDN.
    public struct Modes: OptionSet, Hashable, Sendable {
        /// One bit for each mode.
        public let rawValue: UInt8

        /// - Parameter rawValue: one bit for each mode.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A device in developer mode fetches the file itself.
        public static let developer = Modes(rawValue: 1)
        /// A device under management fetches the file itself.
        public static let managed = Modes(rawValue: 2)
    }

    /// The service that app and domain share.
    public let service: Service
    /// The host in lower case, without `*.` in front; an IPv6 address in the form of RFC 5952, without brackets.
    public let host: String
    /// Whether `*.` stands in front of the host.
    public let isWildcard: Bool
    /// The port from 1 to 65,535, or nil for the one of https.
    public let port: UInt16?
    /// The modes that a device knows.
    public let modes: Modes
    /// What differs from Apple's documentation, or works otherwise than the author may expect.
    package private(set) var remarks: [Remark] = []

    /// Reads an entry by the rules of a device.
    ///
    /// - Parameter text: the whole entry, without any space around it; at most `maximumLength` bytes.
    /// - Throws: `Malformed`, the first mistake.
    public init(_ text: String) throws(Malformed) {
        let read = try AssociatedDomainReader(text)
        service = read.service
        host = read.host.name
        isWildcard = read.host.isWildcard
        port = read.port
        modes = read.modes
        let values = ["entry": text.excerpt, "clean": description.excerpt]
        remarks = read.remarks.map { remark in
            Remark(remark.diagnostic, remark.values.merging(values) { own, _ in own }, remark.effects)
        }
    }

    /// Whether an address, such as `192.0.2.1` or `::1`, stands in place of a name.
    public var isAddress: Bool { HostText.isAddress(host) }

    /// The host from whose `/.well-known/` the file is fetched: for a wildcard, the host behind `*.`.
    public var fileHost: String { host }

    /// The host and port as a URL and the path of Apple's CDN have them, such as `example.com:8443` or `[::1]`.
    public var fileAuthority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// The entry in its usual spelling, without what a device ignores.
    public var description: String {
        var words: [String] = []
        if modes.contains(.developer) { words.append("developer") }
        if modes.contains(.managed) { words.append("managed") }
        let query = words.isEmpty ? "" : "?mode=" + words.joined(separator: "+")
        return "\(service.rawValue):\(isWildcard ? "*." : "")\(fileAuthority)\(query)"
    }

    /// Whether a host is among those that the entry names; its port is not looked at.
    ///
    /// A wildcard covers every depth of subdomain. It covers the host behind `*.` too by TN3155 and on devices, but not
    /// by the App Search Programming Guide (archived), which the profiles of earlier systems follow. The file for all of them is the
    /// one of `fileHost`: a wildcard does not serve another entry that names `www.example.com` explicitly, which needs
    /// its own file.
    ///
    /// - Parameters:
    ///   - host: a host name or address without port, in any case of letters; an IPv6 address with or without brackets.
    ///   - profile: whose rules decide about the host after `*.`.
    /// - Returns: whether it is covered; false for what is no host name.
    public func covers(_ host: String, in profile: Profile) -> Bool {
        let wanted = HostText.canonical(host)
        guard wanted != self.host else {
            guard isWildcard else { return true }
            return switch profile {
            case .documented, .device: true
            case .ios9, .ios8: false
            }
        }
        guard isWildcard, wanted.hasSuffix(".\(self.host)") else { return false }
        return HostText.isName(wanted)
    }

    public static func == (one: AssociatedDomain, other: AssociatedDomain) -> Bool {
        one.service == other.service && one.host == other.host && one.isWildcard == other.isWildcard
            && one.port == other.port && one.modes == other.modes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(service)
        hasher.combine(host)
        hasher.combine(isWildcard)
        hasher.combine(port)
        hasher.combine(modes)
    }
}
