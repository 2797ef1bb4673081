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
        /// The method and the target, or the handshake.
        let line: String
        let host: String
        let status: String
        let statusClass: Int
        let duration: Int64
        let conclusion: InspectedEntry.Conclusion?
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
            let isOwnName = entry.host.split(separator: ":").first.map(String.init) == peer?.serverName
            tls = joined([peer?.tlsVersion ?? "none", isOwnName ? nil : peer?.serverName])
            let (code, isFailed) = (entry.entry.status, entry.entry.failure != nil)
            let start = entry.method.isEmpty ? "malformed request" : "\(entry.method) \(entry.target)"
            (host, line) = (entry.host, isFailed ? "TLS handshake" : start)
            status = isFailed ? "failed" : "\(code)"
            // A 304 is a success for the client's cache.
            statusClass = isFailed ? 5 : code == 304 ? 2 : code / 100
            duration = entry.entry.duration
            conclusion = entry.conclusion
            isRead = conclusion != nil
        }

        /// Returns whether the row contains all words of a filter. The comparison is case-insensitive.
        func matches(_ filter: String) -> Bool {
            let cells = [time, client, tls, line, host, status, "\(duration)", conclusion?.text ?? ""]
            let text = cells.joined(separator: " ").lowercased()
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
        let row: Row
        let facts: [(name: String, value: String)]
        let request: (fields: [(name: String, value: String)], isTruncated: Bool, curl: String)?
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
        let duration = ("Duration", "\(recorded.duration) ms")
        let response = [("Status", "\(recorded.status)"), ("Content", recorded.bytes.byteCount), duration]
        facts += recorded.failure.map { [("Failure", $0)] } ?? response
        self.facts = facts
        row = InspectorPage.Row(entry)
        let isTruncated = recorded.head.count >= TrafficRecorder.headLimit
        request = entry.method.isEmpty ? nil : (fields: entry.fields, isTruncated: isTruncated, curl: entry.curl)
    }
}
