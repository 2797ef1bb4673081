import ArgumentParser
import AssociatedDomains
import Platform

extension AssociationTools {
    struct Match: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say whether an app opens a URL, and which rule of the file decides.",
            discussion: """
                Example: motivator association match site.json --url https://example.com/buy/42 --explain

                Exits with 0 when the URL is matched, and with 1 when it is blocked or unmatched. With --url - the URLs \
                are read from standard input, one a line, and each gets a line with its result; then 0 means that all \
                are matched.
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
            let wanted = try app.map { text in try UsageError.of("--app") { try AppIdentifier(text) } }?.description
            let report = try AssociationTarget(target).report(Question(), fetching)
            let links = try usable(report)
            guard url != "-" else { return try list(addresses, links, wanted) }
            let address = addresses[0]
            let match = links?.match(address, app: wanted)
            let told = explain ? links?.explain(address, app: wanted) ?? [] : []
            let result = match?.outcome ?? .unmatched
            if json {
                try Output.result(document(result, match, told).bytes())
            } else {
                try Output.result(text(result, match, told, hasLinks: links != nil))
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
            let lines = try File.readStandardInput(limit: Self.listLimit).split { $0 == 0x0A || $0 == 0x0D }
            return try lines.enumerated().map { number, line in
                try ErrorInFile.naming("standard input, URL \(number + 1)") {
                    try WebURL(String(decoding: line, as: UTF8.self))
                }
            }
        }

        private func list(_ addresses: [WebURL], _ links: UniversalLinks?, _ wanted: String?) throws {
            var lines = ""
            var isEach = true
            for address in addresses {
                let match = links?.match(address, app: wanted)
                let result = match?.outcome ?? .unmatched
                isEach = isEach && result == .matched
                lines +=
                    json
                    ? "{\"url\":\(JSONText.quote("\(address)")),\"result\":\"\(result.rawValue)\","
                        + "\"app\":\(match?.app.map(JSONText.quote) ?? "null")}\n"
                    : "\(result.rawValue)\t\(match?.app?.printable ?? "-")\t\(address)\n"
            }
            try Output.result(Array(lines.utf8))
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
            _ result: UniversalLinks.Outcome, _ match: UniversalLinks.Match?, _ told: [UniversalLinks.Explanation]
        ) -> JSONNode {
            [
                "result": .text(result.rawValue), "app": .optional(match?.app),
                "detail": .optional(match?.detail), "component": .optional(match?.component),
                "explanation": .list(told.map(\.json)),
            ]
        }

        private func text(
            _ result: UniversalLinks.Outcome, _ match: UniversalLinks.Match?, _ told: [UniversalLinks.Explanation],
            hasLinks: Bool
        ) -> String {
            var lines = told.map { "\($0.app.printable), \($0.place): \($0.sentence.printable)" }
            switch result {
            case .matched:
                lines.append("matched: \(match?.app?.printable ?? "") opens \(url.printable)\(place(match))")
            case .blocked:
                lines.append(
                    "blocked: \(match?.app?.printable ?? "") leaves \(url.printable) to the browser\(place(match))")
            case .undecided:
                lines.append("undecided: the rules take more work than any device would do\(place(match))")
            case .unmatched:
                lines.append(
                    hasLinks
                        ? "unmatched: no rule is about \(url.printable)"
                        : "unmatched: the file has no universal links (applinks)")
            }
            return lines.joined(separator: "\n")
        }

        private func place(_ match: UniversalLinks.Match?) -> String {
            guard let place = match?.place else { return "" }
            return " (\(place))"
        }
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
            "place": ["line": .number(place.line), "column": .number(place.column)],
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
