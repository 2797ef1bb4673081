import AssociatedDomains
import AssociationChecker
import HTTPSClient
import UniversalLinks

let app = try AppIdentifier("D3KQX62K1A.com.example.DemoApp")
let file = Array(
    """
    {
      "webcredentials": {"apps": ["D3KQX62K1A.com.example.DemoApp"]},
      "applinks": {"details": [{"appIDs": ["D3KQX62K1A.com.example.DemoApp"], "components": [
        {"/": "/shop/*", "?": {"preview": "yes"}, "exclude": true},
        {"/": "/shop/*"}
      ]}]}
    }
    """.utf8)

// Read the file, and find out which app opens a URL.
let association = AssociationFile(file, name: "site.json", at: 1_800_000_000)
print("verdict:", association.verdict(.device))
print("webcredentials:", association.apps[.webcredentials]?.map(\.text) ?? [])
if let links = association.links {
    for text in ["https://example.com/shop/42", "https://example.com/shop/42?preview=yes", "https://example.com/about"]
    {
        print(text, links.match(try WebURL(text), app: app.description).outcome)
    }
}

// Check a file that contains a mistake.
var request = CheckRequest()
request.apps = [app]
let broken = Array(#"{"webcredentials": {"apps": ["D3KQX62K1A.com.example.DemoApp",]}}"#.utf8)
let report = Checker(request, at: 1_800_000_000).check(file: broken, name: "site.json")
print("verdict:", report.verdict(.device))
print(report.conclusion(.device))
for issue in report.issues(in: [.device]) {
    print(issue.code)
    print("  \(issue.message) \(issue.fix)")
}
