import ArgumentParser
import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SharedWebCredentials
import UltraMotivator

extension AssociationCommand {
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check what a device does with a site or a file, and why.",
            discussion: """
                Example: motivator association check example.com --entitlement webcredentials:example.com \
                --app D3KQX62K1A.com.example.DemoApp

                A target is a domain, an https URL, a file, or - for standard input. The command checks multiple \
                targets in order. It recognizes an Android assetlinks.json file by its content. The exit code is 0 if \
                the profile's verdict is associated, 75 if the device will retry, and 1 if the verdict is denied.

                Without a target, the command checks every domain of the entitlement, and prints one table.

                For many sites, pass a list. The command prints a line for each site that fails, and a summary: \
                motivator association check --targets sites.txt --jobs 64 --resume results.ndjson
                """)

        enum Format: String, ExpressibleByArgument, CaseIterable {
            case text, json, ndjson, html, junit, github, sarif, pytest, tsv
        }

        enum ProfileOption: String, ExpressibleByArgument, CaseIterable {
            case device, documented, ios9, ios8, all

            /// The profiles in the report, and those that determine the exit code. The conclusion applies to the first.
            private var profiles: (shown: [Profile], deciding: [Profile]) {
                switch self {
                case .device: ([.device, .documented], [.device])
                case .documented: ([.documented], [.documented])
                case .ios9: ([.ios9], [.ios9])
                case .ios8: ([.ios8], [.ios8])
                case .all: (Profile.allCases, [.device, .documented])
                }
            }

            var shown: [Profile] { profiles.shown }
            var deciding: [Profile] { profiles.deciding }
        }

        enum Color: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

        @Argument(help: "Domain, https URL, file, or - for standard input.")
        var targets: [String] = []

        @Option(
            """
            Sign-in, sign-up or change page whose forms to check: an https URL or an HTML file (repeatable). With \
            --domain, a file is treated as a page of this host.
            """, value: "URL|file")
        var page: [String] = []

        @OptionGroup(title: "Request")
        var request: RequestOptions

        @OptionGroup(title: "Passkeys")
        var passkeys: PasskeyOptions

        @Option(help: "Profile whose rules apply: device, documented, ios9, ios8 or all.")
        var profile = ProfileOption.device

        @Flag(
            help: """
                Check every host on the target that is broken on purpose, and compare each verdict with the expected \
                one. The default target is localhost:8443.
                """)
        var faults = false

        @Flag(
            name: .customLong("list"),
            help: """
                With --faults, only print the list of hosts: a table (text, json or tsv) or a test of another validator \
                (pytest, or junit for Java).
                """)
        var listsFaults = false

        @Flag(help: "Also check the copy on Apple's CDN for each domain, and compare it with the origin.")
        var cdn = false

        @Flag(
            help: """
                If a site does not send the file, send one more request to find the likely cause. This is the default \
                at a terminal.
                """)
        var hints = false

        @Flag(
            help: """
                Fix the mistakes in the files that need no choice. The command shows the changed lines, keeps a backup \
                (FILE.bak), and checks the result.
                """)
        var fix = false

        @Option(
            help: """
                Output format: text, json, ndjson (one result in each line), html (one file, for a ticket), junit, \
                github or sarif; with --faults --list also pytest or tsv.
                """)
        var format = Format.text

        @Flag(help: "Short for --format json.")
        var json = false

        @Flag(help: "Print only the conclusion.")
        var quiet = false

        @Flag(help: "Also print notes, and the reason and source of each issue.")
        var verbose = false

        @Option(help: "Use color: auto, always or never.")
        var color = Color.auto

        @OptionGroup(title: "Exit code")
        var issues: IssueOptions

        @OptionGroup(title: "Many sites")
        var list: ListOptions

        @OptionGroup(title: "Connection")
        var fetching: FetchOptions

        private var isList: Bool { list.isUsed || format == .ndjson }
        private var isColored: Bool { color == .always || (color == .auto && Output.isColored) }

        func validate() throws {
            if isList {
                try require(
                    targets.isEmpty != (list.list == nil) && !fix && !faults && page.isEmpty && !passkeys.passkeys,
                    """
                    A list of targets requires either --targets or targets as arguments, and cannot be combined \
                    with --fix, --faults, --page or --passkeys.
                    """)
                try require(
                    !json && (format == .text || format == .ndjson),
                    "The results of a list are text or NDJSON. Use --format ndjson.")
            } else if targets.isEmpty, page.isEmpty, !faults, request.entitlements == nil, request.entitlement.isEmpty {
                throw ValidationError("No target. Pass a domain, a URL, a file, or --entitlements.")
            }
            try require(
                listsFaults ? faults : ![.pytest, .tsv].contains(format),
                "--list, --format pytest and --format tsv require --faults --list.")
            try require(!quiet || !verbose, "--quiet and --verbose cannot be combined.")
            try require(
                (targets + page + [list.list, request.entitlements]).count(where: { $0 == "-" }) <= 1,
                "Standard input can be read only once.")
            guard passkeys.passkeys else { return }
            try require(
                !targets.isEmpty && !fix && !cdn && !faults && page.isEmpty,
                "--passkeys requires a domain, and cannot be combined with --fix, --cdn, --faults or --page.")
            try require(
                profile == .device || profile == .documented,
                "Passkeys require iOS 16 or later. Use --profile device or documented.")
        }

        func run() throws {
            guard !faults else { return try runFaults() }
            guard !isList else { return try runList() }
            guard !targets.isEmpty || !page.isEmpty else { return try runDomains() }
            // A check of passkeys has a request for each of the two files.
            let base = passkeys.passkeys ? CheckRequest() : try request.request()
            let tools = try CheckTools(fetching)
            var outcomes = targets.map { target in
                Swift.Result {
                    if passkeys.passkeys { return marked(try passkeys.report(target, request, tools)) }
                    if fix { try applyFixes(to: target, base, tools) }
                    return try result(target, base, tools)
                }
            }
            outcomes += page.map { page in Swift.Result { marked(try pageReport(page, base)) } }
            let results = outcomes.compactMap { try? $0.get() }
            if !results.isEmpty { try Output.result(try written(results)) }
            // Report the other targets even if one does not exist.
            for outcome in outcomes { _ = try outcome.get() }
            try endCommand(with: exitCode(results))
        }

        private func marked(_ report: Report) -> Result { Result(report: report.ignoring(issues.ignores)) }

        func result(
            _ text: String, _ request: CheckRequest, _ tools: CheckTools, withCDN: Bool? = nil
        ) throws -> Result {
            let target = try AssociationTarget(text, request)
            let isHinted = hints || (Output.isTerminal && !isList)
            var result = marked(
                try target.report(request, tools, hints: isHinted, onlyFor: isList ? profile.shown : nil))
            guard withCDN ?? cdn, case .site(let site) = target, !site.isAssetLinks else { return result }
            do {
                let copy = try AssociationTarget.site(site.onCDN()).report(request, tools)
                result.cdn = marked(copy.asCopy(of: result.report)).report
            } catch let failure as ExplainedFailure {
                result.cdnFailure = failure
            }
            return result
        }

        private func runDomains() throws {
            let (apple, android) = try request.requests()
            let sites = AppDomains.sites(apple)
            guard !sites.isEmpty else {
                let name = request.entitlements.map(Input.name) ?? "--entitlement"
                let result = marked(Checker(apple, at: fetching.time).checkEntries(name: name))
                try require(
                    result.report.verdict(.device) == .denied, "\(name.quoted) lists no domain to check",
                    fix: result.report.issues.first?.fix.clause ?? "Pass a domain", exitCode: .badInput)
                try Output.result(try written([result]))
                return try endCommand(with: exitCode([result]))
            }
            let tools = try CheckTools(fetching)
            let results = try sites.flatMap { site in
                [try result(site, apple, tools)]
                    + (try android.map { [try result(site, $0, tools, withCDN: false)] } ?? [])
            }
            let code = AppDomains.dropped(apple).isEmpty ? exitCode(results) : .no
            guard format == .text, !json else {
                try Output.result(try written(results))
                return try endCommand(with: code)
            }
            let reports = results.flatMap { result in
                [(name: "", report: result.report)] + (result.cdn.map { [(name: "Apple's CDN", report: $0)] } ?? [])
            }
            let table = AppDomains.table(reports, apple, profile.shown[0], isColored: isColored)
            try Output.result(Array(table.utf8))
            try endCommand(with: code)
        }

        private func applyFixes(to target: String, _ request: CheckRequest, _ tools: CheckTools) throws {
            guard case .file(let path) = try AssociationTarget(target, request), path != "-" else {
                throw ExplainedFailure("--fix: \(target.excerpt) is not a file", fix: "Pass the path of a file")
            }
            let checker = Checker(request, trust: tools.anchors, at: tools.time)
            let fix = try FileFix(path) { checker.check(file: $0, name: path) }
            guard fix.fixed != fix.original else { return Output.sentence("motivator: \(path.printable): no changes") }
            Output.sentence("\(path.printable):\n\(fix.diff)")
            Output.sentence("motivator: the backup is \(try fix.write().printable)")
        }

        private func pageReport(_ text: String, _ request: CheckRequest) throws -> Report {
            guard text.contains("://") else {
                let html = try Input.read(text, limit: PageLoader.maximumPage)
                let url = try request.domain.map { try WebURL("https://\($0)/") }
                return PageLint.report(html, name: Input.name(text), url: url)
            }
            let url = try parsing("--page") { try WebURL.entered(text) }
            let loader = PageLoader(options: try fetching.sites.fetcherOptions(), trust: try fetching.sites.anchors())
            let (page, html) = try loader.fetch(url, at: fetching.time)
            let others = loader.changeURLIssues(of: page, name: "\(page)", at: fetching.time)
            return PageLint.report(html, name: "\(page)", url: page, others)
        }

        private func runFaults() throws {
            let formats: [Format] = listsFaults ? [.text, .json, .tsv, .pytest, .junit] : [.text, .json]
            try require(
                targets.count <= 1 && !cdn && formats.contains(format),
                "--faults accepts one server, and these formats: \(formats.map(\.rawValue).joined(separator: ", "))",
                fix: "Pass one server such as localhost:8443, and one of the formats")
            let check = try CheckFaults(targets.first ?? "localhost:8443", fetching)
            if listsFaults { return try Output.result(try check.list(as: json ? .json : format)) }
            let results = try check.run { done, count in Output.progress("Checked \(done) of \(count) hosts") }
            Output.progress(nil)
            try Output.result(json: json || format == .json, results.json, text: results.text)
            try endCommand(with: results.areExpected ? .yes : .no)
        }

        private func written(_ results: [Result]) throws -> [UInt8] {
            let reports = results.flatMap(\.reports)
            let forCI = ReportsForCI(reports, profiles: profile.shown, version: Version.number)
            switch json ? .json : format {
            case .text, .pytest, .tsv: return Array(results.map(text).joined(separator: "\n").utf8)
            case .ndjson: return results.flatMap { $0.json(profile.shown).line() }
            case .json:
                let documents = results.map { $0.json(profile.shown) }
                // A missing target must not change the shape of the document.
                let isSingle = documents.count == 1 && targets.count + page.count <= 1
                return (isSingle ? documents[0] : ["results": .list(documents)]).bytes()
            case .html:
                return ReportPage(reports, profiles: profile.shown, version: Version.number, at: fetching.time).bytes
            case .junit: return Array(forCI.junit.utf8)
            case .github: return Array(forCI.github.utf8)
            case .sarif: return forCI.sarif.bytes()
            }
        }

        private func text(_ result: Result) -> String {
            guard !quiet else {
                return result.reports.map { $0.conclusion(profile.shown[0]).printable + "\n" }.joined()
            }
            var style = ReportText.Style()
            style.width = Output.width
            style.isVerbose = verbose
            style.isColored = isColored
            var text = ReportText(result.report, profiles: profile.shown, style: style).text
            if let cdn = result.cdn {
                text += "\nApple's CDN:\n" + ReportText(cdn, profiles: profile.shown, style: style).text
                let changes = result.differences.map { "\($0.sentence)\n" }.joined()
                text += "\n" + (changes.isEmpty ? "The CDN has the same content as the origin.\n" : changes)
            } else if let failure = result.cdnFailure {
                text += "\nApple's CDN: not checked. \(failure.problem.sentence.printable) \(failure.fix.sentence)\n"
            }
            return text
        }

        func exitCode(_ results: [Result]) -> MotivatorPlatform.ExitCode {
            issues.exitCode(results.flatMap(\.reports), profile.deciding)
        }

        struct Result {
            let report: Report
            /// The report for the copy on Apple's CDN; nil without `--cdn`, for a file, or after a failure.
            var cdn: Report?
            /// Why the CDN could not or may not be asked. This is not a verdict on the site.
            var cdnFailure: ExplainedFailure?

            var reports: [Report] { [report] + [cdn].compactMap(\.self) }

            var differences: [Comparison.Change] { cdn.map { Comparison(report, $0).changes } ?? [] }

            func json(_ profiles: [Profile]) -> JSONNode {
                report.json(profiles: profiles, version: Version.number)
                    .adding("cdn_failure", cdnFailure.map { .text($0.description) })
                    .adding("cdn", cdn?.json(profiles: profiles, version: Version.number))
                    .adding("differences", cdn.map { _ in .list(differences.map(\.json)) })
            }
        }
    }
}

/// Ends a command that has printed its result.
/// - Throws: an error that exits the process with the code, unless the code is 0.
func endCommand(with code: MotivatorPlatform.ExitCode) throws {
    if code != .yes { throw ArgumentParser.ExitCode(code.rawValue) }
}
