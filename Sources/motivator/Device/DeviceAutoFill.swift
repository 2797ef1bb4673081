import ArgumentParser
import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform
import SharedWebCredentials
import SourceJSON

struct PageOptions: ParsableArguments {
    @Argument(help: "The https URL of the page.")
    var url: String

    @Option(
        """
        Form on the page: signin, signup or update (default: the first form with an AutoFill field). Or the path \
        of an HTML file to use instead of the page, such as an app's form.
        """, value: "form")
    var form: String?

    /// Returns a note if the page redirected to a sign-in form. The requested page may need a session.
    func redirectNote(_ page: WebURL, _ kind: PageForm.Kind) -> String? {
        guard kind == .signIn, let requested = try? WebURL.entered(url), requested != page else { return nil }
        return "\(requested) redirects to \(page). If the page needs a session, pass its HTML with --form."
    }

    /// Fetches the page, or reads the file, and selects the form.
    /// - Returns: the URL after redirects, the form, and the issues with the forms of the page.
    func load(
        in context: DeviceContext
    ) async throws -> (url: WebURL, kind: PageForm.Kind, form: PageForm, issues: [Issue]) {
        var page = try parsing("the URL") { try WebURL.entered(url) }
        try require(page.scheme == "https", "\(url.excerpt) is not an https URL", fix: "Use the page's https URL")
        let wanted = form.flatMap(PageForm.Kind.init(rawValue:))
        let name: String
        let html: [UInt8]
        if let form, wanted == nil {
            (name, html) = (Input.name(form), try Input.read(form, limit: PageLoader.maximumPage))
        } else {
            let loader = PageLoader(options: try context.sites.fetcherOptions(), trust: try context.sites.anchors())
            (page, html) = try await loader.load(page, at: await context.device.now)
            name = "\(page)"
        }
        let found = PageForm.all(in: html).first { $0.kind != nil && (wanted == nil || $0.kind == wanted) }
        guard let found, let kind = found.kind else {
            throw ExplainedFailure(
                "the page has no form \(wanted.map { "for \($0.rawValue) " } ?? "")with an autocomplete token for AutoFill",
                fix: "Add autocomplete=\"username\", \"current-password\" or \"new-password\" to the form's inputs",
                exitCode: .no)
        }
        let saved = await context.device.offers(for: page).isEmpty ? nil : page.host
        return (page, kind, found, PageLint.issues(in: html, name: name, url: page, savedFor: saved))
    }
}

extension DeviceTools {
    struct AutoFillOffers: DeviceCommand {
        static let configuration = CommandConfiguration(
            commandName: "autofill-offers",
            abstract: "List the AutoFill offers above the keyboard for a page.",
            discussion: """
                Example: motivator device autofill-offers https://example.com/signin

                The command fetches the page and reads the autocomplete tokens of its inputs. AutoFill offers the \
                items for exactly this host, and for sites that an installed app associates with the host. For a \
                new-password field, AutoFill offers a generated password. The exit code is 1 if there are no offers.
                """)

        @OptionGroup var page: PageOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let (url, kind, form, issues) = try await page.load(in: context)
            let isOn = await context.device.state.autoFill
            let items = kind == .signUp ? [] : await context.device.offers(for: url)
            let related = kind == .signUp || !items.isEmpty ? [] : await context.device.relatedHosts(of: url)
            let new = isOn ? form.fields.first { $0.token == .newPassword } : nil
            var lines = items.map { "\($0.credential)" + ($0.app.map { " (associated by \($0))" } ?? "") }
            if let new {
                lines.append("A new password" + (new.passwordRules.map { " (rules: \($0.excerpt))" } ?? ""))
            }
            if lines.isEmpty { lines = [isOn ? "No offers." : "No offers, because AutoFill is off."] }
            lines += [page.redirectNote(url, kind)].compactMap(\.self)
            lines += related.map { "An item exists for \($0), which is another host." }
            if let fault = form.rulesFault { lines.append("AutoFill ignores the passwordrules: \(fault)") }
            lines += issues.map(\.sentence)
            let offers: [JSONNode] =
                items.map {
                    [
                        "kind": "password", "item": Prompt.Choice($0.credential).json,
                        "app": .optional($0.app?.description),
                    ]
                }
                + (new.map { [["kind": "new-password", "rules": .optional($0.passwordRules)]] } ?? [])
            return DeviceResult(
                lines: lines.map(\.printable),
                json: [
                    "url": .text("\(url)"), "form": .text(kind.rawValue), "fields": .list(form.fields.map(\.json)),
                    "offers": .list(offers), "related_hosts": .list(related.map { .text($0) }),
                    "rules_error": .optional(form.rulesFault?.problem), "issues": .list(issues.map(\.summary)),
                ], exitCode: offers.isEmpty ? .no : .yes)
        }
    }

    struct Fill: PromptingCommand {
        static let configuration = CommandConfiguration(
            commandName: "fill", abstract: "Show the values that AutoFill enters into a page's fields.",
            discussion: """
                Example: motivator device fill https://example.com/signin --choose ray

                The device generates a new password that satisfies the page's passwordrules, but does not save the \
                password. Only --json prints saved passwords.
                """)

        @OptionGroup var page: PageOptions
        @OptionGroup var prompts: PromptOptions
        @OptionGroup var options: DeviceOptions

        func perform(in context: DeviceContext) async throws -> DeviceResult {
            let (url, kind, form, issues) = try await page.load(in: context)
            var filled: [FilledField] = []
            var failure: ExplainedFailure?
            do throws(ExplainedFailure) { filled = try await context.device.fill(form, at: url) } catch {
                failure = error
            }
            let fault = failure == nil ? form.rulesFault : nil
            let notes = [
                page.redirectNote(url, kind), fault.map { "AutoFill ignores the passwordrules: \($0)" },
            ].compactMap(\.self)
            let lines = filled.map(\.line) + notes + issues.map(\.sentence)
            return DeviceResult(
                lines: failure.map { [$0.description] } ?? lines.map(\.printable),
                json: [
                    "url": .text("\(url)"), "form": .text(kind.rawValue), "issues": .list(issues.map(\.summary)),
                    "fields": .list(filled.map(\.json)), "rules_error": .optional(fault?.problem),
                    "error": failure?.json ?? .null,
                ], exitCode: failure?.exitCode ?? .yes)
        }
    }
}

extension Issue {
    fileprivate var sentence: String { "\(location.map { "\($0): " } ?? "")\(message) \(fix) [\(code)]" }

    fileprivate var summary: JSONNode {
        ["code": .text(code), "message": .text(message), "fix": .text(fix), "line": .optional(location?.line)]
    }
}

extension FilledField {
    /// The field and its value. A saved password is hidden.
    fileprivate var line: String {
        let name = field.name.isEmpty ? field.id : field.name
        let isHidden = field.token == .currentPassword
        return "\(name) (\(field.token?.rawValue ?? "")): \(isHidden ? "the saved password" : value)"
    }

    fileprivate var json: JSONNode {
        [
            "name": .text(field.name), "id": .text(field.id), "autocomplete": .optional(field.token?.rawValue),
            "value": .text(value), "generated": .truth(isGenerated),
        ]
    }
}
