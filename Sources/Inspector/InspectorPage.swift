import MotivatorPlatform
import MotivatorServer
import UltraMotivator

package enum InspectorPage {
    static let templates = [
        "admin": PackageResources.admin_mustache, "inspector": PackageResources.inspector_mustache,
        "row": PackageResources.row_mustache, "request": PackageResources.request_mustache,
        "missing": PackageResources.missing_mustache,
    ]

    struct Row {
        let id: String
        let time: String
        let client: String
        let tls: String
        let failure: String?
        let request: String
        let status: Int
        let statusClass: Int
        let duration: Int64
        let conclusion: String
        /// Whether the entry is a request for the association file, or a failed handshake that may have been one.
        let isRead: Bool

        init(_ entry: InspectedEntry) {
            let peer = entry.entry.peer
            func joined(_ parts: [String?]) -> String {
                parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
            }
            id = entry.id
            time = String(entry.time.dropFirst(11).dropLast())
            client = joined([peer?.address.host, entry.client])
            tls = joined([peer?.tlsVersion, peer?.serverName])
            failure = entry.entry.failure.map { "✗ TLS handshake failed: \($0)" }
            request = entry.method.isEmpty ? "malformed request" : "\(entry.method) \(entry.host)\(entry.target)"
            status = entry.entry.status
            // A 304 is a success for the client's cache.
            statusClass = status == 304 ? 2 : status / 100
            duration = entry.entry.duration
            conclusion = entry.conclusion ?? ""
            isRead = entry.conclusion != nil || failure != nil
        }

        /// Returns whether the row contains all words of a filter. The comparison is case-insensitive.
        func matches(_ filter: String) -> Bool {
            let rest = failure.map { [$0] } ?? [request, "\(status)", "\(duration)", conclusion]
            let text = ([time, client, tls] + rest).joined(separator: " ").lowercased()
            return filter.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
        }
    }

    struct List {
        let rows: [Row]
        let filter: String
        let showsAll: Bool
        let query: String
        let cursor: String
        let script = InspectorPage.script

        init(_ entries: [InspectedEntry], filter: String, cursor: String) {
            rows = entries.map(Row.init)
            (self.filter, self.cursor, showsAll) = (filter, cursor, !filter.isEmpty)
            query = filter.isEmpty ? "" : "?q=" + PercentCoding.encode(filter)
        }
    }

    struct Detail {
        struct Request {
            let fields: [(name: String, value: String)]
            let isTruncated: Bool
            let curl: String
        }

        let title: String
        let facts: [(name: String, value: String)]
        let request: Request?
        let script = InspectorPage.script
    }

    /// The Content-Security-Policy source that permits the script of these pages.
    package static var scriptHash: String { SecurityFields.hash(of: PackageResources.inspector_js) }

    /// The script that adds new rows, filters them as the user types, and copies the curl command.
    private static var script: String { String(decoding: PackageResources.inspector_js, as: UTF8.self) }
}

extension InspectorPage.Detail {
    init(_ entry: InspectedEntry) {
        let recorded = entry.entry
        var facts: [(name: String, value: String)] = [
            ("Time", entry.time), ("Client", "\(recorded.peer?.address.host ?? "") \(entry.client)"),
            ("TLS", recorded.peer?.tlsVersion ?? "none"), ("Server name (SNI)", recorded.peer?.serverName ?? "none"),
        ]
        if recorded.failure == nil {
            facts += [
                ("Status", "\(recorded.status)"), ("Content bytes", "\(recorded.bytes)"),
                ("Duration", "\(recorded.duration) ms"), ("Device", entry.conclusion ?? "not a request for the file"),
            ]
        }
        self.facts = facts
        let row = InspectorPage.Row(entry)
        title = row.failure.map { String($0.dropFirst(2)) } ?? row.request
        request =
            entry.method.isEmpty
            ? nil
            : Request(
                fields: entry.fields, isTruncated: recorded.head.count >= TrafficRecorder.headLimit, curl: entry.curl)
    }
}
