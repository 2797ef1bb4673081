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
    /// Where the work is done. It outlives a reload.
    struct Queues: Sendable {
        /// One check at a time, so that hostile ones never take more than one core.
        let checks = BoundedQueue(label: "check", lanes: 1, places: 32)
        /// Fetches wait for others most of the time.
        let fetches = BoundedQueue(label: "check-fetch", lanes: 4, places: 1)
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

    /// Answers a form.
    func check(_ request: Request) async -> Response {
        if let refusal = Web.refuse(request) { return refusal }
        let content: FormContent
        do throws(FormContent.Fault) { content = try FormContent(request.content) } catch {
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
        let run = CheckRun(question: question, roots: roots, now: clock.now())
        do throws(BoundedQueue.Refusal) {
            let queue = question.site == nil ? queues.checks : queues.fetches
            return answer(form, try await queue.run { run.view })
        } catch {
            let what = question.site == nil ? "checked" : "fetched"
            var response = answer(
                form,
                alert: "As much as this server takes on at a time is being \(what) already. Send the form again soon.",
                status: .serviceUnavailable)
            response.fields[.retryAfter] = question.site == nil ? "2" : "\(CheckRun.fetchDeadline)"
            return response
        }
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
