import AssociatedDomains

@testable import AssociationChecker

/// The inputs for rows about links whose example is not a file, the value of applinks, a detail or a component.
extension FixInput {
    static let links: [String: FixInput] = [:]
}
