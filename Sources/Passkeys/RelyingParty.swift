import MotivatorPlatform

package struct PasskeySettings: Sendable, Equatable {
    /// The hosts that have passkeys, besides `localhost`.
    package var domains: [String] = []
    /// The domain that is the RP ID of all domains; nil if each domain is its own RP ID.
    package var sharedDomain: String?
    /// Additional origins, for example those of a port mapping.
    package var origins: [String] = []
    /// The SHA-256 fingerprints of the certificates of Android apps.
    package var fingerprints: [[UInt8]] = []
    /// The lifetime of a challenge in seconds.
    package var lifetime = 300

    package init() {}

    /// Returns the relying party of a request.
    /// - Parameter port: the port that the connection arrived at. With the port in Host, a page at another port of
    ///   `localhost` could relay a ceremony.
    /// - Returns: nil if the host has no passkeys.
    package func relyingParty(host: String, port: UInt16, secret: [UInt8]) -> RelyingParty? {
        let name = host.lowercased()
        let isLocal = name == "localhost"
        guard isLocal || domains.contains(name) else { return nil }
        let shared = isLocal ? nil : sharedDomain
        let suffix = port == 443 ? "" : ":\(port)"
        let id = shared ?? name
        var accepted = (shared == nil ? [name] : domains).map { "https://\($0)\(suffix)" }
        // The client data of an iOS app never has a port.
        accepted.append("https://\(id)")
        // Android, "Verify origin".
        accepted += fingerprints.map { "android:apk-key-hash:" + Base64.encode($0, .urlSafe) }
        return RelyingParty(
            id: id, origins: accepted + origins, challenges: Challenges(secret: secret, lifetime: lifetime))
    }

    /// Checks an additional origin (WebAuthn Level 3 §5.8.1: origins are compared byte by byte).
    /// - Returns: the rule that the origin breaks; nil if it is valid.
    package static func problem(ofOrigin origin: String) -> String? {
        guard origin.hasPrefix("https://") else { return "it does not start with https://" }
        guard origin == origin.lowercased() else { return "it has upper-case letters" }
        let parts = origin.dropFirst(8).split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty, parts.count <= 2,
            host.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 45 || $0 == 46 })
        else { return "it is not a host with an optional port" }
        guard parts.count == 2 else { return nil }
        guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else { return "its port is invalid" }
        return port == 443 ? "an origin with the default port has no port" : nil
    }
}

/// The server in a ceremony: its RP ID, accepted origins and challenges.
package struct RelyingParty: Sendable {
    package let id: String
    /// The accepted origins, compared byte by byte (WebAuthn Level 3 §13.5.9).
    package let origins: [String]
    package let challenges: Challenges
}
