import Testing

@testable import Inspector

/// The rules are in docs/inspector.md, "Secrets".
@Suite("Secrets in the inspector") struct InspectorSecretTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let expected: String
        var testDescription: String { text }
    }

    private static func hidden(_ text: String, _ expected: String) -> Case { Case(text: text, expected: expected) }

    @Test(
        "The value of a secret name is removed from a URL in every spelling of the name",
        arguments: [
            hidden("/?token=1", "/?token=(removed)"),
            hidden("/?a=b&access_token=1&c=d", "/?a=b&access_token=(removed)&c=d"),
            hidden("/?TOKEN=1", "/?TOKEN=(removed)"),
            hidden("/?%74oken=1", "/?%74oken=(removed)"),
            hidden("/?%54%4fK%65n=1", "/?%54%4fK%65n=(removed)"),
            hidden("/?%2574oken=1", "/?%2574oken=(removed)"),
            hidden("/?%zz%74oken=1", "/?%zz%74oken=(removed)"),
            hidden("/?api+key=1", "/?api+key=(removed)"),
            hidden("/?api_key=1&apiKey=2", "/?api_key=(removed)&apiKey=(removed)"),
            hidden("/?to+ken=1&to%20ken=2", "/?to+ken=(removed)&to%20ken=(removed)"),
            hidden("/?a=1;token=2", "/?a=1;token=(removed)"),
            hidden("/;token=1/x", "/;token=(removed)"),
            hidden("/#access_token=1&a=b", "/#access_token=(removed)&a=b"),
            hidden("/?a=b#token=1", "/?a=b#token=(removed)"),
            hidden("/?\u{301}token=1", "/?\u{301}token=(removed)"),
            hidden("/?a=/x?token=1", "/?a=/x?token=(removed)"),
            hidden("/?next=%2Fx%3Ftoken%3D1", "/?next=(removed)"),
            hidden("/?next=%2Fx%3F%2574oken%3D1&a=b", "/?next=(removed)&a=b"),
            hidden("/?token%3D1", "/?(removed)"),
            hidden("/?tok%+en=1", "/?tok%+en=(removed)"),
            hidden("/?token==1", "/?token=(removed)"),
            hidden("/?token=", "/?token=(removed)"),
        ])
    func removed(_ example: Case) {
        #expect(Secrets.url(example.text) == example.expected)
        let absolute = Secrets.value("https://a.test" + example.text, ofField: "Referer")
        #expect(absolute == "https://a.test" + example.expected)
    }

    @Test(
        "Everything else stays as it is",
        arguments: [
            "/", "/token=1", "/?", "/?q=a+b%20c", "/?a=b&&c", "/?token", "/?q=token", "/?next=%2Fx%3Fa%3D1", "/?%",
            "/?%7",
            "/?%=1", "/#", "*", "/?a==b", "/?a=%3D",
        ])
    func kept(_ text: String) { #expect(Secrets.url(text) == text) }

    @Test(
        "The value of a secret field is removed", arguments: ["Authorization", "cookie", "X-Api-Key", "X-Auth-Token"])
    func fields(_ name: String) {
        #expect(Secrets.value("1", ofField: name) == "(removed)")
        #expect(Secrets.value("text/html;q=0.9", ofField: "Accept") == "text/html;q=0.9")
    }
}
