import Accounts
import AssociatedDomains
import HTTP
import Platform
import SourceJSON
import Testing

@testable import Server
@testable import UltraMotivator

@Suite("The API's description (OpenAPI 3.1)") struct OpenAPITests {
    private let bench: Bench
    private let site: Site
    private let paths: [(path: String, methods: [String])]

    init() throws {
        bench = try Bench()
        let content = try SiteContent(
            bench.demo(["one.test"]), accounts: bench.accounts(), files: StaticFiles(folder: bench.folder + "/Public"),
            root: nil,
            now: 0)
        let file = AssociationFile(try SiteAssociation(webcredentials: [AppIdentifier("A1B2C3D4E5.com.example.App")]))
        site = Routes.site(
            try ServedAssociation(file, format: .plain, lastModified: 0) { throw Bench.Trouble.noHead }, content)
        let document = try JSONDocument(OpenAPI.document(content.operations.all).bytes())
        let described = document.root.object?["paths"]?.object?.members ?? []
        paths = described.map { ($0.key, $0.value.object?.members.map(\.key) ?? []) }
    }

    private func served(at path: String) -> Site.Resource? {
        Array(path.utf8).withFieldBytes { site.resource(at: $0)?.resource }
    }

    @Test("Every call that is described is answered, and with no other method than the described ones")
    func describedIsServed() throws {
        #expect(paths.count == 10)
        for (path, methods) in paths {
            let resource = try #require(served(at: path), "\(path)")
            let allowed = Method.allCases.filter { resource.allows($0) && $0 != .head }.map {
                "\($0.name)".lowercased()
            }
            #expect(allowed.sorted() == methods.sorted(), "\(path)")
        }
    }

    @Test("Every call of the specification is described")
    func specifiedIsDescribed() {
        let calls = paths.flatMap { path, methods in methods.map { "\($0) \(path)" } }
        for call in [
            "post /api/signup", "post /api/signin", "post /api/update", "post /api/signout", "delete /api/account",
            "get /api/motivation", "get /api/password", "post /ultra_motivator/api/signin.py",
            "post /ultra_motivator/api/signup.py", "post /ultra_motivator/api/update.py",
        ] {
            #expect(calls.contains(call))
        }
    }
}
