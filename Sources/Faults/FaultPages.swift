import AssociatedDomains
import AssociationChecker
import AssociationDiagnostics
import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import UltraMotivator

/// The list of the hosts of a domain that are broken on purpose, as JSON and as a page.
struct FaultPages {
    let domain: String
    let port: UInt16
    let file: IntactFile
    let version: String
    let hosts: [String: BrokenHost]

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
        let bytes = Array(file.text.utf8)
        return [
            "format": 2, "version": .text(version),
            "association": ["sha256": .text(Digest.sha256(bytes).hexadecimal), "bytes": .number(bytes.count)],
            "app": .text("\(file.app)"), "other_app": .text(file.other),
            "android_app": .text("\(AndroidStatement.package)=\(AndroidStatement.fingerprint)"),
            "android_relation": .text(AndroidStatement.links),
            "suffix": .text(".faults.\(domain)"), "port": .number(Int(port)), "path": .text(FilePath.wellKnown.text),
            "hosts": .list(FaultHost.all.map(host)), "passkeys": .list(PasskeyFault.all.map(passkey)),
        ]
    }

    private func host(_ fault: FaultHost) -> JSONNode {
        let host = hosts[fault.name] ?? BrokenHost([:])
        let origin = "https://\(fault.host(on: domain)):\(port)"
        let verdicts = Profile.allCases.compactMap { profile in
            fault.verdict(profile).map { (key: profile.rawValue, value: JSONNode.text($0.rawValue)) }
        }
        let source = fault.source.map { source -> JSONNode in
            ["title": .text(source.title), "url": .optional(source.link), "date": .text(source.date)]
        }
        let apps: [FaultHost.Link.Result: String] = [.app: "\(file.app)", .other: file.other]
        let links = fault.links.map { link -> JSONNode in
            ["url": .text(origin + link.target), "opens": .text(apps[link.result] ?? link.result.rawValue)]
        }
        let node: JSONNode = [
            "name": .text(fault.name), "group": .text(fault.group.rawValue), "groups": .texts(groups(fault, host)),
            "summary": .text(fault.summary),
            "url": .text(origin + (fault.group == .android ? AssetLinks.path : FilePath.wellKnown.text)),
            "verdicts": .members(verdicts), "issues": .texts(fault.issues), "since": .number(fault.group.since),
            "paths": .members(host.replies.sorted { $0.key < $1.key }.map { ($0.key, path($0.value, host.handshake)) }),
        ]
        return node.adding("links", links.isEmpty ? nil : .list(links)).adding("source", source)
            .adding("note", fault.note.map { .text($0) })
    }

    /// Returns the response that a client sees, or the failure.
    private func path(_ reply: Reply, _ handshake: Handshake) -> JSONNode {
        var members: [(key: String, value: JSONNode)] = []
        if handshake.outcome.sendsResponses, reply.delivery.hasHead {
            let fields = reply.sentFields.map { (key: $0.name.rawName, value: JSONNode.text($0.value)) }
            members = [
                ("status", .number(reply.status)), ("fields", .members(fields)), ("bytes", .number(reply.sentBytes)),
            ]
        }
        return JSONNode.members(members).adding(
            "failure", (handshake.outcome.failure ?? reply.delivery.failure).map { .text($0) })
    }

    /// Returns the group, and `slow` if a client waits, and `unproven` if no source settles the verdict or a result.
    private func groups(_ fault: FaultHost, _ host: BrokenHost) -> [String] {
        let stalls = host.handshake.outcome.failure == "timeout"
        let waits = stalls || host.replies.values.contains(where: \.delivery.isSlow)
        let isUnproven = fault.verdict(.device) == .unproven || fault.links.contains { $0.result == .unproven }
        return [fault.group.rawValue] + (waits ? ["slow"] : []) + (isUnproven ? ["unproven"] : [])
    }

    /// Returns the site of the names that are not in the list.
    func unknownSite(_ pages: Pages, at now: UnixTime) -> Site {
        var site = Site()
        site.serve(Asset.all(lastModified: now))
        let origin = "https://\(domain)\(authority)"
        let list = "\(origin)/faults"
        let groups =
            FaultHost.Group.allCases.map { group in
                (name: group.rawValue, count: FaultHost.all.count { $0.group == group })
            } + [(name: "Passkeys", count: PasskeyFault.all.count)]
        let errors = ErrorRenderer { [domain, authority] _, sentence, name in
            let shown = sentence.replacing(" See \(list).", with: "")
            let similar = name.map { (name: $0, address: "https://\($0).faults.\(domain)\(authority)/") }
            let view = (list: list, sentence: shown, similar: similar, groups: groups)
            return pages.render(view, "unknown-fault", at: "/faults/unknown", of: origin)
        }
        let names = FaultHost.all.map(\.name) + PasskeyFault.all.map(\.name)
        site.errors = errors
        site.otherwise = { head in
            let host = head.hostText ?? ""
            let similar = String(host.prefix { $0 != "." }).nearest(of: names, within: 3)
            let fix = similar.map { "Did you mean \"\($0)\"?" } ?? "Check the name."
            let sentence = "The host \"\(host)\" is not in the list. \(fix) See \(list)."
            return errors.response(404, sentence, similarPath: similar, for: head)
        }
        return site
    }

    private func passkey(_ fault: PasskeyFault) -> JSONNode {
        let node: JSONNode = [
            "name": .text(fault.name), "summary": .text(fault.summary),
            "url": .text("https://\(fault.host(on: domain)):\(port)/"), "rp_id": .text(fault.rpHost(on: domain)),
            "options": .text(PasskeyFault.optionsPath),
            "expected": ["page": .text(fault.page), "app": .text(fault.app), "server": .optional(fault.server)],
            "issues": .texts(fault.issues),
        ]
        return node.adding("note", fault.note.map { .text($0) })
    }

    struct View {
        struct Row {
            let fault: FaultHost
            let origin: String
            let path: String
            /// The verdict on iOS 14 and later.
            let verdict: String
            /// The verdict of all profiles; nil if they differ.
            let shared: Cell?
            let verdicts: [Cell]
            /// Whether the host never completes a handshake. A picture from it would load for minutes.
            let isSilent: Bool
            /// The result of each URL.
            let links: [String]
        }

        typealias Cell = (profile: String, word: String, symbol: String)

        let app: String
        let picture = FaultPages.picturePath
        let domain: String
        let authority: String
        let groups: [(name: String, isAndroid: Bool, rows: [Row])]
        let passkeys: [(fault: PasskeyFault, origin: String)]
    }

    var view: View {
        let groups = FaultHost.Group.allCases.map { group in
            (name: group.rawValue, isAndroid: group == .android, FaultHost.all.filter { $0.group == group }.map(row))
        }
        let passkeys = PasskeyFault.all.map { (fault: $0, origin: "https://\($0.host(on: domain))\(authority)") }
        return View(app: "\(file.app)", domain: domain, authority: authority, groups: groups, passkeys: passkeys)
    }

    private static let profiles = ["iOS 14 and later", "Apple's documentation", "iOS 9 to 13", "iOS 8"]

    private func row(_ fault: FaultHost) -> View.Row {
        let verdicts = Profile.allCases.map(fault.verdict)
        let isAndroid = fault.group == .android
        let isShared = isAndroid || verdicts.allSatisfy { $0 == verdicts[0] }
        let names = isShared ? [isAndroid ? "Android" : "All profiles"] : Self.profiles
        let cells = zip(names, verdicts).map { name, verdict in
            (profile: name, word: verdict?.rawValue ?? "", symbol: Self.symbol(verdict))
        }
        return View.Row(
            fault: fault, origin: "https://\(fault.host(on: domain))\(authority)",
            path: isAndroid ? AssetLinks.path : FilePath.wellKnown.text, verdict: cells[0].word,
            shared: isShared ? cells[0] : nil, verdicts: isShared ? [] : cells,
            isSilent: hosts[fault.name]?.handshake.outcome.failure == "timeout",
            links: fault.links.map { "\($0.target): \($0.result.rawValue)" })
    }

    private static func symbol(_ verdict: FaultHost.Expectation?) -> String {
        switch verdict {
        case .associated: "✓"
        case .denied: "✗"
        case .retry: "↻"
        case .unproven: "?"
        case nil: "–"
        }
    }

    /// The path of an image that a browser loads only if it accepts the host's certificate and connection.
    static let picturePath = "/connected.svg"
}
