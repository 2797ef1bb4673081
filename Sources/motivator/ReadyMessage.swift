import AssociatedDomains
import MotivatorPlatform
import MotivatorServer

/// The message that the server prints when it is ready to accept connections.
struct ReadyMessage {
    let endpoints: HTTPServer.Endpoints
    let admin: SocketAddress?
    let domains: [String]
    /// The folder of the development CA, or nil with `--certificate`.
    let authority: String?
    let keepsAccountsInMemory: Bool
    /// The SHA-256 digest of the CA's root, or nil with `--certificate`.
    var fingerprint: String?
    var hasFaults = false
    var hasInspector = false
    /// The URLs of the plain port on the local network; empty without `--lan`.
    var phoneURLs: [String] = []
    /// The configuration file; nil if there is none.
    var configurationFile: String?

    private var authorityFile: String? { authority.map { "\($0)/authority.pem" } }

    private var port: String {
        guard let port = endpoints.tls.first?.port, port != 443 else { return "" }
        return ":\(port)"
    }

    var json: JSONNode {
        let addresses = endpoints.tls.filter { !$0.isEveryAddress }.map(\.description)
        let https = (addresses + domains.map { $0 + port }).map { "https://\($0)" }
        let node: JSONNode = ["event": "ready", "https": .texts(https)]
        return node.adding("phone", phoneURLs.isEmpty ? nil : .texts(phoneURLs))
            .adding("plain", .optional(endpoints.plain.first.map { Int($0.port) }))
            .adding("admin", .optional(admin?.description)).adding("authority", .optional(authorityFile))
            .adding("configuration", .optional(configurationFile))
    }

    private var phoneLines: [String] {
        guard let first = phoneURLs.first else { return [] }
        let urls = phoneURLs.joined(separator: " or ")
        guard let code = QRCode(first) else {
            return ["On a phone on the same network, open: \(urls) (for a QR code, install \(QRCode.package))"]
        }
        return [
            "On a phone on the same network, scan this code or open: \(urls)",
            code.text(isColored: isatty(STDERR_FILENO) == 1),
        ]
    }

    /// The message for users: at most six lines, and the QR code.
    var text: String {
        let origins = domains.map { "https://\($0)\(port)/" }
        let more =
            [endpoints.plain.first.map { "first steps: http://\($0)/" }]
            + [hasFaults ? origins.first.map { "faults: \($0)faults" } : nil]
            + [hasInspector ? admin.map { "inspector: http://\($0)/" } : nil]
        let links = more.compactMap(\.self).joined(separator: ", ")
        // Clients of the well-known files for passkeys ignore the port of a page. Apple's devices use that of an entry.
        let hint = port.isEmpty ? "" : ". Clients fetch the well-known files for passkeys only at port 443."
        var lines = ["Ready: " + origins.joined(separator: " ") + (links.isEmpty ? "" : " (\(links))") + hint]
        // The owner of a public name configures its address in DNS.
        let unknown = domains.filter { HostText.isPrivate($0) && !SocketAddress.isLoopback(name: $0) }
        if !unknown.isEmpty {
            lines.append(
                "This machine cannot resolve some names. Add to /etc/hosts: 127.0.0.1 \(unknown.joined(separator: " "))"
            )
        }
        if let authorityFile {
            lines.append(
                "CA: \(authorityFile). Trust it with curl --cacert \(authorityFile.shellQuoted), "
                    + "or add it to a trust store." + (fingerprint.map { " SHA-256: \($0)" } ?? "")
            )
        }
        if let configurationFile { lines.append("Configuration: \(configurationFile.printable)") }
        lines += phoneLines
        lines.append(
            "Stop with Ctrl-C."
                + (keepsAccountsInMemory ? " The accounts are in memory (--database :memory:) and will be lost." : ""))
        return lines.joined(separator: "\n")
    }
}
