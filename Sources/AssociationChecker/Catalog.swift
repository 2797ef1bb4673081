public import AssociatedDomains
import Certificates
import HTTPSClient
import MotivatorPlatform
import SourceJSON
import UniversalLinks

extension Diagnostic {
    /// The rows of one subject.
    public struct Group: Sendable {
        /// The subject, as a heading.
        public let title: String
        /// The rows. Each row belongs to exactly one group.
        public let diagnostics: [Diagnostic]

        fileprivate init<Issues: CatalogIssue>(_ issues: Issues.Type, _ more: [any CatalogIssue] = []) {
            title = issues.title
            diagnostics = (issues.examples + more).map(\.entry.diagnostic).distinct
        }
    }

    /// All rows, grouped by subject in the order of evaluation.
    public static let groups = [
        Group(FileIssue.self), Group(JSONError.self), Group(ServiceIssue.self),
        Group(AppIdentifier.Malformed.self, AppIssue.examples),
        Group(UniversalLinks.LinkIssue.Kind.self), Group(FetchFailure.self), Group(ChainIssue.self),
        Group(HTTPIssue.self), Group(CMSIssue.self),
        Group(
            AssociatedDomain.Malformed.self,
            AssociatedDomain.EntryIssue.examples + HostIssue.examples + Entitlements.EntryIssue.examples),
        Group(AssetLinksIssue.self), Group(PasskeyIssue.self), Group(PageIssue.self), Group(LinkTestIssue.self),
    ]

    /// All rows, in the order of their groups.
    public static let all = groups.flatMap(\.diagnostics)

    /// Returns the row with the given code.
    /// - Parameter code: The code, in upper or lower case.
    public static func named(_ code: String) -> Diagnostic? {
        let wanted = code.lowercased()
        return all.first { $0.code == wanted }
    }
}
