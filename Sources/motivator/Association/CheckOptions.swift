import ArgumentParser
import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import Platform

/// How sites are requested, for every tool that requests one.
struct SiteOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Roots to trust (PEM), instead of the system's.", valueName: "file"))
    var trust: String?

    @Option(
        help: ArgumentHelp(
            "Connect to this address instead of the host's (repeatable), as in curl.", valueName: "host:port:addr:port")
    )
    var connectTo: [String] = []

    @Option(help: ArgumentHelp("Time limit for each path of a site: 1 to 600.", valueName: "seconds"))
    var timeout = 15

    func validate() throws {
        guard (1...600).contains(timeout) else {
            throw ValidationError("--timeout \(timeout) is out of range. Use 1 to 600 seconds.")
        }
    }

    /// The roots; nil for the system's.
    func anchors() throws -> [Certificate]? { try trust.map { try Certificate.load(path: $0) } }

    /// How requests are made.
    func fetcherOptions() throws -> Fetcher.Options {
        var options = Fetcher.Options()
        options.deadline = timeout
        options.connectTo = try connectTo.map { text in
            try UsageError.of("--connect-to") { try Fetcher.ConnectTo(text) }
        }
        return options
    }
}

/// How sites are requested and certificates verified.
struct FetchOptions: ParsableArguments {
    @OptionGroup var sites: SiteOptions

    @Option(
        help: ArgumentHelp(
            "Verify certificates at this time, such as 2015-10-01T00:00:00Z.", valueName: "time"))
    var at: TimeArgument?

    /// The time at which certificates are verified.
    var time: UnixTime { at?.time ?? Clock.system.now() }
}

/// The apps, the entitlement and the service to check.
struct RequestOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "App to associate (repeatable). Without --service and entries, one service that lists it is enough.",
            valueName: "id"))
    var app: [String] = []

    @Option(help: ArgumentHelp("Entry of the app's entitlement (repeatable).", valueName: "entry"))
    var entitlement: [String] = []

    @Option(help: ArgumentHelp("The app's .entitlements property list, XML or binary.", valueName: "file"))
    var entitlements: String?

    @Option(
        help: """
            The service: webcredentials, applinks, appclips or activitycontinuation. By default those of the entries, and \
            without entries any service of the file.
            """)
    var service: Service?

    @Option(help: ArgumentHelp("Domain of a file, for its signer's certificate.", valueName: "name"))
    var domain: String?

    func request() throws -> CheckRequest {
        var request = CheckRequest()
        request.service = service
        request.domain = try domain.map { name in
            let name = try UsageError.of("--domain") { try SubjectName(name) }
            return name.text
        }
        request.apps = try app.map { text in try UsageError.of("--app") { try AppIdentifier(text) } }
        request.entries = entitlement.map { CheckRequest.Entry($0) }
        if let entitlements {
            let list = try Input.read(entitlements, limit: Entitlements.maximumSize)
            let name = Input.name(entitlements)
            request.add(try ErrorInFile.naming(name) { try Entitlements(list) }, from: name)
        }
        return request
    }
}

extension Service: ExpressibleByArgument {}
