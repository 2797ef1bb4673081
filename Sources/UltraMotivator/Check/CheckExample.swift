/// The values of the examples, which links fill in.
enum CheckExample: String, CaseIterable {
    case shared, comma, link, entry

    private static let app = "D3KQX62K1A.com.example.DemoApp"

    var title: String {
        switch self {
        case .shared: "A file that shares passwords"
        case .comma: "A file with a trailing comma"
        case .link: "A URL that opens an app"
        case .entry: "An entry with a scheme"
        }
    }

    var summary: String {
        switch self {
        case .shared: "the file of this tutorial, and its app"
        case .comma: "a syntax error, with its location"
        case .link: "a file with two rules, and a URL"
        case .entry: "an entry that devices drop"
        }
    }

    var form: CheckForm {
        let shared = "{\n  \"webcredentials\": {\n    \"apps\": [\"\(Self.app)\"]\n  }\n}\n"
        return switch self {
        case .shared: CheckForm(file: shared, app: Self.app)
        case .comma: CheckForm(file: shared.replacing("\"]", with: "\",]"))
        case .link:
            CheckForm(
                file: """
                    {
                      "applinks": {
                        "details": [{
                          "appIDs": ["\(Self.app)"],
                          "components": [
                            {"/": "/help/*", "exclude": true},
                            {"/": "/buy/*"}
                          ]
                        }]
                      }
                    }

                    """, url: "https://example.com/buy/42")
        case .entry: CheckForm(entitlement: "https://example.com")
        }
    }
}
