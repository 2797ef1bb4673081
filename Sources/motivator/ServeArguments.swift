public import ArgumentParser
public import Logging
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

struct SiteArguments: ParsableArguments {
    static let tutorialApps = ["D3KQX62K1A.com.example.DemoApp", "D3KQX62K1A.com.example.DemoAdminApp"]

    @Option("Host to serve (repeatable).", value: "name")
    var domain = ["ultra-motivator.test"]

    @Option("App to list in webcredentials (repeatable).", value: "id")
    var app = tutorialApps

    @Option("Association file to serve unchanged, instead of --app.", value: "file")
    var association: String?

    @Option(help: "Format of the association file: plain, signed, or legacy (signed at the root path for iOS 8).")
    var associationFormat = ServedAssociation.Format.plain

    @Option(
        "Host to serve from a folder, with its association file, assetlinks.json and static files (repeatable).",
        value: "name=folder")
    var site: [String] = []

    @Option("Android app that may use the site's passwords and links (repeatable).", value: "package=fingerprint")
    var android: [String] = []

    @Option(
        "Host of --domain whose passkeys all hosts of --domain use. By default, each host has its own passkeys.",
        value: "name")
    var passkeyDomain: String?

    @Option("Origin that may also use passkeys, for example that of a port mapping (repeatable).", value: "url")
    var passkeyOrigin: [String] = []

    @Option("Seconds until a passkey challenge expires, from 1 to 600.", value: "seconds")
    var passkeyTimeout = 300

    @Option(
        name: .customLong("public"),
        help: ArgumentHelp("Folder of static files that replace the built-in styles and icon.", valueName: "folder")
    )
    var publicFolder: String?

    @Flag(
        help: """
            Refuse to start or reload with an association file, a certificate or a signature that devices reject. By \
            default, the server logs a warning.
            """)
    var strict = false

    @Flag(help: "Serve hosts that are broken on purpose, such as expired.faults.localhost. /faults lists them.")
    var faults = false

    @Option("Association file around which --faults builds its hosts, instead of the tutorial's file.", value: "file")
    var faultsAssociation: String?

    @Flag(help: "Serve /echo, which returns the received request as JSON.")
    var echo = false

    @Option(
        help: ArgumentHelp(
            "Let /check fetch association files: off, public or any.",
            discussion:
                "public permits only port 443 of public addresses. With any, every user of /check can make this server "
                + "send requests to any host and port that it can reach, and the results show parts of the responses. "
                + "Do not use any on a public server."))
    var allowFetch = FetchScope.off
}

/// The hosts that `/check` fetches files from.
enum FetchScope: String, ExpressibleByArgument, CaseIterable {
    case off, `public`, any

    /// Also accepts the values of the former flag, which configurations may contain.
    init?(argument: String) {
        self.init(rawValue: ["true": "any", "false": "off"][argument] ?? argument)
    }
}

struct AddressArguments: ParsableArguments {
    static let loopback = ["127.0.0.1", "::1"]

    @Option("Address to listen on (repeatable).", value: "address")
    var host = loopback

    @Flag(
        help: """
            Also listen on this machine's local network addresses, so that a phone can open the site. Print the URL \
            and its QR code.
            """)
    var lan = false

    @Option("HTTPS port. 0 selects a free port.", value: "n")
    var port: UInt16 = 8443

    @Option("HTTP port for the setup page and redirects. 0 turns it off.", value: "n")
    var plainPort: UInt16 = 8080

    @Option(
        "Non-public address for health checks and metrics, or off. Port 0 selects a free port.", value: "address:port")
    var admin = AdminAddress.standard
}

/// The address of the admin listener, or "off". The address must not be public.
struct AdminAddress: ExpressibleByArgument, CustomStringConvertible {
    static let standard = AdminAddress(address: SocketAddress("127.0.0.1", port: 8081))

    /// Nil for "off".
    let address: SocketAddress?

    var description: String { address.map { "\($0)" } ?? "off" }

    func listening() throws -> [SocketAddress] {
        guard let address else { return [] }
        try require(
            address.isLoopback || address.isPrivate, "--admin \(address) is a public address",
            fix: "Use a loopback or private address, such as 127.0.0.1:8081")
        return [address]
    }
}

extension AdminAddress {
    init?(argument: String) {
        if argument == "off" {
            self.init(address: nil)
            return
        }
        guard let colon = argument.lastIndex(of: ":") else { return nil }
        let digits = argument[argument.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else { return nil }
        var host = argument[..<colon]
        // An IPv6 address requires brackets. Other addresses must not have them.
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard host.contains(":") == isBracketed, let address = SocketAddress(String(host), port: port) else {
            return nil
        }
        self.init(address: address)
    }
}

struct ConfigurationArguments: ParsableArguments {
    @Option(
        "JSON file with options (default: motivator.json in the current folder, if no other user can change it).",
        value: "file")
    var config: String?
}

struct CertificateArguments: ParsableArguments {
    @Option("Folder of the development CA and its certificates.", value: "folder")
    var certificates = DataFolder.path("certs")

    @Option("Certificate to use instead of one from the development CA (PEM). Requires --key.", value: "file")
    var certificate: String?

    @Option("Private key for --certificate (PEM, mode 0600).", value: "file")
    var key: String?

    @Option("Intermediate certificates for --certificate (PEM).", value: "file")
    var chain: String?

    @Option(
        "Secret for TLS session tickets (mode 0600). Servers with the same file accept the same tickets.",
        value: "file")
    var ticketSecret: String?
}

/// The options for Strict-Transport-Security.
struct TransportArguments: ParsableArguments {
    @Option("How long browsers must use only HTTPS (Strict-Transport-Security). 0 omits the field.", value: "seconds")
    var hsts = 0

    @Flag(help: "Also apply --hsts to all subdomains (includeSubDomains).")
    var hstsIncludeSubdomains = false
}

struct LogArguments: ParsableArguments {
    @Option("Minimum log level: trace, debug, info, notice, warning, error or critical.", value: "level")
    var logLevel = Logger.Level.info

    @Option("Log format: text or json.", value: "format")
    var logFormat = LogFormat.text

    @Option("File to append the log to. SIGHUP reopens it for log rotation. (default: standard error)", value: "file")
    var logFile: String?
}

extension AddressArguments {
    /// Returns the addresses to listen on, with the HTTPS port.
    func listening() throws -> [SocketAddress] {
        try require(
            port != plainPort || port == 0, "--port and --plain-port are both \(port)", fix: "Use different ports")
        guard lan else { return try hosts() }
        try require(plainPort != 0, "--lan requires the plain port", fix: "Remove --plain-port 0")
        let local = LocalNetwork.addresses
        try require(
            !local.isEmpty, "this machine has no address on a local network",
            fix: "Connect to a network, or remove --lan")
        let chosen = try hosts()
        return chosen
            + local.filter { one in
                !chosen.contains { $0.bytes == one.bytes || ($0.isEveryAddress && $0.family == one.family) }
            }
    }

    private func hosts() throws -> [SocketAddress] {
        try host.compactMap { text in
            let address = try require(
                SocketAddress(text, port: port), "--host \(text.quoted) is not an address",
                fix: "Use an IPv4 or IPv6 address of this machine, such as 127.0.0.1. Pass host names to --domain")
            // The default must also work on a machine without IPv6.
            return host == Self.loopback && text == "::1" && !SocketAddress.hasIPv6Loopback
                ? nil : address
        }
    }

    /// Returns the addresses for HTTPS and for plain HTTP. Passed listeners replace the addresses for their ports.
    /// - Throws: `ExplainedFailure` if the port of a passed listener is neither `port` nor `plainPort`.
    func socketAddresses(
        of hosts: [SocketAddress], replacedBy passed: [PassedListener]
    ) throws(ExplainedFailure) -> (tls: [SocketAddress], plain: [SocketAddress]) {
        if let other = passed.map(\.address).first(where: { ![port, plainPort].contains($0.port) }) {
            throw ExplainedFailure(
                "the service manager passed a listener at \(other), but its port is neither --port nor --plain-port",
                fix: "Use the same ports in the socket unit and in the options")
        }
        func at(_ port: UInt16) -> [SocketAddress] {
            let given = passed.map(\.address).filter { $0.port == port }
            guard given.isEmpty else { return given }
            return hosts.map { host in
                var address = host
                address.port = port
                return address
            }
        }
        return (at(port), plainPort == 0 ? [] : at(plainPort))
    }
}

extension ServedAssociation.Format: ExpressibleByArgument {}
extension LogFormat: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
