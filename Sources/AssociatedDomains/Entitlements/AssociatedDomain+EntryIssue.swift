import MotivatorPlatform

extension AssociatedDomain {
    /// An issue in an entry that a device accepts.
    package struct EntryIssue: Hashable, Sendable {
        /// The diagnostic, which is a row in the catalog.
        package let diagnostic: EntitlementDiagnostic
        /// The values for the row's message and fix.
        package let values: [String: String]
        /// The effects that replace the row's effects, or nil.
        package let effects: SeverityByProfile?

        init(_ diagnostic: EntitlementDiagnostic, _ values: [String: String] = [:], _ effects: SeverityByProfile? = nil)
        {
            self.diagnostic = diagnostic
            self.values = values
            self.effects = effects
        }
    }
}

extension AssociatedDomainReader {
    /// The issues from the parser, followed by the issues with the host, the wildcard, the port and the modes.
    var issues: [AssociatedDomain.EntryIssue] { parsed + hostIssues + wildcardIssues + portIssues + modeIssues }

    private var hostIssues: [AssociatedDomain.EntryIssue] {
        let written = host.written.excerpt
        var issues: [AssociatedDomain.EntryIssue] = []
        if (try? AppIdentifier(host.written)) != nil {
            issues.append(.init(.notADomain, ["host": written, "kind": "an application identifier", "such": ""]))
        } else if HostText.looksReversed(host.name) {
            let such = ", such as \"\(HostText.reversed(host.name))\""
            issues.append(.init(.notADomain, ["host": written, "kind": "a bundle identifier", "such": such]))
        } else if host.written != HostText.lowered(host.written), !host.isAddress {
            issues.append(.init(.hostCase, ["host": host.name.excerpt]))
        }
        if host.isAddress {
            issues.append(.init(.addressWithMode))
        } else if host.name == "localhost" {
            issues.append(.init(.localhost))
        } else if HostText.isUnusual(host.name) {
            issues.append(.init(.unusualName, ["host": written]))
        }
        if modes.isEmpty, HostText.isPrivate(host.name) { issues.append(.init(.privateHost, ["host": written])) }
        return issues
    }

    private var wildcardIssues: [AssociatedDomain.EntryIssue] {
        guard host.isWildcard else { return [] }
        let values = ["host": host.name, "suffix": host.name]
        if HostText.looksPublic(host.name) {
            return [.init(.publicSuffix, values.merging(["host": host.written.excerpt]) { $1 })]
        }
        let root = AssociatedDomain.EntryIssue(.wildcardRoot, values, .all(.note))
        return service == .appclips ? [.init(.wildcardAppClips), root] : [root]
    }

    private var portIssues: [AssociatedDomain.EntryIssue] {
        guard port != nil else { return [] }
        return [.init(service == .webcredentials ? .credentialsPort : .otherPort)]
    }

    private var modeIssues: [AssociatedDomain.EntryIssue] {
        (modes.contains(.developer) ? [.init(.developerMode)] : [])
            + (modes.contains(.managed) ? [.init(.managedMode)] : [])
    }
}

extension HostText {
    /// Returns whether a name looks like a bundle identifier, which is a reversed domain.
    static func looksReversed(_ name: String) -> Bool {
        let labels = name.split(separator: ".")
        guard labels.count > 1, let first = labels.first, let last = labels.last else { return false }
        return ["com", "org", "net", "edu"].contains(first) && !["com", "org", "net", "edu"].contains(last)
    }

    /// Returns the domain of a bundle identifier: its first two labels, reversed.
    package static func reversed(_ name: String) -> String {
        name.split(separator: ".").prefix(2).reversed().joined(separator: ".")
    }

    static func isUnusual(_ name: String) -> Bool {
        name.contains("_") || name.split(separator: ".").contains { $0.hasPrefix("-") || $0.hasSuffix("-") }
    }
}
