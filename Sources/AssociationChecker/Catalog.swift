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

        fileprivate init(_ title: String, _ issues: [any CatalogIssue]) {
            self.title = title
            diagnostics = issues.map(\.entry.diagnostic).distinct
        }
    }

    /// All rows, grouped by subject in the order of evaluation.
    public static let groups = [
        Group("Association file", FileIssue.examples), Group("JSON", JSONError.examples),
        Group("Services", ServiceIssue.examples), Group("Apps", AppIdentifier.Malformed.examples + AppIssue.examples),
        Group("Universal links", UniversalLinks.LinkIssue.Kind.examples), Group("Network", FetchFailure.examples),
        Group("Certificates and TLS", ChainIssue.examples), Group("HTTP", HTTPIssue.examples),
        Group("Signatures", CMSIssue.examples),
        Group(
            "Entitlement",
            AssociatedDomain.Malformed.examples + AssociatedDomain.EntryIssue.examples + HostIssue.examples
                + Entitlements.EntryIssue.examples),
        Group("Digital Asset Links (Android)", AssetLinksIssue.examples), Group("Passkeys", PasskeyIssue.examples),
        Group("Web forms", PageIssue.examples), Group("URL tests", LinkTestIssue.examples),
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
