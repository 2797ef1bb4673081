public import ArgumentParser
import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import MotivatorPlatform

struct PublicOptions: ParsableArguments {
    private static let variable = "MOTIVATOR_ASSUME_PUBLIC"
    private static let values = ["true": true, "1": true, "yes": true, "false": false, "0": false, "no": false]

    @Flag(
        help: """
            Treat private hosts and root certificates as public, for example to check a staging host. \
            [$MOTIVATOR_ASSUME_PUBLIC]
            """)
    var assumePublic = Environment[PublicOptions.variable].flatMap { PublicOptions.values[$0] } ?? false

    func validate() throws {
        guard let text = Environment[Self.variable], Self.values[text] == nil else { return }
        throw ValidationError("\(Self.variable) is \(text.excerpt). Use true or false.")
    }
}

struct SiteOptions: ParsableArguments {
    @Option("Roots to trust instead of the system's (PEM). [$MOTIVATOR_TRUST]", value: "file")
    var trust: String?

    @Option(
        "Connect to another address instead of the host, as in curl (repeatable). [$MOTIVATOR_CONNECT_TO]",
        value: "host:port:addr:port")
    var connectTo = Environment["MOTIVATOR_CONNECT_TO"]?.split(separator: " ").map(String.init) ?? []

    @Option("Time limit for each path of a site, from 1 to 600 seconds. [$MOTIVATOR_TIMEOUT]", value: "seconds")
    var timeout = Environment["MOTIVATOR_TIMEOUT"].map { Int($0) ?? 0 } ?? 15

    func validate() throws {
        try require(
            (1...600).contains(timeout), "--timeout (or MOTIVATOR_TIMEOUT) is out of range. Use 1 to 600 seconds.")
    }

    /// Returns the roots to trust, or nil for the system's roots.
    func anchors() throws -> [Certificate]? {
        try (trust ?? Environment["MOTIVATOR_TRUST"]).map { try Certificate.load(path: $0) }
    }

    func fetcherOptions() throws -> Fetcher.Options {
        var options = Fetcher.Options()
        options.deadline = timeout
        options.connectTo = try connectTo.map { text in
            try parsing("--connect-to") { try Fetcher.ConnectTo(text) }
        }
        return options
    }
}

struct FetchOptions: ParsableArguments {
    @OptionGroup var sites: SiteOptions

    @Option("Certificate verification time, such as 2015-10-01T00:00:00Z (default: now).", value: "time")
    var at: TimeArgument?

    var time: UnixTime { at?.time ?? Clock.system.now() }
}

/// What all checks of a command share, loaded once.
struct CheckTools: Sendable {
    let anchors: [Certificate]?
    let fetching: Fetcher.Options
    let time: UnixTime
    /// The verifier if the command checks many targets. Otherwise, only a site needs it, and loading it takes long.
    private let loaded: ChainVerifier?

    /// - Parameter orAuthority: the folder of a CA to trust without `--trust`, if the CA exists.
    init(_ options: FetchOptions, forMany: Bool = false, orAuthority folder: String? = nil) throws {
        let root = folder.flatMap { unsafe access($0 + "/authority.pem", F_OK) == 0 ? $0 + "/authority.pem" : nil }
        anchors = try options.sites.anchors() ?? root.map { try Certificate.load(path: $0) }
        fetching = try options.sites.fetcherOptions()
        time = options.time
        loaded = forMany ? try ChainVerifier(trust: anchors, at: time) : nil
    }

    func verifier() throws -> ChainVerifier { try loaded ?? ChainVerifier(trust: anchors, at: time) }
}

/// The options that select the issues that determine the exit code.
struct IssueOptions: ParsableArguments {
    enum Level: String, ExpressibleByArgument, CaseIterable { case error, warning }

    @Option(help: "Least severity that makes the exit code 1: error or warning. Example: --fail-on warning")
    var failOn = Level.error

    @Option(
        """
        Issue code that does not affect the exit code (repeatable). Only --verbose lists its issues. Example: \
        --ignore tls-given-root
        """, value: "code")
    var ignore: [String] = []

    @Option(
        """
        Issue code that affects the exit code (repeatable). All other codes are ignored. Example: --only \
        http-redirect
        """, value: "code")
    var only: [String] = []

    func validate() throws {
        for code in ignore + only where Diagnostic.named(code) == nil {
            let near = code.lowercased().nearest(of: Diagnostic.all.map(\.code), within: max(3, code.utf8.count / 3))
            throw ValidationError(
                "Unknown issue code \(code.excerpt). "
                    + (near.map { "Did you mean \"\($0)\"?" } ?? "List all codes with: motivator association explain"))
        }
    }

    func ignores(_ issue: AssociationChecker.Issue) -> Bool {
        let isNamed = { (code: String) in code.lowercased() == issue.code }
        return ignore.contains(where: isNamed) || (!only.isEmpty && !only.contains(where: isNamed))
    }

    /// Returns the exit code for reports whose ignored issues are marked.
    func exitCode(_ reports: [Report], _ profiles: [Profile]) -> MotivatorPlatform.ExitCode {
        let verdicts = reports.flatMap { report in profiles.map(report.verdictForExit) }
        if verdicts.contains(.denied) { return .no }
        if verdicts.contains(.retry) { return .temporary }
        let hasWarnings = reports.contains { report in
            report.issues.contains { issue in
                !issue.isIgnored && profiles.contains { issue.severity(in: $0) == .warning }
            }
        }
        return failOn == .warning && hasWarnings ? .no : .yes
    }
}

struct AndroidOptions: ParsableArguments {
    @Option(
        "Android app that assetlinks.json must list (repeatable). Implies --assetlinks.",
        value: "package[=fingerprint]")
    var android: [String] = []

    @Flag(help: "Request and check assetlinks.json, the file for Android.")
    var assetlinks = false

    func add(to request: inout CheckRequest, _ relation: AssetLinks.Relation? = nil) throws {
        request.relation = relation
        request.androidApps = try android.map { text in
            try parsing("--android") { try AndroidApp(text, needsFingerprint: false) }
        }
        guard assetlinks || request.isAboutAndroid else { return }
        try require(
            !request.isAboutApple, "--android and --assetlinks cannot be combined with options for Apple's file",
            fix: "Use two commands, one for each file")
        request.format = .assetLinks
    }
}

struct RequestOptions: ParsableArguments {
    @Option("App to associate (repeatable). Without --service or entries, any service may list the app.", value: "id")
    var app: [String] = []

    @Option("Entry of the app's entitlement (repeatable).", value: "entry")
    var entitlement: [String] = []

    @Option(
        """
        The signed app (.app folder or .ipa), or its .entitlements property list. For a provisioning profile, \
        the command checks the permitted entitlements.
        """, value: "file")
    var entitlements: String?

    @Option(
        help: """
            Service to check: webcredentials, applinks, appclips, activitycontinuation, messagefilter, \
            classificationreport or authsrv (default: the services of the entries, or any service in the file). For \
            assetlinks.json: links or credentials.
            """)
    var service: RequestedService?

    @Option("Domain that the certificate of a signed file must cover.", value: "name")
    var domain: String?

    @OptionGroup var audience: PublicOptions

    @OptionGroup var android: AndroidOptions

    /// Returns the request for Apple's file, and the request for Android's file if its options are used.
    func requests() throws -> (apple: CheckRequest, android: CheckRequest?) {
        var other = CheckRequest()
        other.assumesPublic = audience.assumePublic
        try android.add(to: &other)
        return (try request(withAndroid: false), other.isAboutAndroid ? other : nil)
    }

    func request(withAndroid: Bool = true) throws -> CheckRequest {
        var request = CheckRequest()
        request.assumesPublic = audience.assumePublic
        request.service = service?.apple
        request.domain = try domain.map { name in try parsing("--domain") { try SubjectName(name).text } }
        request.apps = try app.map { text in try parsing("--app") { try AppIdentifier(text) } }.distinct
        request.entries = entitlement.map { CheckRequest.Entry($0) }
        if let entitlements { request.add(try Input.entitlements(entitlements), from: Input.name(entitlements)) }
        if withAndroid { try android.add(to: &request, service?.android) }
        return request
    }
}

/// The value of `--service`: a service of Apple's file, or a relation of assetlinks.json.
struct RequestedService: ExpressibleByArgument {
    private static let relations = ["links": AssetLinks.Relation.links, "credentials": .credentials]
    static let allValueStrings = Service.allCases.map(\.rawValue) + relations.keys.sorted()

    let apple: Service?
    let android: AssetLinks.Relation?

    init?(argument: String) {
        (apple, android) = (Service(rawValue: argument), Self.relations[argument])
        if apple == nil, android == nil { return nil }
    }
}

extension Service: ExpressibleByArgument {}

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
            let url = try parsing("--origin") { try WebURL.entered(text) }
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
