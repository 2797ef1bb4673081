import ArgumentParser
import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import Platform

/// How sites are asked; the same for every tool that may ask one.
struct SiteOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Roots to trust (PEM), instead of the system's.", valueName: "file"))
    var trust: String?

    @Option(
        help: ArgumentHelp(
            "Connect to another address than the host's (repeatable), as with curl.", valueName: "host:port:addr:port"))
    var connectTo: [String] = []

    @Option(help: ArgumentHelp("Seconds that a site has for each of its places: 1 to 600.", valueName: "seconds"))
    var timeout = 15

    func validate() throws {
        guard (1...600).contains(timeout) else {
            throw ValidationError("--timeout \(timeout) is not from 1 to 600 seconds.")
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

/// How sites are asked and certificates judged.
struct FetchOptions: ParsableArguments {
    @OptionGroup var sites: SiteOptions

    @Option(
        help: ArgumentHelp(
            "Time to judge certificates at, such as 2015-10-01T00:00:00Z, instead of now.", valueName: "time"))
    var at: TimeArgument?

    /// The time that certificates are judged at.
    var time: UnixTime { at?.time ?? Clock.system.now() }
}

/// What is asked about apps.
struct QuestionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "App that wants to be associated (repeatable). Without --service and entries it is enough that the file names "
                + "it for one service.", valueName: "id"))
    var app: [String] = []

    @Option(help: ArgumentHelp("Entry of the app's entitlement (repeatable).", valueName: "entry"))
    var entitlement: [String] = []

    @Option(help: ArgumentHelp("The app's .entitlements property list, XML or binary.", valueName: "file"))
    var entitlements: String?

    @Option(
        help: """
            The service that is asked for: webcredentials, applinks, appclips or activitycontinuation. Without it those of \
            the entries, and without entries any that the file has.
            """)
    var service: Service?

    @Option(help: ArgumentHelp("Domain of a file, for its signer's certificate.", valueName: "name"))
    var domain: String?

    func question() throws -> Question {
        var question = Question()
        question.service = service
        question.domain = try domain.map { name in
            let name = try UsageError.of("--domain") { try SubjectName(name) }
            return name.text
        }
        question.apps = try app.map { text in try UsageError.of("--app") { try AppIdentifier(text) } }
        question.entries = entitlement.map { Question.Entry($0) }
        if let entitlements {
            let list = try Input.read(entitlements, limit: Entitlements.maximumSize)
            let name = Input.name(entitlements)
            question.add(try ErrorInFile.naming(name) { try Entitlements(list) }, from: name)
        }
        return question
    }
}

extension Service: ExpressibleByArgument {}
extension Reading: ExpressibleByArgument {}
