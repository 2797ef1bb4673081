import AssociatedDomains

/// An example on `/check`. Its link fills in the form and runs the check.
package struct CheckExample: Sendable {
    package let id: String
    package let title: String
    let summary: String
    package let form: CheckForm

    private static let app = "D3KQX62K1A.com.example.DemoApp"
    private static let shared = Service.webcredentials.exampleFile(of: app)

    package static let all = [
        CheckExample(
            id: "shared", title: "Shared passwords", summary: "The tutorial's file and app.",
            form: CheckForm(file: shared, app: app)),
        CheckExample(
            id: "comma", title: "Trailing comma", summary: "A syntax error, with its location.",
            form: CheckForm(file: shared.replacing("\"]", with: "\",]"))),
        CheckExample(
            id: "link", title: "Universal link", summary: "A file with two rules, and a URL.",
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
            id: "entry", title: "Entry with a scheme", summary: "An entry that devices drop.",
            form: CheckForm(entitlement: "https://example.com")),
    ]
}

extension Service {
    /// Returns a file that lists an app for the service.
    func exampleFile(of app: String) -> String {
        let details =
            "\"details\": [{\n      \"appIDs\": [\"\(app)\"],\n      \"components\": [{\"/\": \"/buy/*\"}]\n    }]"
        let members = self == .applinks ? details : "\"apps\": [\"\(app)\"]"
        return "{\n  \"\(rawValue)\": {\n    \(members)\n  }\n}\n"
    }
}
