package import Accounts
import HTTPTypes
package import MotivatorHTTP
package import MotivatorPlatform
package import MotivatorServer
import MotivatorTLS

/// The page `/metrics` on the admin listener, with the server's metrics for Prometheus.
package struct MetricsPage: Handler {
    private typealias Sample = Exposition.Sample

    /// The descriptions of the metrics that code outside the event loops records.
    package static let help = [
        Accounts.Metric.operations: "Account operations by kind and outcome.",
        Accounts.Metric.storeErrors: "Accounts database operations that failed.",
        Accounts.Metric.sessionChecks: "Session checks by the source of the session.",
        Accounts.Metric.refusedHashes: "Password hash requests refused because the queue was full.",
    ]

    private let server: HTTPServer
    private let accounts: Accounts
    private let identities: Guarded<ServerIdentities>
    private let log: LogSink
    private let registry: PrometheusRegistry

    package init(
        server: HTTPServer, accounts: Accounts, identities: Guarded<ServerIdentities>, log: LogSink,
        registry: PrometheusRegistry
    ) {
        (self.server, self.accounts, self.identities) = (server, accounts, identities)
        (self.log, self.registry) = (log, registry)
    }

    package func respond(to request: Request) async -> Response {
        var response = Response(.ok, type: Exposition.mediaType, text: await text())
        response.fields[.cacheControl] = "no-store"
        return response
    }

    private func text() async -> String {
        let (counts, routes, connections) = await server.counts()
        var metrics = Exposition()
        addRequests(counts, routes, &metrics)
        addConnections(counts, connections, &metrics)
        metrics.add(
            "motivator_log_lines_lost_total", .counter, "Log lines that were lost because they could not be written.",
            [Sample(log.lostLines)])
        metrics.add(
            "motivator_hashing_queue_length", .gauge, "Requests waiting for a password hash.",
            [Sample(accounts.waitingHashes)])
        metrics.add(
            "motivator_certificate_expiry_timestamp_seconds", .gauge,
            "Expiry time of each certificate in use, in seconds since 1970.",
            identities.withLock { $0 }.expirations.map { Sample($0.notAfter, [("host", $0.host)]) })
        registry.write(to: &metrics)
        return metrics.text
    }

    private func addRequests(_ counts: LoopCounts, _ routes: [String], _ metrics: inout Exposition) {
        metrics.add(
            "motivator_http_requests_total", .counter, "Responses by route and status class.",
            routes.enumerated().flatMap { number, route in
                counts.responses(route: number).map {
                    Sample($0.count, [("route", route), ("status", $0.statusClass)])
                }
            })
        let bounds = LoopCounts.bounds.map { Double($0) / 1_000 }
        metrics.add(
            "motivator_http_request_duration_seconds", .histogram,
            "Time from the end of a request's head to its response, by route.",
            routes.enumerated().flatMap { number, route in
                counts.durations(route: number).map {
                    Exposition.histogram($0.counts, bounds: bounds, sum: Double($0.sum) / 1_000, [("route", route)])
                } ?? []
            })
    }

    private func addConnections(_ counts: LoopCounts, _ open: Int, _ metrics: inout Exposition) {
        metrics.add("motivator_connections_open", .gauge, "Open connections.", [Sample(open)])
        metrics.add(
            "motivator_connections_total", .counter, "New connections, accepted or refused because of a limit.",
            [
                Sample(counts.acceptedConnections, [("outcome", "accepted")]),
                Sample(counts.refusedConnections, [("outcome", "refused")]),
            ])
        let versions: [TLSVersion?] = [.tls13, .tls12, .outdated, nil]
        let handshakes = versions.flatMap { version in
            LoopCounts.Handshake.allCases.map { outcome in
                let name = version.map { "\($0.name)" } ?? "unknown"
                return Sample(counts.handshakes(outcome, version), [("version", name), ("outcome", outcome.rawValue)])
            }
        }
        metrics.add(
            "motivator_tls_handshakes_total", .counter, "TLS handshakes by version and outcome.",
            handshakes.filter { $0.value > 0 })
    }
}
