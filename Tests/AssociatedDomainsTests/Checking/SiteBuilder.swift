import Certificates
import MotivatorHTTP
import MotivatorPlatform

@testable import AssociationChecker
@testable import HTTPSClient

/// Responses from a site, in the form that the fetcher returns.
enum SiteBuilder {
    static let wellKnown = "https://example.com/.well-known/apple-app-site-association"
    static let root = "https://example.com/apple-app-site-association"
    static let publicAddress: SocketAddress = {
        guard let address = SocketAddress("203.0.113.7", port: 443) else { fatalError("invalid address") }
        return address
    }()

    /// Returns the response to a single request.
    static func step(
        _ url: String, status: Int? = 200,
        _ fields: [(name: String, value: String)] = [("Content-Type", "application/json")],
        _ content: [UInt8] = [], failure: FetchFailure? = nil, faults: [ChainIssue] = [],
        anchor: ChainVerdict.Anchor = .system(subject: "CN=Root"), path: [Certificate] = [],
        address: SocketAddress? = publicAddress
    ) throws -> FileFetch.Step {
        let url = try WebURL(url)
        let response = status.map { FetchedResponse(status: $0, reason: "", fields: fields, content: content) }
        let fetched = Fetched(
            request: FetchRequest(host: url.host, port: url.port ?? 443, target: url.requestTarget), address: address,
            tls: nil, response: response, failure: failure, milliseconds: 1)
        let chain = ChainVerdict(issues: faults, anchor: anchor, path: path)
        return FileFetch.Step(url: url, fetched: fetched, chain: chain)
    }

    static let json: [(name: String, value: String)] = [("Content-Type", "application/json")]

    /// Returns a response with a valid file.
    static func good(_ url: String, _ text: String = credentials(demoApp)) throws -> FileFetch.Step {
        try step(url, json, Array(text.utf8))
    }

    static func missing(_ url: String) throws -> FileFetch.Step { try step(url, status: 404) }

    /// Creates a check of both paths of `example.com`.
    static func site(
        _ name: String, _ verdicts: String, _ codes: Set<String>, _ entries: [String] = [],
        wellKnown: @escaping @Sendable () throws -> [FileFetch.Step] = { [try good(SiteBuilder.wellKnown)] },
        root: @escaping @Sendable () throws -> [FileFetch.Step] = { [try missing(SiteBuilder.root)] }
    ) -> CheckCase {
        CheckCase(name: name, verdicts: verdicts, codes: codes) {
            var request = CheckRequest()
            request.entries = entries.map { CheckRequest.Entry($0) }
            let fetches = [
                FileFetch(path: .wellKnown, steps: try wellKnown()), FileFetch(path: .root, steps: try root()),
            ]
            return Checker(request, at: 1_700_000_000).check(
                fetches: fetches, site: "example.com", host: "example.com")
        }
    }

    /// Creates a check of a single URL that returns the file.
    static func given(_ name: String, _ url: String, _ verdicts: String, _ codes: Set<String>) -> CheckCase {
        CheckCase(name: name, verdicts: verdicts, codes: codes.union(["signature-missing"])) {
            let target = try SiteTarget.locate(url)
            let fetches = [FileFetch(path: .given, steps: [try good(url)])]
            return Checker(CheckRequest(), at: 1_700_000_000).check(fetches: fetches, site: url, host: target.host)
        }
    }

    /// Creates a check in which both paths fail in the same way before the file arrives.
    static func broken(
        _ name: String, _ verdicts: String, _ code: String,
        _ step: @escaping @Sendable (_ url: String) throws -> FileFetch.Step
    ) -> CheckCase {
        site(name, verdicts, [code], wellKnown: { [try step(wellKnown)] }, root: { [try step(root)] })
    }

    /// Creates a check in which both paths have the file, with a certificate issue.
    static func certificate(_ name: String, _ verdicts: String, _ code: String, _ fault: ChainIssue) -> CheckCase {
        site(
            name, verdicts, [code, "signature-missing"],
            wellKnown: { [try step(wellKnown, json, Array(credentials(demoApp).utf8), faults: [fault])] },
            root: { [try step(root, json, Array(credentials(demoApp).utf8), faults: [fault])] })
    }
}
