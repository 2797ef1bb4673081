import AssociatedDomains
import Platform
import Testing

private let corpusFolder: String? = getenv("ASSOCIATION_CORPUS").map { String(cString: $0) }

/// Real files, which are not part of the repository: `ASSOCIATION_CORPUS` names a folder of them.
@Suite("Real association files", .enabled(if: corpusFolder != nil))
struct AssociationCorpusTests {
    @Test("Each is loaded with its bytes kept, or refused with a place inside of it")
    func corpus() throws {
        let folder = try #require(corpusFolder)
        for name in try names(in: folder) {
            let candidate = try SiteAssociation.Candidate(path: "\(folder)/\(name)")
            do throws(SiteAssociation.Fault) {
                let association = try SiteAssociation(candidate)
                #expect(association.bytes == candidate.bytes)
                print("\(name)\tloaded\t\(Service.allCases.filter { association.apps(for: $0) != nil })")
            } catch {
                print("\(name)\trefused\t\(error)")
                guard candidate.envelope == nil else { continue }
                let place = try #require(error.place)
                #expect(place.offset <= candidate.bytes.count)
                print("\t\t\(place.line(in: candidate.bytes))")
                print("\t\t\(String(repeating: " ", count: place.column - 1))^")
            }
        }
    }

    private func names(in folder: String) throws -> [String] {
        let directory = try #require(opendir(folder))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json") || name.hasSuffix(".der") { names.append(name) }
        }
        return names.sorted()
    }
}
