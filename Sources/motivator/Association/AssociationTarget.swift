import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import MotivatorPlatform

/// The target of a command: a file, standard input, a domain or a URL.
enum AssociationTarget {
    case file(String)
    case site(SiteTarget)

    /// - Parameter request: with a wildcard entry, the file can be on another host.
    /// - Throws: an error if the file does not exist, or if the site is invalid.
    init(_ text: String, _ request: CheckRequest = CheckRequest()) throws {
        guard text != "-", !text.contains("://") else {
            self = text == "-" ? .file(text) : .site(try AssociationTarget.site(text, request))
            return
        }
        let suffixes = [".json", ".der", ".plist", ".entitlements", ".mobileprovision", ".ipa"]
        let isPath = text.contains("/") || suffixes.contains { text.hasSuffix($0) }
        let code = unsafe access(text, F_OK) == 0 ? 0 : errno
        // If this user may not enter the folder, a path still names a file, but a domain name does not.
        guard [ENOENT, ENOTDIR, isPath ? ENOENT : EACCES].contains(code) else {
            self = .file(AssociationTarget.association(besideTests: text))
            return
        }
        guard !isPath, text.contains(".") || text.hasPrefix("localhost") || text.contains(":") else {
            throw noTarget(text)
        }
        try require(
            Service(rawValue: String(text.prefix { $0 != ":" })) == nil, "\(text.excerpt) is an entry, not a domain",
            fix: "Use: motivator association check HOST --entitlement \(text.shellQuoted)")
        // A domain may be in upper case.
        try require(
            (try? AppIdentifier(text)) == nil || text == text.uppercased(),
            "\(text.excerpt) is an application identifier, not a domain",
            fix: "Use: motivator association check HOST --app \(text)")
        self = .site(try AssociationTarget.site(text, request))
    }

    /// Returns the path of the association file, if a path names its URL tests. A commit may change only the tests.
    private static func association(besideTests path: String) -> String {
        guard path.split(separator: "/").last.map(String.init) == LinkTests.fileName else { return path }
        let names = ["apple-app-site-association", "apple-app-site-association.json"]
        let candidates = names.map { String(path.dropLast(LinkTests.fileName.count)) + $0 }
        return candidates.first { unsafe access($0, F_OK) == 0 } ?? candidates[0]
    }

    /// Returns the URL tests in the folder of an association file, if the folder has any.
    private static func linkTests(beside path: String) throws -> LinkTests? {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let name = folder + LinkTests.fileName
        guard path != "-", unsafe access(name, F_OK) == 0 else { return nil }
        return LinkTests(try Input.read(name, limit: LinkTests.maximumSize), name: name)
    }

    private static func site(_ text: String, _ request: CheckRequest) throws -> SiteTarget {
        let site: SiteTarget
        do {
            site =
                request.isAboutAndroid
                ? try SiteTarget.locate(assetLinks: text)
                : try SiteTarget.locate(text, entries: request.domains, service: request.service)
        } catch {
            // Most messages already contain the value.
            let problem = error.problem.contains(text.printable) ? error.problem : "\(text.quoted): \(error.problem)"
            throw ExplainedFailure(problem, fix: error.fix)
        }
        guard site.isAssetLinks, request.isAboutApple else { return site }
        throw ExplainedFailure(
            "\(text.quoted) is an Android file, which cannot list apps for Apple devices",
            fix: "Use --android PACKAGE, or check the domain instead")
    }

    /// - Parameter profiles: the profiles that the report shows, to request only the paths that they need. By default,
    ///   requests all paths.
    /// - Throws: `ExplainedFailure` if Apple's CDN may not or cannot be asked. This is not a verdict on a site.
    func report(
        _ request: CheckRequest, _ tools: CheckTools, hints: Bool = false, onlyFor profiles: [Profile]? = nil
    ) throws -> Report {
        var fetching = tools.fetching
        if case .site(let site) = self, site.isAssetLinks { fetching.maximumContent = AssetLinks.maximumSize }
        let fetcher = Fetcher(fetching)
        let checker = Checker(request, trust: tools.anchors, at: tools.time)
        switch self {
        case .file(let path):
            var checker = checker
            checker.request.linkTests = try AssociationTarget.linkTests(beside: path)
            return checker.check(file: try Input.read(path, limit: AssociationFile.readLimit), name: Input.name(path))
        case .site(let site):
            let verifier = try tools.verifier()
            let isForApple =
                site.isOnCDN && !fetching.connectTo.contains { $0.fits(FetchRequest(host: site.host, target: "/")) }
            try require(
                !isForApple || !site.isPrivate,
                "\(site.text.excerpt) names a private host, which is not sent to Apple's CDN",
                fix: "Use the domain that is in the public DNS", exitCode: .no)
            let fetches =
                if let profiles, !site.isAssetLinks, !hints {
                    site.fetches(fetcher, verifier: verifier, as: profiles, onlyIfTrusted: false)
                } else { site.fetches(fetcher, verifier: verifier, hints: hints && !site.isOnCDN) }
            if site.isOnCDN, let fetched = fetches.last?.steps.last?.fetched, fetched.response == nil,
                let failure = fetched.failure
            {
                throw ExplainedFailure(
                    "could not reach Apple's CDN from here, which says nothing about the site: \(failure.problem)",
                    fix: "Check the network of this machine, and try again", exitCode: failure.exitCode)
            }
            return checker.check(fetches: fetches, site: site.text, host: site.host)
        }
    }
}

/// The error for a file that does not exist. Its fix suggests a URL if the path may also be a site.
private func noTarget(_ text: String) -> any ExplainedError {
    let missing = FileError.notFound(path: text)
    let name = String(text.prefix { $0 != "/" })
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count > 1, !labels.contains(""), (try? SiteTarget.locate(name)) != nil else {
        return missing
    }
    // A name such as "example.json" is treated as a file because of its extension. Only a URL selects the site.
    let site = "https://\(text)"
    return ExplainedFailure(
        missing.problem, fix: "\(missing.fix); to check a site, use \(site.shellQuoted)", exitCode: missing.exitCode)
}
