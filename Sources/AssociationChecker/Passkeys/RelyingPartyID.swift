package import AssociatedDomains
package import HTTPSClient
package import MotivatorPlatform

/// An RP ID: the domain name that identifies the site whose passkeys apps and pages use.
package struct RelyingPartyID: Sendable, Hashable {
    /// The domain name in lower case.
    package let name: String

    /// Parses an RP ID.
    /// - Parameter text: the text, such as `example.com`.
    /// - Throws: the reason why the text is not an RP ID.
    package init(_ text: String) throws(ExplainedFailure) {
        let name = HostText.lowered(text)
        if let url = try? WebURL.entered(text) {
            throw Self.malformed(text, "is a URL", "Use only its host: \(url.host)")
        }
        if HostText.isAddress(name) || name.hasPrefix("[") {
            throw Self.malformed(text, "is an IP address", "Use a domain name. Passkeys need one")
        }
        if let colon = name.firstIndex(of: ":"), HostText.isName(String(name[..<colon])) {
            throw Self.malformed(text, "has a port", "Use only the host: \(name[..<colon])")
        }
        if !name.utf8.allSatisfy({ $0 < 0x80 }), let ascii = HostText.ascii(name, in: name), HostText.isName(ascii) {
            throw Self.malformed(text, "has non-ASCII characters", "Write the name in Punycode: \(ascii)")
        }
        guard HostText.isName(name), !name.hasPrefix("."), !HostText.endsInNumber(name) else {
            throw Self.malformed(
                text, "is not a domain name", "Use a domain name without a trailing dot, such as example.com")
        }
        guard name.contains(".") || name == "localhost" else {
            throw Self.malformed(text, "has only one label", "Use a whole domain name, such as \(name).com")
        }
        self.name = name
    }

    private static func malformed(_ text: String, _ reason: String, _ fix: String) -> ExplainedFailure {
        ExplainedFailure("the RP ID \(text.excerpt) \(reason)", fix: fix)
    }

    /// Returns the entry of an app that names the RP ID, or else one whose wildcard covers it. A port does not belong to
    /// an RP ID.
    package func coveringEntry(_ entries: [AssociatedDomain]) -> AssociatedDomain? {
        let own = entries.filter { $0.service == .webcredentials && ($0.port ?? 443) == 443 }
        return own.first { !$0.isWildcard && $0.host == name }
            ?? own.first { $0.isWildcard && $0.covers(name, in: .device) }
    }

    /// Returns the entry that the author of an app without a covering entry may have meant.
    func nearestEntry(_ entries: [AssociatedDomain]) -> AssociatedDomain? {
        let related = entries.filter {
            $0.host == name || $0.host.hasSuffix(".\(name)") || name.hasSuffix(".\($0.host)")
        }
        return related.first { $0.host == name && $0.service == .webcredentials }
            ?? related.first { $0.host == name } ?? related.first ?? entries.first { $0.service == .webcredentials }
    }

    /// Whether the host of an origin is the RP ID or a subdomain of it.
    package func owns(_ origin: WebURL) -> Bool { origin.host == name || origin.host.hasSuffix(".\(name)") }

    /// The device's error for an app whose association is denied.
    package func notAssociated(_ app: AppIdentifier) -> String {
        "Application with identifier \(app) is not associated with domain \(name)"
    }

    /// The device's error for an app whose association has no result yet.
    package func notVerified(_ app: AppIdentifier) -> String {
        "Unable to verify webcredentials association of \(app) with domain \(name). Please try again in a few seconds."
    }
}
