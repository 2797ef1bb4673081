import Certificates
import Foundation
import MotivatorPlatform
import MotivatorServer

/// The pages of the inspector.
package enum InspectorPage {
    /// Returns whether the row of an entry contains all words of a filter. The comparison is case-insensitive.
    static func matches(_ entry: InspectedEntry, _ filter: String) -> Bool {
        let words = filter.lowercased().split(separator: " ")
        guard !words.isEmpty else { return true }
        let text = cells(entry).joined(separator: " ").lowercased()
        return words.allSatisfy { text.contains($0) }
    }

    /// Returns the texts of a row: the time, the client, TLS and the result.
    private static func cells(_ entry: InspectedEntry) -> [String] {
        let peer = entry.entry.peer
        func joined(_ parts: [String?]) -> String {
            parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
        }
        let start = [
            String(entry.time.dropFirst(11).dropLast()), joined([peer?.address.host, entry.client]),
            joined([peer?.tlsVersion, peer?.serverName]),
        ]
        if let failure = entry.entry.failure { return start + ["✗ TLS handshake failed: \(failure)"] }
        let request = entry.method.isEmpty ? "malformed request" : "\(entry.method) \(entry.host)\(entry.target)"
        return start + [request, "\(entry.entry.status)", "\(entry.entry.duration)", entry.conclusion ?? ""]
    }

    static func list(_ entries: [InspectedEntry], filter: String, cursor: String) -> String {
        let query = filter.isEmpty ? "" : "?q=" + PercentCoding.encode(filter)
        return page(
            "Inspector",
            """
            <h1>Inspector</h1>
            <p class="lead">The last 1,000 requests and failed handshakes of this server. Secrets are removed.
            <span id="state" role="status"></span></p>
            <form class="inline" method="get" action="/"><p>
            <label for="q">Filter</label> <input id="q" name="q" value="\(HTMLText.escape(filter))" autocomplete="off">
            <button>Filter</button>
            <a href="/entries.json\(query)">Save as JSON</a> <a href="/entries.har\(query)">Save as HAR</a></p></form>
            <div class="scroll"><table class="requests"><thead><tr><th scope="col">Time</th><th scope="col">Client</th>
            <th scope="col">TLS</th><th scope="col">Request</th><th scope="col">Status</th><th scope="col">ms</th>
            <th scope="col">What a device concludes</th></tr></thead>
            <tbody id="rows" data-cursor="\(cursor)">
            \(entries.map(row).joined(separator: "\n"))
            </tbody></table></div>
            <script>\(script)</script>
            """)
    }

    static func row(_ entry: InspectedEntry) -> String {
        let texts = cells(entry).map(HTMLText.escape)
        let start =
            "<th scope=\"row\"><a href=\"/entries/\(entry.id)\">\(texts[0])</a></th><td>\(texts[1])</td><td>\(texts[2])</td>"
        guard texts.count > 4 else {
            return "<tr class=\"failed\">\(start)<td colspan=\"4\">\(texts[3])</td></tr>"
        }
        return
            "<tr>\(start)<td><code>\(texts[3])</code></td><td class=\"status-\(entry.entry.status / 100)\">\(texts[4])</td>"
            + "<td>\(texts[5])</td><td>\(texts[6])</td></tr>"
    }

    static func detail(_ entry: InspectedEntry) -> String {
        var facts: [(String, String)] = [
            ("Time", entry.time), ("Client", "\(entry.entry.peer?.address.host ?? "") \(entry.client)"),
            ("TLS", entry.entry.peer?.tlsVersion ?? "none"),
            ("Server name (SNI)", entry.entry.peer?.serverName ?? "none"),
        ]
        if entry.entry.failure == nil {
            facts += [
                ("Status", "\(entry.entry.status)"), ("Content bytes", "\(entry.entry.bytes)"),
                ("Duration", "\(entry.entry.duration) ms"),
                ("Device", entry.conclusion ?? "not a request for the file"),
            ]
        }
        func rows(_ list: [(String, String)]) -> String {
            list.map { "<tr><th scope=\"row\">\(HTMLText.escape($0.0))</th><td>\(HTMLText.escape($0.1))</td></tr>" }
                .joined(separator: "\n")
        }
        let title = entry.entry.failure.map { "TLS handshake failed: \($0)" } ?? cells(entry)[3]
        let request =
            entry.method.isEmpty
            ? ""
            : """
            <h2>Fields</h2>
            <div class="scroll"><table>\(rows(entry.fields.map { ($0.name, $0.value) }))</table></div>
            <h2>The same request with curl</h2>
            \(entry.entry.head.count < TrafficRecorder.headLimit ? "" : "<p>The recorded request is truncated.</p>")
            <pre><code id="curl">\(HTMLText.escape(entry.curl))</code></pre>
            <p><button id="copy" hidden>Copy</button></p>
            """
        return page(
            title,
            """
            <h1><code>\(HTMLText.escape(title))</code></h1>
            <div class="scroll"><table>\(rows(facts))</table></div>
            \(request)
            <p><a href="/">All requests</a></p>
            <script>\(script)</script>
            """)
    }

    static var missing: String {
        page(
            "No such request",
            "<h1>No such request</h1><p>The inspector keeps the last 1,000 requests. <a href=\"/\">All requests</a></p>"
        )
    }

    private static func page(_ title: String, _ main: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(HTMLText.escape(title)) – Ultra Motivator</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/style.css">
        </head>
        <body>
        <header><div><a class="brand" href="/">Ultra Motivator</a>
        <nav aria-label="Admin"><a href="/" aria-current="page">Inspector</a> <a href="/health">Health</a></nav></div></header>
        <main id="main">
        \(main)
        </main>
        </body>
        </html>

        """
    }

    /// The Content-Security-Policy source that permits the script of these pages.
    package static var scriptHash: String {
        "'sha256-\(Data(Digest.sha256(Array(script.utf8))).base64EncodedString())'"
    }

    /// The script that adds new rows, filters them as the user types, and copies the curl command.
    private static let script = """
        const rows = document.getElementById("rows"), field = document.getElementById("q");
        const state = document.getElementById("state"), copy = document.getElementById("copy");
        const fits = row => field.value.toLowerCase().split(" ").every(word => row.textContent.toLowerCase().includes(word));
        if (rows) {
          const events = new EventSource("/events?" + rows.dataset.cursor);
          events.onopen = () => { state.textContent = "● Live"; };
          events.onerror = () => {
            state.textContent = events.readyState === 2 ? "○ Not connected. Reload the page." : "○ Not connected";
          };
          events.onmessage = event => {
            rows.insertAdjacentHTML("afterbegin", event.data);
            rows.firstElementChild.hidden = !fits(rows.firstElementChild);
            while (rows.children.length > 1000) rows.lastElementChild.remove();
          };
          field.addEventListener("input", () => { for (const row of rows.children) row.hidden = !fits(row); });
        }
        if (copy) {
          copy.hidden = false;
          copy.onclick = () => navigator.clipboard.writeText(document.getElementById("curl").textContent);
        }
        """
}
