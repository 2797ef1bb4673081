import AssociatedDomains
import Certificates
import MotivatorPlatform

@testable import AssociationChecker
@testable import HTTPSClient

/// The inputs for rows about hosts: the network, certificates, HTTP and signatures.
extension FixInput {
    static let hosts: [String: FixInput] = {
        var inputs = responses.merging(signatures) { $1 }
        for failure in FetchFailure.examples + [.handshakeFailed(SiteBuilder.publicAddress, reason: "alert")] {
            inputs[failure.entry.diagnostic.code] = site { url, _ in
                [try SiteBuilder.step(url, status: nil, failure: failure)]
            }
        }
        for issue in ChainIssue.examples {
            let code = issue.entry.diagnostic.code
            guard inputs[code] == nil else { continue }
            inputs[code] = site { url, file in [try SiteBuilder.step(url, file.fields, file.bytes, faults: [issue])] }
        }
        inputs["tls-given-root"] = site { url, file in
            [try SiteBuilder.step(url, file.fields, file.bytes, anchor: .given(subject: "CN=Own"))]
        }
        return inputs
    }()

    /// A file, and the fields of its response.
    private struct Served {
        let bytes: [UInt8]
        let fields: [(name: String, value: String)]
    }

    /// A site with the plain file at `.well-known` and the signed file at the root path. Before the fix, the responses
    /// are those of `before`, for each of the paths if it returns a response for it.
    private static func site(
        _ entries: [String] = [], _ after: @escaping @Sendable (inout CheckRequest) -> Void = { _ in },
        before: @escaping @Sendable (_ url: String, _ file: Served) throws -> [FileFetch.Step]?
    ) -> FixInput {
        FixInput { _, isFixed in
            let signed = try SignatureCases.Signed.fresh()
            var request = CheckRequest()
            request.entries = entries.map { CheckRequest.Entry($0) }
            if isFixed { after(&request) }
            let plain = Served(bytes: Array(credentials(demoApp).utf8), fields: SiteBuilder.json)
            let message = Served(bytes: signed.message, fields: [("Content-Type", "application/pkcs7-mime")])
            let paths: [(FilePath, String, Served)] = [
                (.wellKnown, SiteBuilder.wellKnown, plain), (.root, SiteBuilder.root, message),
            ]
            let fetches = try paths.map { path, url, file in
                // A fix of the request keeps the responses.
                let broken = !isFixed || request.assumesPublic ? try before(url, file) : nil
                return FileFetch(
                    path: path, steps: try broken ?? [SiteBuilder.step(url, file.fields, file.bytes)])
            }
            return Checker(request, trust: [signed.root], at: signed.time).check(
                fetches: fetches, site: "example.com", host: "example.com")
        }
    }

    /// A site that sends the file with another status.
    private static func status(
        _ status: Int, _ fields: [(name: String, value: String)] = [], _ entries: [String] = []
    ) -> FixInput {
        site(entries) { url, _ in [try SiteBuilder.step(url, status: status, fields)] }
    }

    private static let developer = ["webcredentials:example.com?mode=developer"]

    private static let responses: [String: FixInput] = {
        [
            "network-private-host": site([], { $0.assumesPublic = true }) { url, file in
                [
                    try SiteBuilder.step(
                        url, file.fields, file.bytes, address: SocketAddress("192.168.1.7", port: 443))
                ]
            },
            "network-cdn-failure": cdn, "path-not-read": elsewhere,
            "http-redirect": status(301, [("Location", "https://www.example.com/")]),
            "http-redirect-followed": site(developer) { url, file in
                [
                    try SiteBuilder.step(url, status: 302, [("Location", "https://www.example.com/file")]),
                    try SiteBuilder.step("https://www.example.com/file", file.fields, file.bytes),
                ]
            },
            "http-redirect-insecure": status(302, [("Location", "http://example.com/")]),
            "http-redirect-loop": site { url, _ in [try SiteBuilder.step(url, status: 302, [("Location", url)])] },
            "http-status-access-denied": status(403), "http-status-refused": status(404),
            "http-status-parsed": site(developer) { url, file in
                [try SiteBuilder.step(url, status: 203, file.fields, file.bytes)]
            },
            "http-status-server-error": status(503), "http-status-without-file": status(204),
            "http-content-type": site { url, file in
                [try SiteBuilder.step(url, [("Content-Type", "text/plain")], file.bytes)]
            },
            "http-signed-content-type": site { url, file in [try SiteBuilder.step(url, SiteBuilder.json, file.bytes)] },
            "http-content-encoding": site { url, file in
                guard url == SiteBuilder.wellKnown else { return nil }
                return [try SiteBuilder.step(url, file.fields + [("Content-Encoding", "gzip")], InflationTests.gzip)]
            },
            "path-only-root": site { url, _ in
                url == SiteBuilder.wellKnown ? [try SiteBuilder.missing(url)] : nil
            },
            "path-only-well-known": site { url, _ in url == SiteBuilder.root ? [try SiteBuilder.missing(url)] : nil },
            "path-contents-differ": site { url, file in
                guard url == SiteBuilder.root else { return nil }
                return [try SiteBuilder.good(url, credentials("D3KQX62K1A.com.example.Other"))]
            },
        ]
    }()

    /// The URL of Apple's CDN.
    private static let cdn = FixInput { _, isFixed in
        let url = "https://app-site-association.cdn-apple.com/a/v1/example.com"
        let signed = try SignatureCases.Signed.fresh()
        let step =
            try isFixed
            ? SiteBuilder.step(url, [("Content-Type", "application/pkcs7-mime")], signed.message)
            : SiteBuilder.step(url, status: 404, [("Apple-Failure-Reason", "SWCERR00101 Bad HTTP Response")])
        return Checker(CheckRequest(), trust: [signed.root], at: signed.time).check(
            fetches: [FileFetch(path: .given, steps: [step])], site: url, host: "example.com")
    }

    /// A URL that no device requests, and the same file at the root path.
    private static let elsewhere = FixInput { _, isFixed in
        let signed = try SignatureCases.Signed.fresh()
        let url = isFixed ? SiteBuilder.wellKnown : "https://example.com/apple-app-site-association.json"
        let step = try SiteBuilder.step(url, [("Content-Type", "application/pkcs7-mime")], signed.message)
        return Checker(CheckRequest(), trust: [signed.root], at: signed.time).check(
            fetches: [FileFetch(path: .given, steps: [step])], site: url, host: "example.com")
    }

    private static let signatures: [String: FixInput] = {
        let good = SignatureCases.signed("", "", [])
        var inputs: [String: FixInput] = [:]
        for issue in CMSIssue.examples {
            inputs[issue.entry.diagnostic.code] = .cases(SignatureCases.fault("", "", issue), good)
        }
        inputs["signature-missing"] = site { url, _ in
            url == SiteBuilder.root ? [try SiteBuilder.good(url)] : nil
        }
        inputs["signature-needless"] = site { url, _ in
            guard url == SiteBuilder.wellKnown else { return nil }
            let message = try SignatureCases.Signed.fresh().message
            return [try SiteBuilder.step(url, [("Content-Type", "application/pkcs7-mime")], message)]
        }
        inputs["signer-domain-unknown"] = .cases(SignatureCases.signed("", "", [], domain: nil), good)
        inputs["signer-wrong-domain"] = .cases(SignatureCases.signed("", "", [], domain: "example.org"), good)
        inputs["signer-expired"] = .cases(SignatureCases.signed("", "", [], after: 366 * 86_400), good)
        inputs["signature-malformed"] = .cases(SignatureCases.signed("", "", []) { $0.append(0) }, good)
        return inputs
    }()
}
