import AssociatedDomains

@testable import AssociationChecker

/// The inputs for rows about hosts: the network, certificates, HTTP and signatures. `cases` takes two cases of
/// `SiteBuilder` or `CheckCase`.
extension FixInput {
    static let hosts: [String: FixInput] = [:]
}
