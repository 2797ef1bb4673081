import ArgumentParser
import AssociationChecker
import Certificates
import HTTPSClient
import MotivatorPlatform

struct PasskeyOptions: ParsableArguments {
    @Flag(help: "Check whether the app, and pages of --origin, may use passkeys of the domain.")
    var passkeys = false

    @Option("RP ID of the passkeys (default: the domain).", value: "name")
    var rpId: String?

    @Option("Origin of pages that use the passkeys (repeatable).", value: "url")
    var origin: [String] = []

    func validate() throws {
        try require(passkeys || (rpId == nil && origin.isEmpty), "--rp-id and --origin require --passkeys.")
    }

    func report(_ target: String, _ request: RequestOptions, _ tools: CheckTools) throws -> Report {
        guard case .site(let site) = try AssociationTarget(target) else {
            throw ExplainedFailure(
                "--passkeys: \(target.excerpt) is not a domain", fix: "Pass a domain such as example.com")
        }
        let origins = try origin.map { text in
            let url = try parsing("--origin") { try WebURL(text) }
            try require(
                url.scheme == "https" && url.requestTarget == "/" && url.fragment == nil,
                "--origin: \(text.excerpt) is not an https origin", fix: "Use https://HOST or https://HOST:PORT")
            return url
        }
        let check = try PasskeyCheck(site.text, rpID: rpId, origins: origins, try request.requests())
        let verifier = try tools.verifier()
        var options = tools.fetching
        return check.report(Checker(CheckRequest(), trust: tools.anchors, at: tools.time)) { site, limit in
            options.maximumContent = limit + 1
            return site.fetches(Fetcher(options), verifier: verifier)
        }
    }
}
