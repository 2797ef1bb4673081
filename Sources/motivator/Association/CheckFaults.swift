import AssociatedDomains
import AssociationChecker
import Certificates
import Foundation
import HTTPSClient
import MotivatorPlatform

/// A check of all hosts that are broken on purpose (`serve --faults`) against their expected verdicts.
struct CheckFaults {
    /// The list that the server provides at `/faults.json`.
    struct List: Decodable {
        struct Host: Decodable {
            let name: String
            let verdicts: [String: String]
            let issues: [String]
        }

        let app: String
        let suffix: String
        let hosts: [Host]
    }

    /// The result for one host.
    struct Result {
        let host: List.Host
        let report: Report

        func actual(_ profile: Profile) -> String {
            report.isUnproven(profile) ? "unproven" : report.verdict(profile).rawValue
        }

        func isExpected(_ profile: Profile) -> Bool { host.verdicts[profile.rawValue] == actual(profile) }

        /// The codes of the errors and warnings, except the code for a private host name.
        var issues: [String] {
            Set(report.issues.filter { !$0.isNote && !$0.isPrivateEntry }.map(\.code)).sorted()
        }

        var isExpected: Bool { Profile.allCases.allSatisfy(isExpected) && issues == host.issues.sorted() }
    }

    /// The number of concurrent checks. Checks mostly wait for deadlines.
    private static let concurrency = 16
    /// The maximum time for each path, in seconds. A server ends a stalled handshake only after 10 seconds.
    private static let maximumSeconds = 8

    let server: WebURL
    let options: FetchOptions

    /// Creates a check for a server.
    /// - Parameters:
    ///   - options: the request options. Without `--trust`, the check trusts the development CA, if it exists.
    init(_ target: String, _ options: FetchOptions) throws {
        server = try parsing("the target") { try WebURL("https://\(target)/") }
        self.options = options
    }

    /// Fetches the list of hosts, and checks each host.
    func run(progress: @escaping @Sendable (Int, Int) -> Void) throws -> [Result] {
        let anchors = try anchors()
        var settings = try options.sites.fetcherOptions()
        let verifier = try ChainVerifier(trust: anchors, at: options.time)
        let fetcher = Fetcher(settings)
        let list = try list(fetcher, verifier)
        try send("POST", "/faults/reset", fetcher, verifier, expecting: 303)

        settings = try options.sites.fetcherOptions()
        settings.deadline = min(settings.deadline, Self.maximumSeconds)
        // The user's rules take precedence.
        settings.connectTo += [try Fetcher.ConnectTo("::\(server.host.bracketed):\(server.port ?? 443)")]
        let checking = Fetcher(settings)
        let checks = try checks(list)
        let results = Guarded([Result?](repeating: nil, count: checks.count))
        var waiting = Array(checks.enumerated())[...]
        let time = options.time
        Workers.run(Self.concurrency, next: { waiting.popFirst() }) { index, check in
            let (host, target, request) = check
            let report = Checker(request, trust: anchors, at: time).check(
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
            let app = try AppIdentifier(list.app)
            return try list.hosts.map { host in
                let entry = "webcredentials:\(host.name)\(list.suffix)"
                var request = CheckRequest()
                request.apps = [app]
                request.entries = [CheckRequest.Entry(entry)]
                request.assumesPublic = true
                let target = try SiteTarget.locate(host.name + list.suffix, entries: [try AssociatedDomain(entry)])
                return (host, target, request)
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

    private func anchors() throws -> [Certificate]? {
        if let given = try options.sites.anchors() { return given }
        let own = DataFolder.path("certs") + "/authority.pem"
        return unsafe access(own, F_OK) == 0 ? try Certificate.load(path: own) : nil
    }

    private func list(_ fetcher: Fetcher, _ verifier: ChainVerifier) throws -> List {
        let content = try send("GET", "/faults.json", fetcher, verifier, expecting: 200)
        do {
            return try JSONDecoder().decode(List.self, from: Data(content))
        } catch {
            throw unusable("/faults.json is not a list of hosts")
        }
    }

    /// Sends a request to the server itself, and returns the response content.
    @discardableResult
    private func send(
        _ method: String, _ path: String, _ fetcher: Fetcher, _ verifier: ChainVerifier, expecting status: Int
    ) throws(ExplainedFailure) -> [UInt8] {
        let request = FetchRequest(method: method, host: server.host, port: server.port ?? 443, target: path)
        let fetched = fetcher.fetch(request)
        if let failure = fetched.failure { throw unusable(failure.problem) }
        let issues = fetched.tls.map { verifier.verdict(on: $0.chain, host: server.host).issues.filter { !$0.isNote } }
        if let issue = issues?.first { throw unusable(issue.problem) }
        guard let response = fetched.response, response.status == status else {
            throw unusable("the response for \(path) has status \(fetched.response?.status ?? 0)")
        }
        return response.content
    }
}

// MARK: - Output

extension [CheckFaults.Result] {
    /// Whether all verdicts and issues match the expected values.
    var areExpected: Bool { !isEmpty && allSatisfy(\.isExpected) }

    /// The results as one JSON document.
    var json: JSONNode {
        [
            "ok": .truth(areExpected),
            "hosts": .list(
                map { result in
                    func verdicts(_ value: (Profile) -> String) -> JSONNode {
                        .members(Profile.allCases.map { ($0.rawValue, .text(value($0))) })
                    }
                    return [
                        "name": .text(result.host.name), "ok": .truth(result.isExpected),
                        "expected": verdicts { result.host.verdicts[$0.rawValue] ?? "" },
                        "actual": verdicts(result.actual),
                        "expected_issues": .list(result.host.issues.map { .text($0) }),
                        "actual_issues": .list(result.issues.map { .text($0) }),
                    ]
                }),
        ]
    }

    var text: String {
        let header = ["host"] + Profile.allCases.map(\.rawValue) + ["issues"]
        let rows = map { result in
            [result.host.name] + Profile.allCases.map(result.cell) + [result.issuesCell]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        let lines = ([header] + rows).map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(
                separator: "  ")
            return String(cells.reversed().drop { $0 == " " }.reversed())
        }
        let wrong = count { !$0.isExpected }
        let end =
            wrong == 0
            ? "All \(count) hosts have the expected verdicts and issues."
            : "\(wrong) of \(count) hosts do not have the expected verdicts and issues."
        return (lines + ["", end, ""]).joined(separator: "\n")
    }
}

extension CheckFaults.Result {
    fileprivate func cell(_ profile: Profile) -> String {
        isExpected(profile)
            ? actual(profile) : "\(actual(profile)) (expected: \(host.verdicts[profile.rawValue] ?? "nothing"))"
    }

    fileprivate var issuesCell: String {
        let actual = issues.joined(separator: ", ")
        return issues == host.issues.sorted() ? actual : "\(actual) (expected: \(host.issues.joined(separator: ", ")))"
    }
}
