import AssociatedDomains
import AssociationChecker
import Certificates
import Foundation
import HTTPSClient
import MotivatorPlatform
import UniversalLinks

/// A check of all hosts that are broken on purpose (`serve --faults`) against their expected verdicts.
struct CheckFaults {
    /// The list that the server provides at `/faults.json`.
    struct List: Decodable {
        struct Host: Decodable {
            /// A URL, and the app that opens it, or `browser` or `unproven`.
            struct Link: Decodable {
                let url: String
                let opens: String
            }

            let name: String
            let group: String
            let summary: String
            let url: String
            let verdicts: [String: String]
            let issues: [String]
            let links: [Link]?

            var isForAndroid: Bool { group == "Android" }
        }

        struct Association: Decodable { let sha256: String }

        let version: String
        let association: Association
        let app: String
        let androidApp: String
        let suffix: String
        let hosts: [Host]

        func app(of host: Host) -> String { host.isForAndroid ? androidApp : app }
    }

    struct Result {
        let host: List.Host
        let report: Report

        func actual(_ profile: Profile) -> String {
            report.isUnproven(profile) ? "unproven" : report.verdict(profile).rawValue
        }

        var profiles: [Profile] { Profile.allCases.filter { host.verdicts[$0.rawValue] != nil } }

        func isExpected(_ profile: Profile) -> Bool { host.verdicts[profile.rawValue] == actual(profile) }

        /// Each URL with the actual result.
        var links: [(link: List.Host.Link, opens: String)] {
            (host.links ?? []).map { link in
                let match = (try? WebURL(link.url)).flatMap { report.file?.links?.match($0) }
                let app = match?.outcome == .matched ? match?.app.flatMap { try? AppIdentifier($0) } : nil
                return (link, app.map(\.description) ?? "browser")
            }
        }

        var wrongLinks: [(link: List.Host.Link, opens: String)] {
            links.filter { ![$0.opens, "unproven"].contains($0.link.opens) }
        }

        /// The codes of the errors and warnings, except the code for a private host name.
        var issues: [String] {
            let issues = report.issues(in: profiles).filter { !$0.isNote && !$0.isPrivateEntry }
            return Set(issues.map(\.code)).sorted()
        }

        var isExpected: Bool {
            profiles.allSatisfy(isExpected) && issues == host.issues.sorted() && wrongLinks.isEmpty
        }
    }

    /// The number of concurrent checks. Checks mostly wait for deadlines.
    private static let concurrency = 16
    /// The maximum time for each path, in seconds. A server ends a stalled handshake only after 10 seconds.
    private static let maximumSeconds = 8
    /// The maximum size of the list in bytes. The server's list has about 240 kB.
    private static let maximumList = 4 << 20

    let server: WebURL
    private let tools: CheckTools

    /// - Parameter options: without `--trust`, the check trusts the development CA, if it exists.
    init(_ target: String, _ options: FetchOptions) throws {
        server = try parsing("the target") { try WebURL.entered("https://\(target)/") }
        tools = try CheckTools(options, forMany: true, orAuthority: DataFolder.path("certs"))
    }

    private func list() throws -> (list: List, content: [UInt8]) {
        let content = try send("GET", "/faults.json", expecting: 200)
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return (try decoder.decode(List.self, from: Data(content)), content)
        } catch {
            throw unusable("/faults.json is not a list of hosts in format 2")
        }
    }

    func list(as format: AssociationCommand.Check.Format) throws -> [UInt8] {
        let (list, content) = try list()
        let texts = FaultList(list: list, server: server.authority)
        switch format {
        case .json: return content
        case .pytest: return Array(texts.pytest.utf8)
        case .junit: return Array(texts.junit.utf8)
        case .text, .tsv, .github, .sarif, .ndjson, .html: return Array(texts.tsv.utf8)
        }
    }

    func run(progress: @escaping @Sendable (Int, Int) -> Void) throws -> [Result] {
        let (tools, verifier) = (tools, try tools.verifier())
        let list = try list().list
        try send("POST", "/faults/reset", expecting: 303)

        var settings = tools.fetching
        settings.deadline = min(settings.deadline, Self.maximumSeconds)
        // The user's rules take precedence.
        settings.connectTo += [try Fetcher.ConnectTo("::\(server.host.bracketed):\(server.port ?? 443)")]
        let checking = Fetcher(settings)
        let checks = try checks(list)
        let results = Guarded([Result?](repeating: nil, count: checks.count))
        var waiting = Array(checks.enumerated())[...]
        Workers.run(Self.concurrency, next: { waiting.popFirst() }) { index, check in
            let (host, target, request) = check
            let report = Checker(request, trust: tools.anchors, at: tools.time).check(
                fetches: target.fetches(checking, verifier: verifier), site: target.text, host: target.host)
            let done = results.withLock { results in
                results[index] = Result(host: host, report: report)
                return results.count { $0 != nil }
            }
            progress(done, checks.count)
        }
        return results.withLock { $0.compactMap(\.self) }
    }

    private func checks(_ list: List) throws(ExplainedFailure) -> [(List.Host, SiteTarget, CheckRequest)] {
        do {
            let (app, androidApp) = (try AppIdentifier(list.app), try AndroidApp(list.androidApp))
            return try list.hosts.map { host in
                let name = host.name + list.suffix
                var request = CheckRequest()
                request.assumesPublic = true
                if host.isForAndroid {
                    (request.androidApps, request.relation) = ([androidApp], .links)
                    return (host, try SiteTarget.locate(assetLinks: name), request)
                }
                let entry = "webcredentials:\(name)"
                (request.apps, request.entries) = ([app], [CheckRequest.Entry(entry)])
                return (host, try SiteTarget.locate(name, entries: [try AssociatedDomain(entry)]), request)
            }
        } catch {
            throw unusable("/faults.json contains an invalid app or host")
        }
    }

    private func unusable(_ reason: String) -> ExplainedFailure {
        ExplainedFailure(
            "\(server.authority) does not provide hosts that are broken on purpose: \(reason)",
            fix: "Start a server with motivator serve --faults, and pass its address and its CA (--trust)",
            exitCode: .unavailable)
    }

    /// Sends a request to the server itself, and returns the response content.
    @discardableResult
    private func send(_ method: String, _ path: String, expecting status: Int) throws -> [UInt8] {
        var settings = tools.fetching
        settings.maximumContent = Self.maximumList
        let verifier = try tools.verifier()
        let request = FetchRequest(method: method, host: server.host, port: server.port ?? 443, target: path)
        let fetched = Fetcher(settings).fetch(request)
        if let failure = fetched.failure { throw unusable(failure.problem) }
        let issues = fetched.tls.map { verifier.verdict(on: $0.chain, host: server.host).issues.filter { !$0.isNote } }
        if let issue = issues?.first {
            throw ExplainedFailure(
                "the certificate of \(server.authority) is not accepted: \(issue.problem)",
                fix: "Pass a name in the certificate, and the CA of the server (--trust)", exitCode: .unavailable)
        }
        guard let response = fetched.response, response.status == status else {
            throw unusable("the response for \(path) has status \(fetched.response?.status ?? 0)")
        }
        return response.content
    }
}

// MARK: - Output

extension [CheckFaults.Result] {
    var areExpected: Bool { !isEmpty && allSatisfy(\.isExpected) }

    var json: JSONNode {
        [
            "ok": .truth(areExpected),
            "hosts": .list(
                map { result in
                    func verdicts(_ value: (Profile) -> String) -> JSONNode {
                        .members(result.profiles.map { ($0.rawValue, .text(value($0))) })
                    }
                    let links = result.links.map { link, opens -> JSONNode in
                        ["url": .text(link.url), "expected": .text(link.opens), "actual": .text(opens)]
                    }
                    let node: JSONNode = [
                        "name": .text(result.host.name), "ok": .truth(result.isExpected),
                        "expected": verdicts { result.host.verdicts[$0.rawValue] ?? "" },
                        "actual": verdicts(result.actual),
                        "expected_issues": .list(result.host.issues.map { .text($0) }),
                        "actual_issues": .list(result.issues.map { .text($0) }),
                    ]
                    return node.adding("links", links.isEmpty ? nil : .list(links))
                }),
        ]
    }

    var text: String {
        let header = ["host"] + Profile.allCases.map(\.rawValue) + ["issues"]
        let rows = map { result in
            let verdicts = Profile.allCases.map { profile in
                let expected = result.host.verdicts[profile.rawValue]
                return expected.map { compared(result.actual(profile), $0) } ?? "-"
            }
            let expected = result.host.issues.sorted().joined(separator: ", ")
            return [result.host.name] + verdicts + [compared(result.issues.joined(separator: ", "), expected)]
        }
        let links = flatMap(\.wrongLinks).map { "\($0.link.url): \(compared($0.opens, $0.link.opens))\n" }
        let wrong = count { !$0.isExpected }
        let end =
            wrong == 0
            ? "All \(count) hosts have the expected verdicts and issues."
            : "\(wrong) of \(count) hosts do not have the expected verdicts and issues."
        return "\(([header] + rows).aligned())\(links.joined())\n\(end)\n"
    }
}

private func compared(_ actual: String, _ expected: String) -> String {
    actual == expected ? actual : "\(actual) (expected: \(expected))"
}

/// The list of the hosts that are broken on purpose, as a table or as a test of another validator.
struct FaultList {
    let list: CheckFaults.List
    let server: String

    /// The origin of the list, as one line without a line break of the server.
    private var origin: String {
        "\(list.hosts.count) hosts of \(server), motivator \(list.version), file \(list.association.sha256)".printable
    }

    /// Tab-separated values: a row for each host, and a row for each URL with the app that opens it.
    var tsv: String {
        let header =
            ["name", "group", "url", "app"] + Profile.allCases.map(\.rawValue) + ["opens", "issues", "summary"]
        let rows = list.hosts.flatMap { host in
            let app = list.app(of: host)
            let verdicts = Profile.allCases.map { host.verdicts[$0.rawValue] ?? "" }
            let own = [host.name, host.group, host.url, app] + verdicts
            let none = verdicts.map { _ in "" }
            return [own + ["", host.issues.joined(separator: " "), host.summary]]
                + (host.links ?? []).map { [host.name, host.group, $0.url, app] + none + [$0.opens, "", ""] }
        }
        return "# \(origin)\n"
            + ([header] + rows).map { $0.map(\.printable).joined(separator: "\t") + "\n" }.joined()
    }

    /// A Python module with a test for each host and for each URL.
    var pytest: String {
        let hosts = hosts.map { host in
            let values = host.dropFirst().map(JSONText.quote).joined(separator: ", ")
            return "    pytest.param(\(values), id=\(JSONText.quote(host[0]))),\n"
        }
        let links = links.map { "    (\($0.map(JSONText.quote).joined(separator: ", "))),\n" }
        return filled(PackageResources.pytest_template, hosts.joined(), links.joined())
    }

    /// A Java class with a test for each host and for each URL.
    var junit: String {
        func arguments(_ rows: [[String]]) -> String {
            rows.map { "            arguments(\($0.map(JSONText.quote).joined(separator: ", ")))" }
                .joined(separator: ",\n")
        }
        return filled(PackageResources.junit_template, arguments(hosts), arguments(links))
    }

    /// Returns a test from a template. Python and Java have all escape sequences of JSON.
    private func filled(_ template: [UInt8], _ hosts: String, _ links: String) -> String {
        String(decoding: template, as: UTF8.self)
            .filled(["origin": JSONText.quote(origin), "hosts": hosts, "links": links])
    }

    /// The name, the URL, the app and the verdict of each host.
    private var hosts: [[String]] {
        list.hosts.map { [$0.name, $0.url, list.app(of: $0), $0.verdicts[Profile.device.rawValue] ?? ""] }
    }

    /// The URL of the file, the URL of the link, and the app that opens it.
    private var links: [[String]] {
        list.hosts.flatMap { host in (host.links ?? []).map { [host.url, $0.url, $0.opens] } }
    }
}
