import Accounts
import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer

/// `/check`: reports what a device would do with a file, an entry or a URL.
///
/// A check does not store or change anything, so the form does not need a token. Requests from other sites are refused,
/// because they could make this server fetch files from other hosts on a visitor's behalf.
struct CheckPage: Sendable {
    /// The queues for the work and the rate limits of the clients. They persist across reloads.
    struct Queues: Sendable {
        /// One check at a time, so that expensive checks never use more than one core.
        var checks = BoundedQueue<ClientAddress>(threads: 1, waiting: 32)
        /// A fetch mostly waits for other hosts. Each client gets only one thread, which leaves the other threads free.
        var fetches = BoundedQueue<ClientAddress>(
            threads: 4, waiting: 8, perClient: 1, expected: .seconds(CheckRun.fetchDeadline))
        /// The limit is higher than a person needs. Checking a malicious file takes about a second.
        var checkRate = RateLimiter<ClientAddress>(burst: 60, interval: .seconds(1))
        /// The limit is lower than for checks, because each fetch sends requests to another host.
        var fetchRate = RateLimiter<ClientAddress>(burst: 10, interval: .seconds(10))
    }

    let pages: Pages
    let queues: Queues
    /// Whether the server may fetch files from other sites.
    let allowsFetch: Bool
    /// The trusted roots in addition to the system's.
    let roots: [Certificate]
    let clock: Clock

    /// The empty form.
    var blank: [UInt8] { pages.check(CheckFormView(CheckForm(), allowsFetch: allowsFetch)) }

    /// Responds to a submitted form.
    func check(_ request: Request) async -> Response {
        // Refuse other sites first, so that their pages cannot use up a visitor's tokens.
        if let refusal = pages.refuse(request) { return refusal }
        // Check the rate before reading the content, so that refusing a client costs little.
        if let wait = queues.checkRate.take(for: request.client) {
            var response = pages.error(
                429, "Too many checks from your address. Wait \(wait) seconds, go back, and send the form again.",
                request)
            response.fields[.retryAfter] = "\(wait)"
            return response
        }
        guard let bytes = await request.readContent() else { return Response(.badRequest) }
        let content: FormContent
        do throws(FormContent.Failure) { content = try FormContent(bytes) } catch {
            let binary =
                error == .notUTF8
                ? " A signed file cannot be pasted. Check it with: motivator association check FILE." : ""
            return pages.error(400, "\(error.sentence)\(binary) Go back and send the form again.", request)
        }
        if !allowsFetch, content.has(.site) {
            return pages.error(
                403,
                "This server does not fetch from other sites. Paste the file, or start the server with --allow-fetch.",
                request)
        }
        var form = CheckForm(content)
        guard let input = form.input() else {
            let alert = form.errors.isEmpty ? "The form is empty. Fill in at least one field." : nil
            return respond(form, alert: alert, status: .unprocessableContent)
        }
        return await run(input, form, for: request.client)
    }

    /// Runs the check when it is the client's turn.
    private func run(_ input: CheckInput, _ form: CheckForm, for client: ClientAddress) async -> Response {
        let isFetch = input.site != nil
        if isFetch, let wait = queues.fetchRate.take(for: client) {
            return respond(form, "Too many fetches from your address.", status: .tooManyRequests, retryAfter: wait)
        }
        let run = CheckRun(input: input, roots: roots, now: clock.now())
        do throws(BoundedQueue<ClientAddress>.Refusal) {
            let queue = isFetch ? queues.fetches : queues.checks
            return respond(form, try await queue.run(for: client) { run.view })
        } catch {
            let wait =
                switch error {
                case .full(let seconds): seconds
                // The connection is closed, so the client never gets this response.
                case .cancelled, .closed: 1
                }
            return respond(
                form, "Too many \(isFetch ? "fetches" : "checks") are running.", status: .serviceUnavailable,
                retryAfter: wait)
        }
    }

    /// Shows the form again, with the reason for the missing result and the seconds to wait.
    private func respond(
        _ form: CheckForm, _ reason: String, status: HTTPResponse.Status, retryAfter: Int
    ) -> Response {
        var response = respond(
            form, alert: "\(reason) Send the form again in \(retryAfter) seconds.", status: status)
        response.fields[.retryAfter] = "\(retryAfter)"
        return response
    }

    private func respond(
        _ form: CheckForm, _ result: CheckView? = nil, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let view = CheckFormView(form, allowsFetch: allowsFetch, alert: alert, result: result)
        return Response(
            status, fields: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            content: pages.check(view))
    }
}

/// The data of the form with the result above it, for its template.
struct CheckFormView: Sendable {
    /// A single-line field.
    struct Field: Sendable {
        let name: String
        let label: String
        let type: String
        let hint: String
        let value: String
        let error: String?
        let descriptions: String
    }

    let hasError: Bool
    let alert: String?
    let result: CheckView?
    let file: String
    let fields: [Field]

    init(_ form: CheckForm, allowsFetch: Bool, alert: String? = nil, result: CheckView? = nil) {
        self.alert = alert
        self.result = result
        hasError = alert != nil || !form.errors.isEmpty
        file = form.file
        func field(
            _ name: FieldName, _ label: String, _ value: String, _ hint: String, type: String = "text"
        ) -> Field {
            let error = form.errors[name]
            return Field(
                name: name.rawValue, label: label, type: type, hint: hint, value: value, error: error,
                descriptions: (error == nil ? "" : "\(name.rawValue)-error ") + "\(name.rawValue)-hint")
        }
        var fields = [
            field(
                .entitlement, "Entry of the app’s entitlement", form.entitlement,
                "An entry of com.apple.developer.associated-domains, such as webcredentials:example.com"),
            field(
                .app, "Application identifier", form.app,
                "Prefix and bundle identifier, such as D3KQX62K1A.com.example.DemoApp. For assetlinks.json, the package name"
            ),
            field(.url, "URL", form.url, "Shows which app opens this URL. Example: https://example.com/buy/42"),
        ]
        if allowsFetch {
            fields.append(
                field(
                    .site, "Site", form.site,
                    "Fetches the file from the site. Enter a domain, such as example.com, or an https URL"))
        }
        self.fields = fields
    }
}
