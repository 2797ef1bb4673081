import AssociatedDomains
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SourceJSON

/// A host whose association file, assetlinks.json and static files come from a folder.
package struct SiteFolder: Sendable {
    /// The maximum size of assetlinks.json in bytes, the same as for an association file.
    private static let maximumLinks = SiteAssociation.maximumSize

    /// The host in lower case.
    package let host: String
    private let folder: String

    /// - Parameters:
    ///   - host: the host in lower case.
    ///   - folder: the site's root folder, with an association file at one or both of the two paths.
    package init(host: String, folder: String) {
        self.host = host
        self.folder = folder
    }

    /// Reads the folder.
    ///
    /// - Parameter now: the modification time of generated content.
    /// - Returns: the site, and its signed association files.
    /// - Throws: `FileError`, `ErrorInFile` for an invalid file, or `Failure` without an association file.
    func load(now: UnixTime) throws -> (site: Site, signed: [[UInt8]]) {
        var site = Site()
        // The demo's error pages link to pages that this host does not serve.
        site.errors = ErrorRenderer()
        let folder = try Folder(folder)
        var files: [String: (file: AssociationFile, modified: UnixTime)] = [:]
        for path in ServedAssociation.paths {
            let name = String(path.dropFirst())
            guard let (bytes, version) = try folder.readIfPresent(name, limit: SiteAssociation.maximumSize) else {
                continue
            }
            let file = try ErrorInFile.naming(folder.path(of: name)) {
                try AssociationFile(SiteAssociation.Candidate(bytes))
            }
            files[path] = (file, version.modified)
        }
        for path in ServedAssociation.paths {
            // A site with only one of the two files serves this file at both paths.
            guard let (file, modified) = files[path] ?? files.values.first else {
                throw Failure(folder: folder.path)
            }
            site.serve(Representation(file.bytes, type: file.mediaType, lastModified: modified), at: path)
        }
        let links = ".well-known/assetlinks.json"
        if let (bytes, version) = try folder.readIfPresent(links, limit: Self.maximumLinks) {
            _ = try ErrorInFile.naming(folder.path(of: links)) { try JSONDocument(bytes) }
            site.serve(Representation(bytes, type: "application/json", lastModified: version.modified), at: "/" + links)
        }
        site.files = StaticFiles(folder: folder, types: Routes.fileTypes)
        return (site, files.values.map(\.file).filter(\.isSigned).map(\.bytes))
    }

    /// The error for a folder without an association file.
    struct Failure: ExplainedError {
        let folder: String
        var problem: String { "the folder \(folder.quoted) has no association file" }
        var fix: String { "Add \(ServedAssociation.paths[1].dropFirst()) to the folder" }
        var exitCode: ExitCode { .noInput }
    }
}
