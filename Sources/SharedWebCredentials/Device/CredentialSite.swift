import AssociatedDomains

/// A site whose passwords an app requests: a host and port from its `webcredentials` entries.
struct CredentialSite {
    /// The domain as the app passed it.
    let written: String
    /// The host in lower case.
    let host: String
    /// The port; nil for 443.
    let port: UInt16?
    let entries: [AssociatedDomain]

    /// Finds a site among an app's entries.
    ///
    /// The host must be equal to the host of an entry. A wildcard entry counts only as its bare host. A given port must
    /// be equal to the entry's port. Without a port, the first entry of the host determines the port.
    /// - Parameter written: a host, or a host with a port.
    init?(_ written: String, among entries: [AssociatedDomain]) {
        let (host, port) = CredentialSite.parts(of: written.loweredASCII)
        guard let first = entries.first(where: { $0.host == host && (port == nil || $0.securePort == port) }) else {
            return nil
        }
        self.init(written, first, among: entries)
    }

    private init(_ written: String, _ entry: AssociatedDomain, among entries: [AssociatedDomain]) {
        self.written = written
        host = entry.host
        port = entry.securePort == 443 ? nil : entry.securePort
        self.entries = entries.filter { $0.host == entry.host && $0.securePort == entry.securePort }
    }

    /// Returns the distinct sites of all entries, in the order of the entries.
    static func all(_ entries: [AssociatedDomain]) -> [CredentialSite] {
        var sites: [CredentialSite] = []
        for entry in entries where !sites.contains(where: { $0.entries.contains(entry) }) {
            sites.append(CredentialSite(entry.fileAuthority, entry, among: entries))
        }
        return sites
    }

    func holds(_ credential: SharedCredential) -> Bool { credential.server == host && credential.port == port }

    /// Splits a text into host and port. An invalid port remains part of the host, which prevents a match.
    static func parts(of text: String) -> (host: String, port: UInt16?) {
        var host = text[...]
        var port: UInt16?
        let isBracketed = text.hasPrefix("[")
        if let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) {
            let name = text[..<colon]
            let digits = text[colon...].utf8.dropFirst()
            if isBracketed ? name.hasSuffix("]") : !name.contains(":"),
                digits.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(String(digits) ?? ""), number > 0
            {
                (host, port) = (name, number)
            }
        }
        return (String(isBracketed && host.hasSuffix("]") ? host.dropFirst().dropLast() : host), port)
    }
}

extension AssociatedDomain {
    var securePort: UInt16 { port ?? 443 }
}
