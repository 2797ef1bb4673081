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

    /// - Parameter request: the request. For the host `localhost`, the list contains names below `localhost`.
    init(for request: Request, domain: String, port: UInt16) {
        self.init(domain: request.head.hostText?.lowercased() == "localhost" ? "localhost" : domain, port: port)
    }

    init(domain: String, port: UInt16) {
        (self.domain, self.port) = (domain, port)
    }

    func response(_ pages: Pages) -> Response {
        var fields = SecurityFields.pages(images: "https://*.faults.\(domain)\(authority)")
        fields[.contentType] = "text/html; charset=utf-8"
        fields[.cacheControl] = "no-cache"
        return Response(.ok, fields: fields, content: pages.render(view, "faults", at: "/faults"))
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
                    let host: JSONNode = [
                        "name": .text(fault.name), "group": .text(fault.group.rawValue),
                        "summary": .text(fault.summary),
                        "verdicts": .members(Profile.allCases.map { ($0.rawValue, .text(fault.verdict($0).rawValue)) }),
                        "issues": .texts(fault.issues.map(\.text)),
                    ]
                    return host.adding("note", fault.note.map { .text($0) })
                }),
            "passkeys": .list(PasskeyFault.all.map(passkey)),
        ]
    }

    private func passkey(_ fault: PasskeyFault) -> JSONNode {
        var members: [(key: String, value: JSONNode)] = [
            ("name", .text(fault.name)), ("summary", .text(fault.summary)), ("rp_id", .text(fault.rpHost(on: domain))),
            ("options", .text(PasskeyFault.optionsPath)),
            (
                "expected",
                ["page": .text(fault.page), "app": .text(fault.app), "server": .optional(fault.server)]
            ),
            ("issues", .list(fault.issues.map { .text($0) })),
        ]
        if let note = fault.note { members.append(("note", .text(note))) }
        return .members(members)
    }

    /// The values that the template shows.
    struct View {
        struct Group {
            let name: String
            let rows: [Row]
        }

        struct Row {
            let name: String
            let origin: String
            let summary: String
            let note: String?
            let verdicts: [Cell]
        }

        struct Passkey {
            let name: String
            let origin: String
            let summary: String
            let note: String?
            let page: String
            let app: String
            let server: String
        }

        struct Cell {
            let word: String
            let symbol: String
        }

        let app = FaultHost.app
        let picture = FaultPages.picturePath
        let domain: String
        let authority: String
        let groups: [Group]
        let passkeys: [Passkey]
    }

    var view: View {
        let groups = FaultHost.Group.allCases.map { group in
            View.Group(name: group.rawValue, rows: FaultHost.all.filter { $0.group == group }.map(row))
        }
        let passkeys = PasskeyFault.all.map { fault in
            View.Passkey(
                name: fault.name, origin: "https://\(fault.host(on: domain))\(authority)", summary: fault.summary,
                note: fault.note, page: fault.page, app: fault.app, server: fault.server ?? "–")
        }
        return View(domain: domain, authority: authority, groups: groups, passkeys: passkeys)
    }

    private func row(_ fault: FaultHost) -> View.Row {
        View.Row(
            name: fault.name, origin: "https://\(fault.host(on: domain))\(authority)", summary: fault.summary,
            note: fault.note,
            verdicts: Profile.allCases.map { profile in
                let verdict = fault.verdict(profile)
                return View.Cell(word: verdict.rawValue, symbol: Self.symbol(verdict))
            })
    }

    private static func symbol(_ verdict: FaultHost.Expectation) -> String {
        switch verdict {
        case .associated: "✓"
        case .denied: "✗"
        case .retry: "↻"
        case .unproven: "?"
        }
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
