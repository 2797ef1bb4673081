import Accounts
import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import WebChecker

/// The page `/check`, which reports what a device does with a file, an entry or a URL.
///
/// A check does not store or change anything, so the form does not need a token. Requests from other sites are refused,
/// because they could make a visitor trigger fetches unknowingly.
struct CheckPage: Sendable {
    /// The work queues and the clients' rate limits, which persist across reloads.
    struct Queues: Sendable {
        /// The queue for checks. Its single thread limits expensive checks to one core.
        var checks = Lazy { BoundedQueue<ClientAddress>(threads: 1, waiting: 32) }
        /// The queue for fetches, which mostly wait for other hosts. Each client gets only one of the threads.
        var fetches = Lazy { BoundedQueue<ClientAddress>(threads: 16, waiting: 48, perClient: 1) }
        /// The limits for checked sites, with `--allow-fetch public`.
        var sites = SiteFetches()
        var checkRate = RateLimiter<ClientAddress>(CheckPage.checkLimit)
        var fetchRate = RateLimiter<ClientAddress>(CheckPage.fetchLimit)
    }

    /// The limit for checks, higher than a person needs. Checking a malicious file takes about a second.
    static let checkLimit = ClientLimit("checks", burst: 60, perHour: 3600)
    /// The limit for fetches, lower than for checks because each fetch sends requests to another host.
    static let fetchLimit = ClientLimit("fetches", burst: 10, perHour: 600)

    /// The value of Retry-After in seconds if too many checks are waiting.
    private static let checkWait = 5

    let pages: Pages
    let queues: Queues
    let allowsFetch: Bool
    /// The trusted roots in addition to the system's roots.
    let roots: [Certificate]
    let clock: Clock
    let version: String
    var fetchesPublicOnly = false
    /// Takes a token from the bucket that all servers share. Returns nil if this server counts locally.
    var takeShared: @Sendable (ClientLimit, ClientAddress) async -> Accounts.SharedToken? = { _, _ in nil }

    var blank: [UInt8] { render(CheckFormView(CheckForm(), allowsFetch: allowsFetch)) }

    func check(_ request: Request) async -> Response {
        // Refuse requests from other sites first. Otherwise, they could use up a visitor's tokens.
        if let refusal = pages.refuse(request) { return refusal }
        return await respond(to: request) { await request.readContent() }
    }

    /// Responds to a link whose query contains the fields or the name of an example.
    func link(_ request: Request) async -> Response {
        var query = Array((request.head.queryText ?? "").utf8)
        let name = try? FormContent(query)[.example]
        if let example = CheckExample.all.first(where: { $0.id == name }) { query = Array(example.form.query().utf8) }
        guard SameOrigin.allowsDocument(request.head) else { return pages.error(403, SameOrigin.refusal, request) }
        return await respond(to: request) { [query] in query }
    }

    /// Responds to an API call with the same JSON as the command `motivator association check`.
    func data(_ request: Request) async -> Response {
        guard SameOrigin.allowsDocument(request.head) else { return pages.error(403, SameOrigin.refusal, request) }
        do throws(Refusal) {
            let query = Array((request.head.queryText ?? "").utf8)
            let json = try await result(request, { query }) { _, run in
                run.report?.json(profiles: [.device, .documented], version: version).bytes()
            }
            guard let json else {
                throw Refusal(status: 422, sentence: "There is nothing to check. Add site, file or entitlement.")
            }
            return .json(json)
        } catch { return respond(error, request) }
    }

    /// Responds with the verdict as an image. With `--allow-fetch public`, pages of other sites may show it.
    func badge(_ request: Request) async -> Response {
        guard fetchesPublicOnly || SameOrigin.allowsDocument(request.head) else {
            return pages.error(403, SameOrigin.refusal, request)
        }
        do throws(Refusal) {
            let query = Array((request.head.queryText ?? "").utf8)
            let verdict = try await result(request, { query }) { _, run in run.report?.verdict(.device) }
            guard let verdict else {
                throw Refusal(status: 422, sentence: "There is nothing to check. Add site, and app if needed.")
            }
            return pages.badge(verdict, seconds: 60)
        } catch {
            // A page that shows the image must not show a broken image instead.
            guard let wait = error.retryAfter else { return respond(error, request) }
            return pages.badge(nil, seconds: wait)
        }
    }

    /// - Parameter showsForm: whether the client can send the form again.
    private func respond(_ error: Refusal, _ request: Request, showsForm: Bool = false) -> Response {
        var response: Response
        if showsForm, let form = error.form {
            response = respond(form, alert: error.sentence, status: .registered(error.status))
        } else {
            let errors = error.form?.errors.sorted { $0.key.rawValue < $1.key.rawValue } ?? []
            let sentences = errors.map { "\($0.key.rawValue): \($0.value)" } + [error.sentence].compactMap(\.self)
            response = pages.error(error.status, sentences.joined(separator: " "), request)
        }
        if let wait = error.retryAfter { response.fields[.retryAfter] = "\(wait)" }
        return response
    }

    /// Responds to a search in the list of issue codes. Without a word, redirects to the whole list, which is ready.
    func codes(_ request: Request) async -> Response {
        let query = try? FormContent(Array((request.head.queryText ?? "").utf8))[.query]
        guard let query, !query.allSatisfy(\.isWhitespace) else {
            return Response(.seeOther, fields: [.location: "/check/codes", .cacheControl: "no-cache"])
        }
        return Response(
            .ok, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-cache"],
            content: pages.codes(query))
    }

    /// The reason why a check has no result.
    private struct Refusal: Error {
        let status: Int
        /// The problem; nil if the errors of the form describe it.
        var sentence: String?
        var retryAfter: Int?
        /// The form to show again; nil to show an error page.
        var form: CheckForm?

        static func later(_ reason: String, _ status: Int, _ wait: Int, _ form: CheckForm) -> Self {
            Self(
                status: status, sentence: "\(reason) Send the form again in \(Explanation.duration(wait)).",
                retryAfter: wait, form: form)
        }
    }

    private func respond(to request: Request, _ read: () async -> [UInt8]?) async -> Response {
        do throws(Refusal) {
            return try await result(request, read) { respond($0, $1.view) }
        } catch { return respond(error, request, showsForm: true) }
    }

    /// Parses the fields. Runs the check and writes its result when it is the client's turn.
    private func result<Value: Sendable>(
        _ request: Request, _ read: () async -> [UInt8]?, _ make: @escaping @Sendable (CheckForm, CheckRun) -> Value
    ) async throws(Refusal) -> Value {
        // Check the rate before reading the content to refuse clients cheaply.
        if let wait = await take(Self.checkLimit, queues.checkRate, request.client) {
            let sentence =
                "Too many checks from your address. "
                + "Wait \(Explanation.duration(wait)), go back, and send the form again."
            throw Refusal(status: 429, sentence: sentence, retryAfter: wait)
        }
        guard let bytes = await read() else {
            throw Refusal(status: 400, sentence: "The content is incomplete. Send the form again.")
        }
        let content: FormContent
        do throws(FormContent.Failure) { content = try FormContent(bytes) } catch {
            let binary = error == .notUTF8 ? " A signed file cannot be pasted. \(CheckView.signedFile)" : ""
            throw Refusal(status: 400, sentence: "\(error.sentence)\(binary) Go back and send the form again.")
        }
        // The home page has one field for a file or a site.
        let target = content["target"] ?? ""
        let isSite = CheckForm.isSite(target)
        var form = CheckForm { content[$0.rawValue] ?? ($0 == (isSite ? .site : .file) ? target : "") }
        if !allowsFetch, isSite || content[CheckForm.Field.site.rawValue] != nil {
            let sentence =
                "This server does not fetch from other sites. To allow fetches, start it with --allow-fetch public."
            throw Refusal(status: 403, sentence: sentence, form: form)
        }
        guard let input = form.input() else {
            let isEmpty = form.errors.isEmpty
            throw Refusal(
                status: 422, sentence: isEmpty ? "The form is empty. Fill in at least one field." : nil, form: form)
        }
        let sites = fetchesPublicOnly ? queues.sites : nil
        let recent = sites?.recent(input)
        let isFetch = input.isFetch && recent == nil
        if isFetch, let wait = await take(Self.fetchLimit, queues.fetchRate, request.client) {
            throw .later("Too many fetches from your address.", 429, wait, form)
        }
        let run = CheckRun(input: input, roots: roots, now: clock.now(), sites: sites, recent: recent)
        let made: Value?
        do throws(BoundedQueue<ClientAddress>.Refusal) {
            let queue = (isFetch ? queues.fetches : queues.checks).value
            made = try await queue.run(for: request.client) { [form] () -> Value? in
                guard isFetch, let sites else { return make(form, run) }
                // A check counts for its site only while it runs. One client's waiting checks would exclude all others.
                guard sites.begin(input) else { return nil }
                defer { sites.end(input) }
                return make(form, run)
            }
        } catch {
            // If the task was canceled, the connection is closed, so the client never gets this response.
            let wait = isFetch ? CheckRun.fetchDeadline : Self.checkWait
            throw .later("Too many \(isFetch ? "fetches" : "checks") are running.", 503, wait, form)
        }
        guard let made else {
            throw .later("Too many checks of this site are running.", 503, CheckRun.fetchDeadline, form)
        }
        return made
    }

    /// Takes a token from the client's bucket on this server, and then from the shared bucket. The first bucket
    /// protects the store.
    /// - Returns: nil if a token was available; otherwise the seconds to wait.
    private func take(
        _ limit: ClientLimit, _ own: RateLimiter<ClientAddress>, _ client: ClientAddress
    ) async -> Int? {
        if let wait = own.take(for: client) { return wait }
        guard case .missing(let wait) = await takeShared(limit, client) else { return nil }
        return wait
    }

    private func respond(
        _ form: CheckForm, _ result: CheckView? = nil, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let view = CheckFormView(form, allowsFetch: allowsFetch, alert: alert, result: result)
        return Response(
            status, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            content: render(view))
    }

    private func render(_ view: CheckFormView) -> [UInt8] { pages.render(view, "check", at: "/check") }
}

/// The template data for the form and the result beside it.
struct CheckFormView: Sendable {
    let hasError: Bool
    /// The error that does not belong to a field.
    let alert: String?
    let result: CheckView?
    let file: FormPage.Field
    /// The field for a site; nil if the server does not fetch files.
    let site: FormPage.Field?
    let fields: [FormPage.Field]
    let tests: FormPage.Field
    /// The links to the fields with an error, with the first sentence of each error.
    let wrong: [Frame.Link]
    /// The fields with a value.
    let filled: [(label: String, value: String)]
    /// Whether an input that is not in each form has a value or an error.
    let hasMore: Bool
    let examples = CheckExample.all
    /// The title of the example that was checked.
    let example: String?

    init(_ form: CheckForm, allowsFetch: Bool, alert: String? = nil, result: CheckView? = nil) {
        func field(_ name: CheckForm.Field, _ label: String, _ hint: String) -> FormPage.Field {
            FormPage.Field(
                name: name.rawValue, label: label, type: "text", autocomplete: "off", hint: hint, value: form[name],
                error: form.errors[name], isOptional: true)
        }
        (self.alert, self.result) = (alert, result)
        example = examples.first { $0.form.query() == form.query() }?.title
        hasError = alert != nil || !form.errors.isEmpty
        site = allowsFetch ? field(.site, "Site", "A domain or an https URL. The server fetches the file.") : nil
        file = field(
            .file, "Association file",
            "Paste or drop apple-app-site-association or assetlinks.json, up to 128 KiB.")
        fields = [
            field(.entitlement, "Associated domains entry", "For example, webcredentials:example.com."),
            field(
                .app, "Application identifier",
                "For example, D3KQX62K1A.com.example.DemoApp. For Android, enter the package name."),
            field(.url, "URL", "Shows which app opens this URL. For example, https://example.com/buy/42."),
        ]
        tests = field(
            .tests, "URL tests",
            "At most 20 lines, each with a URL and its result. For example, https://example.com/buy/42 → app.")
        hasMore = (fields + [tests]).contains { !$0.value.isEmpty || $0.error != nil }
        let all = [site, file].compactMap(\.self) + fields + [tests]
        wrong = all.compactMap { field in
            let problem = field.error?.split(separator: ". ").first.map { "\(field.label): \($0)." }
            return problem.map { Frame.Link(path: "#\(field.name)", text: $0) }
        }
        filled = all.filter { !$0.value.isEmpty }
            .map { ($0.label, CheckForm.Field(rawValue: $0.name).map(form.summary) ?? "") }
    }
}
