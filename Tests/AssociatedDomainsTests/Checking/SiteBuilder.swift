import Certificates
import MotivatorHTTP
import MotivatorPlatform

@testable import AssociationChecker
@testable import HTTPSClient

/// Answers of a site, as the fetcher hands them over.
enum SiteBuilder {
    static let wellKnown = "https://example.com/.well-known/apple-app-site-association"
    static let root = "https://example.com/apple-app-site-association"
    static let publicAddress: SocketAddress = {
        guard let address = SocketAddress("203.0.113.7", port: 443) else { fatalError("an address of RFC 5737") }
        return address
    }()

    /// The answer to one request.
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

    /// A file that is fine, at a URL.
    static func good(_ url: String, _ text: String = credentials(demoApp)) throws -> FileFetch.Step {
        try step(url, json, Array(text.utf8))
    }

    static func missing(_ url: String) throws -> FileFetch.Step { try step(url, status: 404) }

    /// A check of both places of `example.com`.
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

    /// A check of one URL at which the file is.
    static func given(_ name: String, _ url: String, _ verdicts: String, _ codes: Set<String>) -> CheckCase {
        CheckCase(name: name, verdicts: verdicts, codes: codes.union(["signature-missing"])) {
            let target = try SiteTarget.locate(url)
            let fetches = [FileFetch(path: .given, steps: [try good(url)])]
            return Checker(CheckRequest(), at: 1_700_000_000).check(fetches: fetches, site: url, host: target.host)
        }
    }

    /// A check in which both places break in the same way before there is a file.
    static func broken(
        _ name: String, _ verdicts: String, _ code: String,
        _ step: @escaping @Sendable (_ url: String) throws -> FileFetch.Step
    ) -> CheckCase {
        site(name, verdicts, [code], wellKnown: { [try step(wellKnown)] }, root: { [try step(root)] })
    }

    /// A check in which both places have the file, but with something about the certificate.
    static func certificate(_ name: String, _ verdicts: String, _ code: String, _ fault: ChainIssue) -> CheckCase {
        site(
            name, verdicts, [code, "signature-missing"],
            wellKnown: { [try step(wellKnown, json, Array(credentials(demoApp).utf8), faults: [fault])] },
            root: { [try step(root, json, Array(credentials(demoApp).utf8), faults: [fault])] })
    }
}
