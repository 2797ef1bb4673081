import ArgumentParser
import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SourceJSON
import UniversalLinks

extension AssociationCommand {
    struct Match: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "match",
            abstract: "Show whether an app opens a URL, and which rule in the file determines the result.",
            discussion: """
                Example: motivator association match site.json --url https://example.com/buy/42 --explain

                The exit code is 0 if the URL is matched, and 1 if it is blocked or unmatched. For a site, a URL on \
                another host is unmatched. For a file, the command checks the host only with --domain.

                In assetlinks.json, handle_all_urls applies to every URL of the host. The app's intent filters \
                determine which of these URLs the app opens.

                With several --url, or with --url - for URLs from standard input, one per line, the command prints a \
                line for each URL. With --json, the results are the elements of "results". The exit code is 0 if every \
                URL is matched.
                """)

        @Argument(help: "Domain, https URL, file, or - for standard input.")
        var target: String

        @Option(help: "URL to match (repeatable), or - to read URLs from standard input, one per line.")
        var url: [String]

        @Option(help: "Domain that serves the file. URLs on other hosts do not match.")
        var domain: String?

        @Option("App to match (default: the first app that opens the URL).", value: "id")
        var app: String?

        @OptionGroup var android: AndroidOptions

        @Flag(help: "Print the result of each rule, and the first part of the URL that does not match.")
        var explain = false

        @OptionGroup(title: "Fetching options")
        var fetching: FetchOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() throws {
            let lines = url == ["-"] ? try readLines() : try url.map { try parse($0) }
            let app = try app.map { text in try parsing("--app") { try AppIdentifier(text) } }
            // Matching does not depend on whether Apple's CDN can reach the host.
            var request = CheckRequest()
            request.assumesPublic = true
            if app != nil { request.format = .apple }
            try android.add(to: &request)
            let located = try AssociationTarget(target, request)
            // The matcher itself reports why an app does not open a URL.
            let androidApps = request.androidApps
            request.androidApps = []
            let report = try readable(located.report(request, CheckTools(fetching)))
            let site: SiteTarget? = if case .site(let site) = located { site } else { nil }
            let named = try domain.map { name in
                try parsing("--domain") { () throws(ExplainedFailure) in
                    try report.assetLinks == nil ? SiteTarget.locate(name) : SiteTarget.locate(assetLinks: name)
                }
            }
            let matcher = FileMatcher(report, site: named ?? site, app: app, androidApps: androidApps)
            let isMatched =
                url.count > 1 || url == ["-"] ? try printResults(lines, matcher) : try printResult(lines[0], matcher)
            try endCommand(with: isMatched ? .yes : .no)
        }

        /// Returns the report, and warns if a device would reject the file.
        /// - Throws: `ExplainedFailure` if the file is missing or a device cannot parse the file.
        private func readable(_ report: Report) throws -> Report {
            let hasFile = report.file != nil || report.assetLinks?.isList == true
            guard hasFile, !report.issues.contains(where: \.voidsFile) else {
                let cause = report.issues.first(where: \.voidsFile) ?? report.issues.first { $0.severity() == .error }
                throw unusable(report.target, argument: target, cause)
            }
            if report.verdict(.device) != .associated {
                Output.sentence(
                    "motivator: a device would reject this file; see: motivator association check \(target.shellQuoted)"
                        .printable)
            }
            return report
        }

        // MARK: One URL

        /// Parses a URL of the command line. Only http and https links can be universal links.
        private func parse(_ text: String) throws -> Line {
            let line = Line(text)
            if case .failure(let error) = line.url, LinkObstacle(error) == nil {
                throw ExplainedFailure("--url: \(error.problem)", fix: error.fix)
            }
            return line
        }

        private func printResult(_ line: Line, _ matcher: FileMatcher) throws -> Bool {
            let result = matcher.result(for: line.url)
            let explanations = explain ? (try? line.url.get()).map(matcher.explanations) ?? [] : []
            let obstacle = matcher.obstacle(for: line.url)
            let document: JSONNode = [
                "result": .text(result.outcome.rawValue), "app": .optional(result.app),
                "detail": .optional(result.match?.detail), "component": .optional(result.match?.component),
                "reason": .optional(result.reason), "explanation": .list(explanations.map(\.json)),
                "obstacles": .list([obstacle].compactMap { $0?.json }),
            ]
            let lines = explanations.map { "\($0.app.printable), \($0.location): \($0.sentence.printable)" }
            let clues = explain ? [] : [obstacle].compactMap { $0.map { "  \($0.line.printable)" } }
            let text = (lines + [sentence(result, line.text)] + clues).map { "\($0)\n" }.joined()
            try Output.result(json: json, document, text: text)
            return result.outcome == .matched
        }

        private func sentence(_ result: FileMatcher.Result, _ url: String) -> String {
            let (app, address) = (result.app?.printable ?? "", url.printable)
            let location = (result.match?.location ?? result.opener?.location).map { " (\($0))" } ?? ""
            return switch result.outcome {
            case .matched where result.opener != nil:
                "matched: \(app) may open \(address), if its intent filters match\(location)"
            case .matched: "matched: \(app) opens \(address)\(location)"
            case .blocked: "blocked: \(app) leaves \(address) to the browser\(location)"
            case .undecided: "undecided: the rules are too complex to evaluate\(location)"
            case .unmatched: "unmatched: \((result.reason ?? "no rule matches \(url)").printable)"
            }
        }

        // MARK: Several URLs

        private static let listLimit = 64 << 20

        /// A line of standard input: a URL, or text that is not a URL.
        private struct Line {
            let text: String
            let url: Swift.Result<WebURL, WebURL.Malformed>
            /// The number of the line; nil for an argument.
            let number: Int?

            init(_ text: String, number: Int? = nil) {
                (self.text, self.number) = (text, number)
                url = Swift.Result { () throws(WebURL.Malformed) in try WebURL.entered(text) }
            }
        }

        /// Reads the non-empty lines of standard input. Line numbers count empty lines.
        private func readLines() throws -> [Line] {
            try require(
                target != "-" && !explain, "--url - cannot be combined with --explain or a target from standard input",
                fix: "Pass a single URL, or pass the file by name")
            let input = try File.readStandardInput(limit: Self.listLimit)
            let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
            let urls: [Line] = lines.enumerated().compactMap { index, bytes in
                let text = String(decoding: bytes.last == 0x0D ? bytes.dropLast() : bytes, as: UTF8.self)
                return text.isEmpty ? nil : Line(text, number: index + 1)
            }
            try require(
                !urls.isEmpty, "standard input has no URLs", fix: "Write one URL in each line", exitCode: .badInput)
            return urls
        }

        private func printResults(_ lines: [Line], _ matcher: FileMatcher) throws -> Bool {
            let rows = lines.map { line -> (url: String, result: String, app: String?, reason: String?) in
                switch line.url {
                case .success(let url):
                    let result = matcher.result(for: url)
                    return ("\(url)", result.outcome.rawValue, result.app, result.reason)
                case .failure(let error):
                    let problem = (line.number.map { "line \($0): " } ?? "") + error.problem
                    if !json { Output.sentence("motivator: \(problem)".printable) }
                    return (line.text, "invalid", nil, problem)
                }
            }
            if json {
                let results = rows.map { row -> JSONNode in
                    [
                        "url": .text(row.url), "result": .text(row.result), "app": .optional(row.app),
                        "reason": .optional(row.reason),
                    ]
                }
                try Output.result((["results": .list(results)] as JSONNode).bytes())
            } else {
                if let reason = matcher.reason { Output.sentence("motivator: \(reason)".printable) }
                let foreignCount = lines.count { (try? $0.url.get()).map(matcher.isForeign) ?? false }
                if foreignCount > 0 {
                    let urls = foreignCount == 1 ? "1 URL belongs" : "\(foreignCount) URLs belong"
                    Output.sentence("motivator: \(urls) to another host or port, which has its own file".printable)
                }
                let texts = rows.map { "\($0.result)\t\($0.app?.printable ?? "-")\t\($0.url.printable)\n" }
                try Output.result(Array(texts.joined().utf8))
            }
            return rows.allSatisfy { $0.result == UniversalLinks.Outcome.matched.rawValue }
        }
    }
}

private struct FileMatcher {
    struct Result {
        let outcome: UniversalLinks.Outcome
        /// The deciding rule; nil if no rule was evaluated.
        var match: UniversalLinks.Match?
        /// The Android app that may open the URL, and the location of its statement.
        var opener: (package: String, location: SourceLocation)?
        var reason: String?

        var app: String? { match?.app ?? opener?.package }
    }

    /// The reason why no URL matches; nil if the rules determine the result.
    let reason: String?
    private let links: UniversalLinks?
    private let opener: (package: String, location: SourceLocation)?
    private let app: AppIdentifier?
    private let denial: Issue?
    private let site: SiteTarget?

    init(_ report: Report, site: SiteTarget?, app: AppIdentifier?, androidApps: [AndroidApp]) {
        let file = report.file
        links = file?.links
        opener = report.assetLinks?.opener(of: androidApps)
        (self.app, self.site) = (app, site)
        denial = report.denial(.device)
        if report.assetLinks != nil {
            let apps = androidApps.isEmpty ? "any app" : androidApps.map(\.description).joined(separator: " or ")
            reason = opener == nil ? "the file does not grant handle_all_urls to \(apps)" : nil
        } else if links == nil {
            reason = "the file has no universal links (applinks)"
        } else {
            // The rule results already show that no URL opens the app.
            let isClosed = file?.links?.obstacle(for: app?.description) != nil
            reason = isClosed ? nil : app.flatMap { file?.refusal(of: $0, for: .applinks)?.message }
        }
    }

    /// Returns whether another site's file applies to a URL.
    func isForeign(_ url: WebURL) -> Bool { site?.foreignSentence(on: url) != nil }

    func result(for url: Swift.Result<WebURL, WebURL.Malformed>) -> Result {
        switch url {
        case .success(let url): result(for: url)
        case .failure(let error): Result(outcome: .unmatched, reason: error.problem)
        }
    }

    func result(for url: WebURL) -> Result {
        if let reason = site?.foreignSentence(on: url) ?? reason { return Result(outcome: .unmatched, reason: reason) }
        if let opener { return Result(outcome: .matched, opener: opener) }
        let match = links?.match(url, app: app?.description)
        return Result(outcome: match?.outcome ?? .unmatched, match: match)
    }

    /// Returns why the browser opens the URL, if the rules of universal links determine this.
    ///
    /// It tries every rule, so a list of URLs is shown without it.
    func obstacle(for url: Swift.Result<WebURL, WebURL.Malformed>) -> LinkObstacle? {
        switch url {
        case .failure(let error): return LinkObstacle(error)
        case .success(let url):
            guard reason == nil, opener == nil, !isForeign(url) else { return nil }
            return LinkObstacle.first(
                for: url, app: app?.description, denial: denial.map { ($0.code, $0.message) },
                denialFix: site == nil ? denial?.fix.clause : nil, links: links)
        }
    }

    func explanations(for url: WebURL) -> [UniversalLinks.Explanation] {
        guard reason == nil, !isForeign(url) else { return [] }
        return links?.explain(url, app: app?.description) ?? []
    }
}

extension UniversalLinks.Explanation {
    fileprivate var json: JSONNode {
        [
            "app": .text(app), "detail": .number(detail), "component": .number(component),
            "location": ["line": .number(location.line), "column": .number(location.column)],
            "result": .text(outcome.rawValue), "sentence": .text(sentence),
            "parts": .list(
                parts.map { part in
                    [
                        "key": .text(part.key), "item": .optional(part.item), "pattern": .text(part.pattern),
                        "value": .text(part.value), "matched": .truth(part.matched), "furthest": .number(part.furthest),
                    ]
                }),
        ]
    }
}

private func unusable(_ target: String, argument: String, _ issue: Issue?) -> ExplainedFailure {
    let location = issue?.location.map { "\($0): " } ?? ""
    let isHTTP = ["network-", "tls-", "http-", "assetlinks-http-"].contains { issue?.code.hasPrefix($0) == true }
    return ExplainedFailure(
        "\(target.quoted) cannot be read: \(location)\(issue?.message.clause ?? "no file was found")",
        fix: "See: motivator association check \(argument.shellQuoted)", exitCode: isHTTP ? .unavailable : .badInput)
}
