import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import Platform

/// What a tool looks at: a file, standard input, a domain or a URL.
enum AssociationTarget {
    case file(String)
    case site(SiteTarget)

    /// The most bytes of a file that are read: far more than devices take, so that the report can tell the size.
    static let fileLimit = 16 << 20

    /// Tells files from sites.
    ///
    /// - Parameters:
    ///   - text: what was named; `-` is standard input, a file that is there is a file.
    ///   - question: what is asked, because a wildcard entry has its file at another host.
    /// - Throws: `FileError`, or `UsageError` for what is neither.
    init(_ text: String, _ question: Question = Question()) throws {
        guard text != "-", !text.contains("://") else {
            self = text == "-" ? .file(text) : .site(try AssociationTarget.site(text, question))
            return
        }
        if unsafe access(text, F_OK) == 0 {
            self = .file(text)
            return
        }
        let isPath = text.contains("/") || text.hasSuffix(".json") || text.hasSuffix(".der") || text.hasSuffix(".plist")
        guard !isPath, text.contains(".") || text.hasPrefix("localhost") || text.contains(":") else {
            throw NoTarget(text)
        }
        self = .site(try AssociationTarget.site(text, question))
    }

    private static func site(_ text: String, _ question: Question) throws -> SiteTarget {
        let entries = question.entries.compactMap { try? AssociatedDomain($0.text) }
        do {
            return try SiteTarget(text, entries: entries, service: question.service)
        } catch {
            // Most of the messages have the value in them.
            let problem = error.problem.contains(text.printable) ? error.problem : "\(text.quoted): \(error.problem)"
            throw UsageError(problem, remedy: error.remedy)
        }
    }

    /// Checks it.
    func report(_ question: Question, _ options: FetchOptions) throws -> Report {
        let anchors = try options.sites.anchors()
        // A mistake in an option is one for files too, which ask nobody.
        let fetcher = Fetcher(try options.sites.fetcherOptions())
        let checker = Checker(question, trust: anchors, at: options.time)
        switch self {
        case .file(let path):
            return checker.check(file: try Input.read(path, limit: Self.fileLimit), name: Input.name(path))
        case .site(let site):
            let judge = try ChainVerifier(trust: anchors, at: options.time)
            let visits = site.visits(fetcher, judge: judge)
            return checker.check(visits: visits, site: site.text, host: site.host)
        }
    }
}

/// A target that is not there; a name with a slash behind it may be meant as a site.
private struct NoTarget: ExplainedError {
    let problem: String
    let remedy: String
    let exitCode: Platform.ExitCode

    init(_ text: String) {
        let missing = FileError.notFound(path: text)
        problem = missing.problem
        exitCode = missing.exitCode
        let name = String(text.prefix { $0 != "/" })
        let path = text.dropFirst(name.count + 1)
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count > 1, !labels.contains(""), (try? SiteTarget(name)) != nil else {
            remedy = missing.remedy
            return
        }
        let site = path.isEmpty ? name : "https://\(text)"
        remedy = "\(missing.remedy); if a site is meant, name it as \(site.shellQuoted)"
    }
}
