import AssociatedDomains
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

/// The list of the hosts that are broken on purpose, as JSON and as a page.
struct FaultPages {
    let domain: String
    let port: UInt16

    /// - Parameters:
    ///   - request: the request. For the host `localhost`, the list contains names below `localhost`.
    ///   - domain: the domain for other hosts.
    ///   - port: the HTTPS port.
    init(for request: Request, domain: String, port: UInt16) {
        self.domain = request.head.hostText?.lowercased() == "localhost" ? "localhost" : domain
        self.port = port
    }

    func response(_ pages: Pages) -> Response {
        var fields = SecurityFields.pages(images: "https://*.faults.\(domain)\(authority)")
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.cacheControl] = "no-cache"
        return Response(.ok, fields: fields, content: pages.frame(title: "Faults", main: page, at: "/faults"))
    }

    func list() -> Response {
        Response(.ok, fields: [.contentType: "application/json", .cacheControl: "no-cache"], content: json.bytes())
    }

    private var authority: String { port == 443 ? "" : ":\(port)" }

    /// The content of `/faults.json`.
    private var json: JSONNode {
        [
            "app": .text(FaultHost.app), "suffix": .text(".faults.\(domain)"), "port": .number(Int(port)),
            "path": "/.well-known/apple-app-site-association",
            "hosts": .list(
                FaultHost.all.map { fault in
                    var members: [(key: String, value: JSONNode)] = [
                        ("name", .text(fault.name)), ("group", .text(fault.group.rawValue)),
                        ("summary", .text(fault.summary)),
                        (
                            "verdicts",
                            .members(Profile.allCases.map { ($0.rawValue, .text(fault.verdict($0).rawValue)) })
                        ),
                        ("issues", .list(fault.issues.map { .text($0) })),
                    ]
                    if let note = fault.note { members.append(("note", .text(note))) }
                    return .members(members)
                }),
        ]
    }

    /// The main part of the page `/faults`.
    private var page: String {
        """
        <h1>Hosts that are broken on purpose</h1>
        <p class="lead">Each host serves the demo’s association file with one fault. The table shows what a device \
        concludes about the app <code>\(FaultHost.app)</code>, and whether this browser can load an image from the host.</p>
        <p>If this device cannot resolve names below <code>faults.\(domain)</code>, every host shows “✗ refused”.</p>
        <p>To test another validator, use <a href="/faults.json">/faults.json</a>, which lists the name, the expected \
        verdicts and the issue codes of each host. To test this project’s checker, run
        <code>motivator association check \(domain)\(authority) --faults</code>.</p>
        <form method="post" action="/faults/reset"><p>Some faults clear after a few requests from the same client.
        <button class="quiet">Reset my request counts</button></p></form>
        \(FaultHost.Group.allCases.map(table).joined(separator: "\n"))
        """
    }

    private func table(_ group: FaultHost.Group) -> String {
        let rows = FaultHost.all.filter { $0.group == group }.map(row).joined(separator: "\n")
        return """
            <h2>\(group.rawValue)</h2>
            <div class="scroll"><table class="faults">
            <thead><tr><th scope="col">Host</th><th scope="col">Fault</th><th scope="col">iOS 14 and later</th>
            <th scope="col">Documentation</th><th scope="col">iOS 9 to 13</th><th scope="col">iOS 8</th>
            <th scope="col">This browser</th></tr></thead>
            <tbody>
            \(rows)
            </tbody></table></div>
            """
    }

    private func row(_ fault: FaultHost) -> String {
        let host = "https://\(fault.host(on: domain))\(authority)"
        let verdicts = Profile.allCases.map { "<td>\(cell(fault.verdict($0)))</td>" }.joined()
        let note = fault.note.map { " (\(HTMLText.escape($0)))" } ?? ""
        return """
            <tr><th scope="row"><a href="\(host)/.well-known/apple-app-site-association">\(fault.name)</a></th>
            <td>\(HTMLText.escape(fault.summary))\(note)</td>\(verdicts)
            <td><img src="\(host)\(Self.picturePath)" alt="✗ refused" width="90" height="20" loading="lazy"></td></tr>
            """
    }

    private func cell(_ verdict: FaultHost.Expectation) -> String {
        let symbol =
            switch verdict {
            case .associated: "✓"
            case .denied: "✗"
            case .retry: "↻"
            case .unproven: "?"
            }
        return "<span class=\"verdict-\(verdict.rawValue)\">\(symbol) \(verdict.rawValue)</span>"
    }

    /// The path of an image that a browser loads only if it accepts the host's certificate and connection.
    static let picturePath = "/connected.svg"

    static let picture = Array(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="90" height="20" viewBox="0 0 90 20">\
        <rect width="90" height="20" rx="4" fill="#17633a"/>\
        <text x="45" y="14" fill="#fff" font-family="sans-serif" font-size="12" text-anchor="middle">✓ connected</text></svg>

        """.utf8)
}
