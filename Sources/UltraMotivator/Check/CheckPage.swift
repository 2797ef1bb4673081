import Accounts
import Certificates
import HTTP
import HTTPTypes
import Platform
import Server

/// `/check`: what a device would do with a file, an entry or a URL that somebody fills in.
///
/// Nothing is kept and nothing changes, so that the form needs no token; but a page of another site may not have this
/// server ask hosts in a visitor's name, and so cannot send it either.
struct CheckPage: Sendable {
    /// The queues for the work and the rate limits of the clients. They outlive a reload.
    struct Queues: Sendable {
        /// One check at a time, so that expensive checks never use more than one core.
        var checks = BoundedQueue<ClientAddress>(threads: 1, waiting: 32)
        /// A fetch waits for other hosts most of the time. A client has one at a time, so that it leaves lanes to others.
        var fetches = BoundedQueue<ClientAddress>(
            threads: 4, waiting: 8, perClient: 1, expected: .seconds(CheckRun.fetchDeadline))
        /// More than a person needs; the check of a hostile file takes about a second.
        var checkRate = RateLimiter<ClientAddress>(burst: 60, interval: .seconds(1))
        /// Lower, because each fetch makes requests to another host.
        var fetchRate = RateLimiter<ClientAddress>(burst: 10, interval: .seconds(10))
    }

    let pages: Pages
    let queues: Queues
    /// Whether sites may be asked.
    let allowsFetch: Bool
    /// Roots that are trusted beside the system's.
    let roots: [Certificate]
    let clock: Clock

    /// The form as yet empty.
    var blank: String { pages.check(CheckFormView(CheckForm(), allowsFetch: allowsFetch)) }

    /// Responds to a submitted form.
    func check(_ request: Request) async -> Response {
        // First, so that pages of other sites cannot use up a visitor's rate.
        if let refusal = Web.refuse(request) { return refusal }
        // Before the content is read, so that a client over its rate costs little.
        if let wait = queues.checkRate.take(for: request.client) {
            var response = Web.error(
                429, "Too many checks from your address. Wait \(wait) seconds, go back, and send the form again.",
                request)
            response.fields[.retryAfter] = "\(wait)"
            return response
        }
        guard let bytes = await request.readContent() else { return Response(.badRequest) }
        let content: FormContent
        do throws(FormContent.Fault) { content = try FormContent(bytes) } catch {
            let binary = error == .notUTF8 ? " A signed file cannot be pasted: motivator association check FILE." : ""
            return Web.error(400, "\(error.sentence)\(binary) Go back and send the form again.", request)
        }
        if !allowsFetch, content.has(.site) {
            return Web.error(
                403, "This server asks no other host. Start it with --allow-fetch, or paste the file.", request)
        }
        var form = CheckForm(content)
        guard let question = form.question() else {
            let alert = form.errors.isEmpty ? "Nothing is filled in. Fill in at least one of the fields." : nil
            return answer(form, alert: alert, status: .unprocessableContent)
        }
        return await run(question, form, for: request.client)
    }

    /// Does the work when it is the client's turn.
    private func run(_ question: CheckQuestion, _ form: CheckForm, for client: ClientAddress) async -> Response {
        let isFetch = question.site != nil
        if isFetch, let wait = queues.fetchRate.take(for: client) {
            return answer(form, "Too many fetches from your address.", status: .tooManyRequests, retryAfter: wait)
        }
        let run = CheckRun(question: question, roots: roots, now: clock.now())
        do throws(BoundedQueue<ClientAddress>.Refusal) {
            let queue = isFetch ? queues.fetches : queues.checks
            return answer(form, try await queue.run(for: client) { run.view })
        } catch {
            let wait =
                switch error {
                case .full(let seconds): seconds
                // The connection is gone, and nothing reads this response.
                case .cancelled, .closed: 1
                }
            return answer(
                form, "Too many \(isFetch ? "fetches" : "checks") are running.", status: .serviceUnavailable,
                retryAfter: wait)
        }
    }

    /// Shows the form again, with the reason why there is no result, and says when to send it again.
    private func answer(
        _ form: CheckForm, _ reason: String, status: HTTPResponse.Status, retryAfter: Int
    ) -> Response {
        var response = answer(
            form, alert: "\(reason) Send the form again in \(retryAfter) seconds.", status: status)
        response.fields[.retryAfter] = "\(retryAfter)"
        return response
    }

    private func answer(
        _ form: CheckForm, _ result: CheckView? = nil, alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let view = CheckFormView(form, allowsFetch: allowsFetch, alert: alert, result: result)
        var response = Response(status, type: "text/html; charset=utf-8", text: pages.check(view))
        response.fields[.cacheControl] = "no-store"
        return response
    }
}

/// The form with the result above it, as its template sees it.
struct CheckFormView: Sendable {
    /// A field on one line.
    struct Field: Sendable {
        let name: String
        let label: String
        let type: String
        let hint: String
        let value: String
        let error: String?
        let descriptions: String
    }

    let isSignedIn = false
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
                "As in com.apple.developer.associated-domains: webcredentials:example.com"),
            field(
                .app, "Application identifier", form.app, "Prefix and bundle identifier: D3KQX62K1A.com.example.DemoApp"
            ),
            field(
                .url, "URL that somebody follows", form.url, "To learn which app opens it: https://example.com/buy/42"),
        ]
        if allowsFetch {
            fields.append(
                field(
                    .site, "Site to ask", form.site,
                    "In place of a pasted file; this server fetches it: example.com, or an https URL"))
        }
        self.fields = fields
    }
}
