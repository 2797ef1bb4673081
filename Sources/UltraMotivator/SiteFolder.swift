import AssociationChecker
package import Certificates
import MotivatorHTTP
package import MotivatorPlatform
package import MotivatorServer
import SourceJSON

/// A host whose association file, assetlinks.json and static files come from a folder.
package struct SiteFolder: Sendable {
    /// The maximum size of assetlinks.json in bytes, the same as for an association file.
    private static let maximumLinks = AssociationFile.maximumSize

    package let host: String
    package let folder: String

    /// - Parameter folder: the site's root folder, with an association file at one or both of the two paths.
    package init(host: String, folder: String) { (self.host, self.folder) = (host, folder) }

    /// - Parameter ownRoots: the roots that a signer may have in addition to the system's roots.
    /// - Throws: `FileError`, `ExplainedFailure` for an invalid assetlinks.json or without an association file, or an
    ///   error from signing.
    package func load(
        format: ServedAssociation.Format, ownRoots: [Certificate], now: UnixTime, signer: () throws -> Identity
    ) throws -> (site: Site, association: ServedAssociation) {
        var site = Site()
        // The demo's error pages link to pages that this host does not serve.
        site.errors = ErrorRenderer()
        let folder = try Folder(folder)
        var sources: [ServedAssociation.Source] = []
        for path in ServedAssociation.paths {
            let name = String(path.dropFirst())
            guard let (bytes, version) = try folder.readIfPresent(name, limit: AssociationFile.readLimit) else {
                continue
            }
            let file = AssociationFile(bytes, name: folder.path(of: name), domain: host, ownRoots: ownRoots, at: now)
            sources.append((file, version.modified))
        }
        // A site with only one of the two files serves this file at both paths.
        guard let first = sources.first, let last = sources.last else {
            throw ExplainedFailure(
                "the folder \(folder.path.quoted) has no association file",
                fix: "Add \(ServedAssociation.paths[1].dropFirst()) to the folder", exitCode: .noInput)
        }
        let association = try ServedAssociation(
            first, wellKnown: sources.count > 1 ? last : nil, format: format, signer: signer)
        for (path, file) in zip(ServedAssociation.paths, [association.root, association.wellKnown]) {
            site.serve(file, at: path)
        }
        let links = ".well-known/assetlinks.json"
        if let (bytes, version) = try folder.readIfPresent(links, limit: Self.maximumLinks) {
            _ = try ExplainedFailure.naming(folder.path(of: links)) { try JSONDocument(bytes) }
            site.serve(Representation(bytes, type: "application/json", lastModified: version.modified), at: "/" + links)
        }
        site.files = StaticFiles(folder: folder, types: Routes.fileTypes)
        return (site, association)
    }
}
