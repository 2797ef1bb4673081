/// An example on `/check`. Its link fills in the form.
package struct CheckExample: Sendable {
    package let id: String
    let title: String
    let summary: String
    package let form: CheckForm

    private static let app = "D3KQX62K1A.com.example.DemoApp"
    private static let shared = "{\n  \"webcredentials\": {\n    \"apps\": [\"\(app)\"]\n  }\n}\n"

    package static let all = [
        CheckExample(
            id: "shared", title: "A file that shares passwords", summary: "the tutorial’s file and app",
            form: CheckForm(file: shared, app: app)),
        CheckExample(
            id: "comma", title: "A file with a trailing comma", summary: "a syntax error, with its location",
            form: CheckForm(file: shared.replacing("\"]", with: "\",]"))),
        CheckExample(
            id: "link", title: "A URL that opens an app", summary: "a file with two rules, and a URL",
            form: CheckForm(
                file: """
                    {
                      "applinks": {
                        "details": [{
                          "appIDs": ["\(app)"],
                          "components": [
                            {"/": "/help/*", "exclude": true},
                            {"/": "/buy/*"}
                          ]
                        }]
                      }
                    }

                    """, url: "https://example.com/buy/42")),
        CheckExample(
            id: "entry", title: "An entry with a scheme", summary: "an entry that devices drop",
            form: CheckForm(entitlement: "https://example.com")),
    ]
}
