import AssociationChecker
package import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
package import MotivatorServer
package import UltraMotivator

/// The live view of a server's requests and failed handshakes, on the admin listener.
package struct Inspector: Sendable {
    private static let limit = 1_000
    /// The interval between checks for new entries. A request appears within one second.
    private static let interval = Duration.milliseconds(250)
    /// The number of checks without new entries after which the server sends a keep-alive comment.
    private static let quietLooks = 60

    /// The maximum number of event streams. Each stream holds a connection and looks for new entries four times a second.
    private static let viewerLimit = 32
    /// The seconds after which a refused viewer can try again.
    private static let viewerWait = 10

    private let viewers = Guarded(0)
    package let recorder: TrafficRecorder
    /// The trusted roots for signed files, or nil for the system's roots.
    package var trust: [Certificate]?

    private let renderer: Renderer

    /// - Parameter reads: receives the requests for the association file; nil without `--lan`.
    package init(reads: DeviceReads? = nil) throws {
        recorder = DeviceReads.recorder(limit: Self.limit, for: reads)
        renderer = Renderer(InspectorPage.templates)
    }

    package func addRoutes(to site: inout Site) {
        func add(_ path: String, _ respond: @escaping @Sendable (Request) async -> Response) {
            site.route(.get, path, to: ClosureHandler.admin(respond))
        }
        add("/") { request in
            let filter = Self.filter(request)
            let (recorded, cursor) = recorder.entries()
            let entries = recorded.map(inspected).reversed()
                .filter { !$0.isAsset && InspectorPage.Row($0).matches(filter) }
            let list = InspectorPage.List(Array(entries), filter: filter, cursor: Self.text(cursor))
            return Self.page(renderer.text(list, "inspector"))
        }
        add("/events", follow)
        add("/entries/{id}") { request in
            guard let entry = entries().first(where: { $0.id == request.parameters.first }) else {
                return Self.page(renderer.text("", "missing"), .notFound)
            }
            return Self.page(renderer.text(InspectorPage.Detail(entry), "request"))
        }
        add("/entries.json") { request in
            Self.download(["entries": .list(selected(request).map(\.json))], "requests.json")
        }
        add("/entries.har") { request in
            let log: JSONNode = [
                "version": "1.2", "creator": ["name": "Ultra Motivator", "version": "1"],
                "entries": .list(selected(request).filter { $0.entry.failure == nil }.map(\.archive)),
            ]
            return Self.download(["log": log], "requests.har")
        }
    }

    private func entries() -> [InspectedEntry] { recorder.entries().entries.map(inspected) }

    private func inspected(_ entry: TrafficRecorder.Entry) -> InspectedEntry { InspectedEntry(entry, trust: trust) }

    private func selected(_ request: Request) -> [InspectedEntry] {
        let filter = Self.filter(request)
        return entries().filter { InspectorPage.Row($0).matches(filter) }
    }

    private static func filter(_ request: Request) -> String {
        PercentCoding.items((request.head.queryText ?? "").utf8).first { $0.name == "q" }?.value ?? ""
    }

    /// Sends new entries as server-sent events (WHATWG HTML §9.2) until the viewer disconnects.
    private func follow(_ request: Request) async -> Response {
        let fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        guard request.head.method == .get, let connection = request.connection else {
            return Response(.ok, fields: fields)
        }
        let isAdmitted = viewers.withLock { count in
            guard count < Self.viewerLimit else { return false }
            count += 1
            return true
        }
        guard isAdmitted else {
            var refusal = ErrorRenderer().response(
                503, "\(Self.viewerLimit) pages follow the requests already. Close one of them, then reload this page.",
                for: request.head)
            refusal.fields[.retryAfter] = "\(Self.viewerWait)"
            return refusal
        }
        defer { viewers.withLock { $0 -= 1 } }
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
            + "Date: \(String(decoding: HTTPDate.bytes(Clock.system.now()), as: UTF8.self))\r\n"
            + "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n"
        let last = request.head.fieldLines.first { $0.name.lowercased() == "last-event-id" }?.value
        var cursor = Self.cursor(last ?? request.head.queryText ?? "")
        guard await connection.write(Array(head.utf8)) else { return Response(.ok) }
        var quiet = 0
        while !Task.isCancelled {
            let (entries, next) = recorder.entries(after: cursor)
            quiet = entries.isEmpty ? quiet + 1 : 0
            // The ID of each event is the position after the event, so a viewer that reconnects misses no events.
            var position = cursor + Array(repeating: 0, count: max(next.count - cursor.count, 0))
            let events = entries.compactMap { recorded -> String? in
                position[recorded.lane] = recorded.number
                let entry = inspected(recorded)
                guard !entry.isAsset else { return nil }
                let row = renderer.text(InspectorPage.Row(entry), "row").replacing("\n", with: " ")
                return "id: \(Self.text(position))\ndata: \(row)\n\n"
            }
            cursor = next
            let text = events.isEmpty && quiet % Self.quietLooks == 0 ? ": nothing new\n\n" : events.joined()
            if !text.isEmpty, await !connection.write(Array(text.utf8)) { break }
            try? await Task.sleep(for: Self.interval)
        }
        return Response(.ok)
    }

    private static func text(_ cursor: TrafficRecorder.Cursor) -> String {
        cursor.map(String.init).joined(separator: ".")
    }

    private static func cursor(_ text: String) -> TrafficRecorder.Cursor {
        text.split(separator: ".").map { Int($0) ?? 0 }
    }

    private static func page(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        var response = Response(status, type: "text/html; charset=utf-8", text: text)
        response.fields[.cacheControl] = "no-store"
        return response
    }

    private static func download(_ node: JSONNode, _ name: String) -> Response {
        Response(
            .ok,
            fields: [
                .contentType: "application/json", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ], content: node.bytes())
    }
}
