import ArgumentParser
import AssociationChecker
import HTTPSClient
import MotivatorPlatform

extension AssociationCommand {
    struct Compare: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compare", abstract: "Show how two sites or files differ, by app and URL.",
            discussion: """
                Example: motivator association compare before.json after.json --url https://example.com/buy/42

                Origin and CDN: motivator association compare example.com \
                https://app-site-association.cdn-apple.com/a/v1/example.com

                The exit code is 0 if there are no differences, and 1 otherwise.
                """)

        @Argument(help: "First target: domain, https URL, file, or - for standard input.")
        var before: String

        @Argument(help: "Second target.")
        var after: String

        @Option("URL to match against both targets (repeatable).", value: "url")
        var url: [String] = []

        @OptionGroup(title: "Request")
        var request: RequestOptions

        @OptionGroup(title: "Connection")
        var fetching: FetchOptions

        @Flag(help: "Print one JSON document.")
        var json = false

        func run() throws {
            guard before != "-" || after != "-" else {
                throw ExplainedFailure("standard input can be read only once", fix: "Save one of the inputs to a file")
            }
            let urls = try url.map { text in try parsing("--url") { try WebURL.entered(text) } }
            let request = try request.request()
            let tools = try CheckTools(fetching)
            let first = try AssociationTarget(before, request).report(request, tools)
            let second = try AssociationTarget(after, request).report(request, tools)
            let comparison = Comparison(first, second, urls: urls)
            let (changes, unchanged) = (comparison.changes, comparison.unchanged)
            let document: JSONNode = [
                "before": .text(first.target), "after": .text(second.target), "same": .truth(changes.isEmpty),
                "changes": .list(changes.map(\.json)), "unchanged": .list(unchanged.map(\.json)),
            ]
            let lines = (changes.isEmpty ? ["No differences."] : changes.map(\.sentence)) + unchanged.map(\.sentence)
            try Output.result(json: json, document, text: lines.map { "\($0)\n" }.joined())
            try endCommand(with: changes.isEmpty ? .yes : .no)
        }
    }
}

extension Comparison.Change {
    var json: JSONNode {
        [
            "kind": .text(kind.rawValue), "subject": .text(subject), "before": .optional(before),
            "after": .optional(after),
        ]
    }

    var sentence: String {
        let (old, new) = (before?.printable, after?.printable)
        let name = subject.printable
        switch (kind, old, new) {
        case (.service, nil, _): return "service  + \(name)"
        case (.service, _, _): return "service  - \(name)"
        case (.app, let old?, nil): return "app      - \(old) (\(name))"
        case (.app, _, let new): return "app      + \(new ?? "") (\(name))"
        case (.variable, let old, let new):
            return "variable $(\(name)): \(old ?? "not used"), then \(new ?? "not used")"
        case (.rule, let old?, nil): return "rule     - \(old) (\(name))"
        case (.rule, nil, nil): return "rules    the same result for every URL (\(name))"
        case (.rule, _, let new): return "rule     + \(new ?? "") (\(name))"
        case (.order, let old, let new): return "order    \(name)  position \(old ?? "?"), then \(new ?? "?")"
        case (.url, let old, let new) where old == new: return "url      \(name): \(new ?? "no links") in both"
        case (.url, let old, let new): return "url      \(name): \(old ?? "no links"), then \(new ?? "no links")"
        case (.verdict, let old, let new): return "verdict  \(name): \(old ?? "none"), then \(new ?? "none")"
        }
    }
}
