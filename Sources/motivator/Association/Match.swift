import ArgumentParser
import AssociatedDomains
import AssociationChecker
import HTTPSClient
import Platform
import SourceJSON
import UniversalLinks

extension AssociationTools {
    struct Match: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "match",
            abstract: "Say whether an app opens a URL, and which rule of the file decides.",
            discussion: """
                Example: motivator association match site.json --url https://example.com/buy/42 --explain

                Exits with 0 when the URL is matched, and with 1 when it is blocked or unmatched. Of a site, a URL of \
                another host is unmatched; of a file the host is not known and does not count. With --url - the URLs \
                are read from standard input, one a line, and each gets a line with its result, or with --json an \
                element of "results"; then 0 means that all are matched.
                """)

        @Argument(help: "Domain, https URL, file, or - for standard input.")
        var target: String

        @Option(help: "The URL that somebody follows; - reads URLs from standard input, one a line.")
        var url: String

        @Option(
            help: ArgumentHelp("The app of which is asked; without it, the first that opens the URL.", valueName: "id"))
        var app: String?

        @Flag(help: "Tell what each rule tried came to, and the first thing that did not match.")
        var explain = false

        @OptionGroup(title: "How it is asked")
        var fetching: FetchOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() throws {
            let addresses = try urls()
            let wanted = try app.map { text in try UsageError.of("--app") { try AppIdentifier(text) } }
            let asked = try AssociationTarget(target)
            let report = try asked.report(Question(), fetching)
            let rules = MatchRules(links: try usable(report), outline: report.outline, target: asked, app: wanted)
            guard url != "-" else { return try list(addresses, rules) }
            let (result, match, reason) = rules.answer(addresses[0])
            let told =
                explain && reason == nil ? rules.links?.explain(addresses[0], app: wanted?.description) ?? [] : []
            if json {
                try Output.result(document(result, match, reason, told).bytes())
            } else {
                try Output.result(text(result, match, reason, told))
            }
            try Ending.end(with: result == .matched ? .yes : .no)
        }

        /// The most bytes of a list of URLs.
        private static let listLimit = 64 << 20

        private func urls() throws -> [WebURL] {
            guard url == "-" else { return [try UsageError.of("--url") { try WebURL(url) }] }
            guard target != "-", !explain else {
                throw UsageError(
                    "--url - goes with neither --explain nor a target from standard input",
                    remedy: "Ask for one URL, or name the file")
            }
            let input = try File.readStandardInput(limit: Self.listLimit)
            var addresses: [WebURL] = []
            // Empty lines are counted, as an editor counts them, and passed over.
            for (number, line) in input.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
                let line = line.last == 0x0D ? line.dropLast() : line
                guard !line.isEmpty else { continue }
                addresses.append(
                    try ErrorInFile.naming("standard input, line \(number + 1)") {
                        try WebURL(String(decoding: line, as: UTF8.self))
                    })
            }
            return addresses
        }

        private func list(_ addresses: [WebURL], _ rules: MatchRules) throws {
            var lines: [String] = []
            var isEach = true
            var foreign = 0
            for address in addresses {
                let (result, match, reason) = rules.answer(address)
                isEach = isEach && result == .matched
                if rules.isForeign(address) { foreign += 1 }
                lines.append(
                    json
                        ? "{\"url\":\(JSONText.quote("\(address)")),\"result\":\"\(result.rawValue)\","
                            + "\"app\":\(match?.app.map(JSONText.quote) ?? "null"),"
                            + "\"reason\":\(reason.map(JSONText.quote) ?? "null")}"
                        : "\(result.rawValue)\t\(match?.app?.printable ?? "-")\t\(address)\n")
            }
            if json {
                try Output.result("{\"results\":[\(lines.joined(separator: ",\n"))]}")
            } else {
                if let reason = rules.reason { Output.sentence("motivator: \(reason)".printable) }
                if foreign > 0 {
                    Output.sentence(
                        "motivator: \(foreign) of the URLs are of another host or port than \(target), which has a file "
                            .printable + "of its own")
                }
                try Output.result(Array(lines.joined().utf8))
            }
            try Ending.end(with: isEach ? .yes : .no)
        }

        /// The links of a file that a device would read; what else is wrong with it is told on the side.
        private func usable(_ report: Report) throws -> UniversalLinks? {
            guard let outline = report.outline, !report.findings.contains(where: \.voidsFile) else {
                let cause =
                    report.findings.first(where: \.voidsFile) ?? report.findings.first { $0.severity == .error }
                throw UnusableFile(target: report.target, argument: target, finding: cause)
            }
            if report.verdict(.documented) != .associated {
                Output.sentence(
                    "motivator: a device would not take this file; see: motivator association check \(target.shellQuoted)"
                        .printable)
            }
            return outline.links
        }

        private func document(
            _ result: UniversalLinks.Outcome, _ match: UniversalLinks.Match?, _ reason: String?,
            _ told: [UniversalLinks.Explanation]
        ) -> JSONNode {
            [
                "result": .text(result.rawValue), "app": .optional(match?.app),
                "detail": .optional(match?.detail), "component": .optional(match?.component),
                "reason": .optional(reason), "explanation": .list(told.map(\.json)),
            ]
        }

        private func text(
            _ result: UniversalLinks.Outcome, _ match: UniversalLinks.Match?, _ reason: String?,
            _ told: [UniversalLinks.Explanation]
        ) -> String {
            var lines = told.map { "\($0.app.printable), \($0.location): \($0.sentence.printable)" }
            switch result {
            case .matched:
                lines.append("matched: \(match?.app?.printable ?? "") opens \(url.printable)\(place(match))")
            case .blocked:
                lines.append(
                    "blocked: \(match?.app?.printable ?? "") leaves \(url.printable) to the browser\(place(match))")
            case .undecided:
                lines.append("undecided: the rules take more work than any device would do\(place(match))")
            case .unmatched: lines.append("unmatched: \(reason?.printable ?? "no rule is about \(url.printable)")")
            }
            return lines.joined(separator: "\n")
        }

        private func place(_ match: UniversalLinks.Match?) -> String {
            guard let place = match?.location else { return "" }
            return " (\(place))"
        }
    }
}

/// What a URL is held against.
private struct MatchRules {
    /// nil when the file has none.
    let links: UniversalLinks?
    /// The app of which is asked; nil for all.
    let app: AppIdentifier?
    /// Why no URL at all is matched; nil when the rules decide.
    let reason: String?
    private let site: SiteTarget?

    init(links: UniversalLinks?, outline: AssociationOutline?, target: AssociationTarget, app: AppIdentifier?) {
        self.links = links
        self.app = app
        switch target {
        case .site(let site): self.site = site
        case .file: site = nil
        }
        reason =
            links == nil
            ? "the file has no universal links (applinks)"
            : app.flatMap { outline?.refusal(of: $0, for: .applinks)?.message }
    }

    /// Whether another file than the site's decides on a URL.
    func isForeign(_ url: WebURL) -> Bool { site?.foreignSentence(on: url) != nil }

    /// - Returns: what a device does, what in the file decides, and why nothing in it does.
    func answer(_ url: WebURL) -> (UniversalLinks.Outcome, UniversalLinks.Match?, String?) {
        if let reason = site?.foreignSentence(on: url) ?? reason { return (.unmatched, nil, reason) }
        let match = links?.match(url, app: app?.description)
        return (match?.outcome ?? .unmatched, match, nil)
    }
}

extension Finding {
    /// Whether no device reads anything of the file.
    fileprivate var voidsFile: Bool {
        consequences.documented == .denial && (code.hasPrefix("json-") || code.hasPrefix("file-"))
    }
}

extension UniversalLinks.Explanation {
    fileprivate var json: JSONNode {
        [
            "app": .text(app), "detail": .number(detail), "component": .number(component),
            "place": ["line": .number(location.line), "column": .number(location.column)],
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

/// The file cannot be matched against, because no device would read it.
private struct UnusableFile: ExplainedError {
    let target: String
    /// How the command line names it.
    let argument: String
    let finding: Finding?

    var problem: String {
        let place = finding?.place.map { "\($0): " } ?? ""
        return "\(target.quoted) cannot be read: \(place)\(finding?.message ?? "there is no file")"
    }
    var remedy: String { "See: motivator association check \(argument.shellQuoted)" }
    var exitCode: Platform.ExitCode {
        finding.map { $0.code.hasPrefix("network-") || $0.code.hasPrefix("tls-") || $0.code.hasPrefix("http-") } == true
            ? .unavailable : .badInput
    }
}
