import Certificates
import FoundationEssentials
import MotivatorPlatform
import MotivatorServer

/// The pages of the inspector.
package enum InspectorPage {
    /// Returns whether an entry contains all words of a filter, in lower case or upper case.
    static func matches(_ entry: InspectedEntry, _ filter: String) -> Bool {
        let text = row(entry).lowercased()
        return filter.lowercased().split(separator: " ").allSatisfy { text.contains(HTMLText.escape(String($0))) }
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
        let peer = entry.entry.peer
        let client = [peer?.address.host ?? "", entry.client].filter { !$0.isEmpty }.joined(separator: " ")
        let tls = [peer?.tlsVersion ?? "", peer?.serverName ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        let clock = entry.time.dropFirst(11).dropLast()
        func cell(_ text: String) -> String { "<td>\(HTMLText.escape(text))</td>" }
        if let failure = entry.entry.failure {
            return "<tr class=\"failed\"><th scope=\"row\">\(clock)</th>\(cell(client))\(cell(tls))"
                + "<td colspan=\"4\">✗ TLS handshake failed: \(HTMLText.escape(failure))</td></tr>"
        }
        let request = "\(entry.method) \(entry.host)\(entry.target)"
        return "<tr><th scope=\"row\"><a href=\"/entries/\(entry.id)\">\(clock)</a></th>\(cell(client))\(cell(tls))"
            + "<td><code>\(HTMLText.escape(request.isEmpty ? "malformed" : request))</code></td>"
            + "<td class=\"status-\(entry.entry.status / 100)\">\(entry.entry.status)</td>"
            + "<td>\(entry.entry.duration)</td>\(cell(entry.conclusion ?? ""))</tr>"
    }

    static func detail(_ entry: InspectedEntry) -> String {
        let facts: [(String, String)] = [
            ("Time", entry.time), ("Client", "\(entry.entry.peer?.address.host ?? "") \(entry.client)"),
            ("TLS", entry.entry.peer?.tlsVersion ?? "none"),
            ("Server name (SNI)", entry.entry.peer?.serverName ?? "none"),
            ("Status", "\(entry.entry.status)"), ("Content bytes", "\(entry.entry.bytes)"),
            ("Duration", "\(entry.entry.duration) ms"), ("Device", entry.conclusion ?? "not a request for the file"),
        ]
        func rows(_ list: [(String, String)]) -> String {
            list.map { "<tr><th scope=\"row\">\(HTMLText.escape($0.0))</th><td>\(HTMLText.escape($0.1))</td></tr>" }
                .joined(separator: "\n")
        }
        return page(
            "\(entry.method) \(entry.path)",
            """
            <h1><code>\(HTMLText.escape("\(entry.method) \(entry.target)"))</code></h1>
            <div class="scroll"><table>\(rows(facts))</table></div>
            <h2>Fields</h2>
            <div class="scroll"><table>\(rows(entry.fields.map { ($0.name, $0.value) }))</table></div>
            <h2>The same request with curl</h2>
            <pre><code id="curl">\(HTMLText.escape(entry.curl))</code></pre>
            <p><button id="copy" hidden>Copy</button></p>
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
        <body class="wide">
        <header><a class="brand" href="/">Ultra Motivator inspector</a></header>
        <main id="main">
        \(main)
        </main>
        </body>
        </html>

        """
    }

    /// The value of Content-Security-Policy that permits the script of these pages.
    package static var scriptHash: String {
        "'sha256-\(Data(Digest.sha256(Array(script.utf8))).base64EncodedString())'"
    }

    /// Adds new rows, filters them while the user types, and copies the curl command.
    private static let script = """
        const rows = document.getElementById("rows"), field = document.getElementById("q");
        const state = document.getElementById("state"), copy = document.getElementById("copy");
        const fits = row => field.value.toLowerCase().split(" ").every(word => row.textContent.toLowerCase().includes(word));
        if (rows) {
          const events = new EventSource("/events?" + rows.dataset.cursor);
          events.onopen = () => { state.textContent = "● Live"; };
          events.onerror = () => { state.textContent = "○ Not connected"; };
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
