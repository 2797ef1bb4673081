import AssociationChecker
import AssociationDiagnostics
import Foundation
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import Passkeys
import Testing

@testable import Faults
@testable import Inspector
@testable import MotivatorServer
@testable import UltraMotivator
@testable import WebChecker

@Suite("The templates") struct TemplateTests {
    /// A template with a value that it shows.
    struct Sample: CustomTestStringConvertible {
        let template: String
        let view: Any
        var testDescription: String { template }
    }

    private static let field = FormPage.Field(
        name: "a", label: "b", type: "text", autocomplete: "off", hint: "c", rules: "d", minimum: 1, error: "e")

    private static func form() -> FormPage {
        var form = FormPage.signUp(minimum: 8, at: "/signup")
        form.fields.append(field)
        form.passkey = PasskeyButton(action: "/a", text: "b", suggests: true, offers: true, isNamed: true)
        form.unknown = FormPage.UnknownPasskey(rpID: "a", id: "b")
        (form.alert, form.suggestion, form.isDestructive) = ("a", "b", true)
        form.finish()
        return form
    }

    private static func checks() -> [CheckFormView] {
        let file =
            #"{"applinks":{"details":[{"appIDs":["D3KQX62K1A.com.example.App"],"components":[{"/":"/buy/*"}]}]}}"#
        let forms = [
            CheckForm(file: file, app: "D3KQX62K1A.com.example.App", url: "https://example.com/buy/42"),
            CheckForm(file: "{\"webcredentials\":{\"apps\":[],}}", entitlement: "webcredentials:example.com"),
            CheckForm(app: "D3KQX62K1A.com.example.App"), CheckForm(url: "https://example.com/a?b#c"),
            CheckForm(entitlement: "webcredentials:*.example.com?mode=developer"),
        ]
        return forms.map { form in
            var form = form
            let view = form.input().map { CheckRun(input: $0, roots: [], now: 1_800_000_000).view }
            return CheckFormView(form, allowsFetch: true, result: view)
        } + [CheckFormView(CheckForm { _ in "x" }, allowsFetch: true, alert: "a")]
    }

    private static func reports() -> [Report] {
        let files = ["{\"webcredentials\":{\"apps\":[],}}", "<p>"]
        return files.map { Checker(CheckRequest(), at: 1_800_000_000).check(file: Array($0.utf8), name: "</style><p>") }
    }

    @Test("A report is one file without a script, a form and another resource")
    func report() throws {
        for reports in [Self.reports(), Array(Self.reports().prefix(1))] {
            let page = ReportPage(reports, profiles: [.ios9, .device], version: "1.2.3", at: 0)
            let text = String(decoding: page.bytes, as: UTF8.self)
            let body = try #require(text.firstRange(of: "<body>").map { String(text[$0.lowerBound...]) })
            for part in ["<script", "<link", "<form", "src=", "href=\"/", "</style><p>", "url("] {
                #expect(!body.contains(part) && (part == "</style><p>" || !text.contains(part)), "\(part)")
            }
            #expect(body.contains("json-trailing-comma") && body.contains("1.2.3") && body.contains("1970-01-01"))
            #expect(body.contains("iOS 9 to 13") && !body.contains("Apple&#39;s documentation"))
            for number in 1...reports.count { #expect(body.components(separatedBy: "\"result-\(number)\"").count == 3) }
        }
    }

    private static func home(_ quote: Quote, hasPasskeys: Bool) -> Pages.Home {
        Pages.Home(
            name: "a", quote: quote, formToken: "b", notice: "c", reviewsPasskeys: hasPasskeys,
            hasPasskeys: hasPasskeys, isNew: !hasPasskeys,
            passkey: hasPasskeys ? nil : PasskeyButton(action: "/a", text: "b", offers: true))
    }

    private static func passkeys() -> PasskeyList {
        let passkey = Passkey(
            credential: [1], rpID: "a", publicKey: [2], signCount: 0, aaguid: [3], isBackupEligible: true,
            isBackedUp: true, isUserVerified: true, transports: [], name: "b", created: 0)
        var list = PasskeyList([passkey], rpID: "a", userID: "b", formToken: "c", notice: "d")
        list.alert = "e"
        return list
    }

    private static let operation = Operation(
        id: "a", method: .get, path: "/a", summary: "b", description: "c",
        query: [.init(name: "d", meaning: "e", example: "f", maximum: 9)],
        request: [.init(name: "g", meaning: "h", example: "i")], status: 200, response: [], errors: [],
        respond: { _ in Response(.ok) })

    private static func code() -> CodeIndex.Code? {
        let code = Guarded<CodeIndex.Code?>(nil)
        _ = CodeIndex { each in
            code.withLock { $0 = each }
            return ""
        }
        return code.withLock { $0 }
    }

    private static func recorded(failure: String?) -> InspectedEntry {
        let head = Array("GET /a HTTP/1.1\r\nHost: b\r\n\r\n".utf8)
        var entry = TrafficRecorder.Entry()
        (entry.head, entry.status, entry.failure) = (head, 200, failure)
        return InspectedEntry(entry, trust: nil)
    }

    static func samples() throws -> [Sample] {
        let quote = try #require(Motivation.quotes.first)
        let requests = [recorded(failure: nil), recorded(failure: "closed")]
        let failure = Pages.Failure(code: "a", title: "b", sentence: "c", path: "/", link: "d", isAlone: false)
        let similar = (name: "c", address: "d")
        let unknown = (list: "a", sentence: "b", similar: similar, groups: [(name: "e", count: 1)])
        return [
            Sample(template: "welcome", view: Pages.Welcome(notice: "a")),
            Sample(template: "home", view: home(quote, hasPasskeys: false)),
            Sample(template: "home", view: home(quote, hasPasskeys: true)),
            Sample(template: "passkeys", view: passkeys()),
            Sample(template: "error", view: failure),
            Sample(template: "tutorial", view: Tutorial(host: "a", origin: "b")),
            Sample(template: "form", view: form()),
            Sample(template: "documentation", view: Documentation([operation], at: "https://a")),
            Sample(template: "codes", view: CodeIndex { _ in "" }.list("json")),
            Sample(template: "code", view: try #require(code())),
            Sample(
                template: "plain",
                view: Onboarding.View(
                    fingerprint: "a", home: "b", picture: "c", platform: "d", steps: [:],
                    others: [.init(id: "e", name: "f")], authority: "g", storeName: "h", entry: "j",
                    apps: ["l"], code: "m", readPicture: "k")),
            Sample(
                template: "faults",
                view: FaultPages(
                    domain: "a.test", port: 8443, file: try .demo(at: 1_800_000_000), version: "1", hosts: [:]
                ).view),
            Sample(template: "unknown-fault", view: unknown),
            Sample(template: "passkey-fault", view: PasskeyFault.all[0]),
            Sample(template: "inspector", view: InspectorPage.List(requests, filter: "a", cursor: "c")),
            Sample(template: "missing", view: ""),
            Sample(template: "badge", view: Pages.Badge(.associated)),
            Sample(
                template: "sent",
                view: APITrial.Result(
                    operation: operation, line: "a", request: "b", status: 200, statusClass: 2, content: "{}",
                    token: "c")),
            Sample(template: "report", view: ReportPage(reports(), profiles: [.device], version: "1", at: 0)),
        ] + checks().map { Sample(template: "check", view: $0) }
            + requests.map { Sample(template: "request", view: InspectorPage.Detail($0)) }
    }

    @Test("Each name in a template is a property of a value that the template shows")
    func names() throws {
        let bytes = Templates.all.merging(InspectorPage.templates) { $1 }.merging(Faults().templates) { $1 }
        var walk = TemplateWalk(templates: bytes.mapValues { String(decoding: $0, as: UTF8.self) })
        for sample in try Self.samples() {
            walk.walk(sample.template, [Outer(frame: Frame("/a", hasFaults: false)), sample.view])
        }
        #expect(walk.missing.isEmpty)
        #expect(walk.unused.isEmpty)
        walk.walk(text: "{{#a}}{{b}}{{/a}}{{c}}", [["a": ["b": 1]]])
        #expect(walk.missing == ["c"])
    }

    @Test(
        "A 404 names the most similar path",
        arguments: [
            ("/sigup", "/signup", "sign-up"), ("/check/code", "/check/codes", "the issue codes"),
            ("/nothing", nil, "the home page"), ("/", nil, "the home page"),
            (
                "/well-known/apple-app-site-association.json", "/.well-known/apple-app-site-association",
                "the association file"
            ),
        ] as [(String, String?, String)])
    func similarPath(_ path: String, _ similar: String?, _ name: String) throws {
        let head = try Bench.head("GET", path, host: "one.test", fields: "Accept: text/html\r\n")
        let text = String(decoding: Pages.shared.errors.notFound(head).content, as: UTF8.self)
        #expect(text.contains(similar.map { "Did you mean \($0)?" } ?? "Check the path"))
        #expect(text.contains("Did you mean") == (similar != nil))
        let path = similar ?? "/"
        #expect(text.contains("<a class=\"button\" href=\"\(path)\">Go to \(name)</a>"))
        #expect(text.contains("<ul class=\"list\">") == (similar == nil))
        #expect(text.contains("<h1><small>404</small> Page not found</h1>"))
    }

    @Test(
        "The badge has a word and a color for each verdict",
        arguments: [
            (.associated, "associated", "#1a7f37"), (.denied, "denied", "#cf222e"), (.retry, "unreachable", "#6e7781"),
            (nil, "unknown", "#6e7781"),
        ] as [(Verdict?, String, String)])
    func badge(_ verdict: Verdict?, _ word: String, _ color: String) {
        let badge = Pages.Badge(verdict)
        #expect(badge.word == word && badge.color == color)
    }

    private struct Outer {
        let frame: Frame
    }
}

/// A walk through templates, which finds names that no value in the context has.
private struct TemplateWalk {
    let templates: [String: String]
    private(set) var missing: Set<String> = []
    private var used: Set<String> = []

    init(templates: [String: String]) { self.templates = templates }

    /// The templates that no sample has reached.
    var unused: Set<String> { Set(templates.keys).subtracting(used) }

    mutating func walk(_ name: String, _ context: [Any]) {
        used.insert(name)
        walk(text: templates[name] ?? "", context)
    }

    mutating func walk(text: String, _ context: [Any]) {
        var rest = text[...]
        while let tag = rest.firstMatch(of: /\{\{\{?(?<kind>[#^\/<>$%]?)(?<name>[^}]+)\}?\}\}/) {
            rest = rest[tag.range.upperBound...]
            let name = String(tag.name)
            guard let end = tag.kind == ">" ? nil : rest.firstRange(of: "{{/\(name)}}") else {
                if tag.kind == ">" { walk(name, context) } else if tag.kind != "%" { _ = value(of: name, context) }
                continue
            }
            let body = String(rest[..<end.lowerBound])
            switch tag.kind {
            case "#":
                for one in values(value(of: name, context)) { walk(text: body, context + [one]) }
                rest = rest[end.upperBound...]
            case "^", "$":
                if tag.kind == "^" { _ = value(of: name, context) }
                walk(text: body, context)
                rest = rest[end.upperBound...]
            case "<":
                walk(name, context)
                walk(text: body, context)
                rest = rest[end.upperBound...]
            case _: _ = value(of: name, context)
            }
        }
    }

    /// Returns the value of a name such as `operation.id`, `empty(issues)` or `last()`.
    private mutating func value(of name: String, _ context: [Any]) -> Any? {
        let argument = name.replacing(/^(?:empty|count|last)\((.*)\)$/) { String($0.1) }
        let path = argument.split(separator: ".").map(String.init)
        guard let first = path.first else { return context.last }
        for value in context.reversed() {
            guard var found = Self.member(first, of: value) else { continue }
            for part in path.dropFirst() {
                // A dictionary may lack a key, and an optional may be nil.
                let mirror = Mirror(reflecting: found)
                if mirror.displayStyle == .dictionary { return true }
                if mirror.displayStyle == .optional {
                    guard let some = mirror.children.first?.value else { return nil }
                    found = some
                }
                guard let next = Self.member(part, of: found) else {
                    missing.insert(name)
                    return nil
                }
                found = next
            }
            return found
        }
        missing.insert(name)
        return nil
    }

    private static func member(_ name: String, of value: Any) -> Any? {
        if let values = value as? [String: Any] { return values[name] }
        return Mirror(reflecting: value).children.first { $0.label == name }?.value
    }

    /// Returns the values that a section shows: the elements of an array, or the value of an optional.
    private func values(_ value: Any?) -> [Any] {
        guard let value else { return [] }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional, .collection: return mirror.children.map(\.value)
        case _: return [value]
        }
    }
}
