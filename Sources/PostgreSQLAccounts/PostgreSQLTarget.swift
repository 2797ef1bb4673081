#if PostgreSQL
import CPostgreSQL
import Dispatch
import HTTPSClient
import MotivatorPlatform

/// The connection parameters of a server, from a URL and libpq's environment variables.
struct PostgreSQLTarget: Sendable {
    /// The parameters that the URL sets. They may contain a password, so they never appear in an error.
    private let given: [String: String]
    /// The parameters from environment variables, and libpq's defaults.
    private let defaults: [String: String]

    /// - Parameter url: a URL such as `postgres://user@host:5432/name?sslmode=verify-full`.
    init(url: String) throws(ExplainedFailure) {
        // libpq ignores a NUL byte and everything after it.
        guard !url.utf8.contains(0), let given = unsafe Self.take(PQconninfoParse(url, nil)),
            let defaults = unsafe Self.take(PQconndefaults())
        else { throw .invalidURL }
        (self.given, self.defaults) = (given, defaults)
    }

    private static func take(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String]? {
        guard let list = unsafe list else { return nil }
        defer { unsafe PQconninfoFree(list) }
        var options: [String: String] = [:]
        var next = unsafe list
        while let name = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val { unsafe options[String(cString: name)] = String(cString: value) }
            unsafe next += 1
        }
        return options
    }

    private var hosts: [String] { list("host") }

    private func list(_ name: String) -> [String] {
        (given[name] ?? defaults[name] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether the connection stays on this machine. A path is the folder of a Unix socket. An empty host selects
    /// libpq's default folder.
    private var isLocal: Bool {
        let targets = given["hostaddr"] ?? defaults["hostaddr"] == nil ? hosts : list("hostaddr")
        return given["service"] == nil && defaults["service"] == nil && targets.allSatisfy(Self.isLocal)
    }

    private static func isLocal(_ host: String) -> Bool {
        host.isEmpty || isSocketFolder(host) || SocketAddress.isLoopback(name: host)
            || SocketAddress(host, port: 0)?.isLoopback == true
    }

    private static func isSocketFolder(_ host: String) -> Bool { host.hasPrefix("/") || host.hasPrefix("@") }

    /// libpq's parameters, without the addresses of the hosts.
    var options: [String: String] {
        var options = given
        func set(_ name: String, _ value: String, unless variable: String? = nil) {
            let isSet = variable.map { unsafe getenv($0) != nil } ?? false
            if given[name] == nil, !isSet { options[name] = value }
        }
        // By default, libpq accepts connections without TLS. Anyone on the network can read and change such a
        // connection.
        if !isLocal { set("sslmode", "verify-full", unless: "PGSSLMODE") }
        // Operations must reach a server that accepts changes. A single read-only server can still serve reads.
        if hosts.count > 1 { set("target_session_attrs", "read-write", unless: "PGTARGETSESSIONATTRS") }
        // The Kerberos library would block the thread.
        set("gssencmode", "disable", unless: "PGGSSENCMODE")
        set("application_name", "motivator", unless: "PGAPPNAME")
        set("tcp_user_timeout", "5000")
        options["client_encoding"] = "UTF8"
        return options
    }

    typealias Resolved = (options: [(name: String, value: String)], addresses: Int)

    /// Returns libpq's parameters with the addresses of the hosts. Without addresses, libpq would block to resolve the
    /// names.
    ///
    /// Each attempt resolves the names again, because a failover may change the addresses.
    /// - Parameters:
    ///   - seconds: the maximum time to resolve the names.
    ///   - first: the number of the address to try first, modulo the number of addresses.
    func resolvedOptions(timeout seconds: Int, first: Int = 0) async throws(PostgreSQLFailure) -> Resolved {
        let result = await withCheckedContinuation { continuation in
            DispatchQueue(label: "database name lookup").async {
                continuation.resume(returning: Result { () throws(PostgreSQLFailure) in try resolve(seconds, first) })
            }
        }
        return try result.get()
    }

    private func resolve(_ seconds: Int, _ first: Int) throws(PostgreSQLFailure) -> Resolved {
        var options = options
        let hosts = hosts
        let needsLookup = hosts.contains { !$0.isEmpty && !Self.isSocketFolder($0) }
        guard needsLookup, options["hostaddr"] == nil, defaults["hostaddr"] == nil else {
            return (options.map { ($0, $1) }, 1)
        }
        let ports = list("port")
        let deadline = Deadline(seconds: seconds, clock: .system)
        var found: [(host: String, address: String, port: String)] = []
        var failure: FetchFailure?
        for (index, host) in hosts.enumerated() {
            let port = ports.count == 1 ? ports[0] : index < ports.count ? ports[index] : ""
            if host.isEmpty || Self.isSocketFolder(host) {
                found.append((host, "", port))
                continue
            }
            do throws(FetchFailure) {
                let addresses = try NameLookup.system.addresses(of: host, port: 0, until: deadline)
                found += addresses.map { (host, $0.host, port) }
            } catch {
                failure = error
            }
        }
        if found.isEmpty, let failure { throw .lost(failure.problem) }
        let split = first % max(found.count, 1)
        found = Array(found[split...] + found[..<split])
        options["host"] = found.map(\.host).joined(separator: ",")
        options["hostaddr"] = found.map(\.address).joined(separator: ",")
        options["port"] = found.map(\.port).joined(separator: ",")
        return (options.map { ($0, $1) }, found.count)
    }
}
#endif
