/// Reads the associated domains from a property list and reports the issues in the list.
struct EntitlementsReader {
    typealias EntryIssue = Entitlements.EntryIssue

    private(set) var applicationIdentifier: String?
    private(set) var entries: [Entitlements.Entry] = []
    private(set) var issues: [EntryIssue] = []
    private(set) var permitsAnyDomain = false
    private var list: PropertyList
    private let isProfile: Bool

    init(_ list: PropertyList) throws(Entitlements.Failure) {
        self.list = list
        isProfile = false
        for key in [Entitlements.key] + Entitlements.identifierKeys {
            guard let second = self.list.location(ofKey: key, number: 1) else { continue }
            throw .duplicateKey(second, key: key)
        }
        readIdentifier()
        if let value = list.root[Entitlements.key] { read(value) } else { reportMissingKey() }
        reportEntries()
    }

    /// Reads the entitlements that a provisioning profile permits.
    init(profile permitted: [String: Any]) {
        list = PropertyList(root: permitted)
        isProfile = true
        readIdentifier()
        if let value = permitted[Entitlements.key] { readPermitted(value) } else { issues.append(.notPermitted) }
        reportEntries()
    }

    private mutating func readPermitted(_ value: Any) {
        permitsAnyDomain = value as? String == "*" || value as? [String] == ["*"]
        if permitsAnyDomain { issues.append(.anyDomain) } else { read(value) }
    }

    private mutating func readIdentifier() {
        for key in Entitlements.identifierKeys {
            guard let value = list.root[key] else { continue }
            guard let text = value as? String else {
                let found = PropertyList.kind(of: value)
                issues.append(.identifierNotAString(list.location(ofValue: key), key: key, found: found))
                continue
            }
            applicationIdentifier = applicationIdentifier ?? text
        }
    }

    private mutating func read(_ value: Any) {
        guard let elements = value as? [Any] else {
            let location = list.location(ofValue: Entitlements.key)
            issues.append(.notAnArray(location, found: PropertyList.kind(of: value), text: value as? String))
            return
        }
        let locations = list.locations(ofStrings: elements.compactMap { $0 as? String }, in: Entitlements.key)
        for (index, element) in elements.enumerated() {
            guard let text = element as? String else {
                issues.append(.notAString(nil, number: index + 1, found: PropertyList.kind(of: element)))
                continue
            }
            let domain = Result { () throws(AssociatedDomain.Malformed) in try AssociatedDomain(text) }
            let location = entries.count < locations.count ? locations[entries.count] : nil
            entries.append(Entitlements.Entry(text: text, location: location, domain: domain))
        }
        if elements.isEmpty { issues.append(.noEntry(list.location(ofValue: Entitlements.key))) }
    }

    /// Reports one issue that explains the missing key, based on the probable kind of file.
    private mutating func reportMissingKey() {
        let keys = list.root.keys.sorted()
        let near = keys.first { key in
            if key == "\(Entitlements.key).mdm-managed" { return false }
            return key.nearest(of: [Entitlements.key, "associateddomains", "associateddomain"], within: 4) != nil
                || (key.utf8.count <= 128 && HostText.lowered(key).contains("associated-domain"))
        }
        if let near {
            issues.append(.misspeltKey(list.location(ofKey: near), key: near))
        } else if keys.contains("Entitlements") || keys.contains("TeamIdentifier") {
            issues.append(.profile)
        } else if keys.contains(where: { $0.hasPrefix("CFBundle") }) {
            issues.append(.informationList)
        } else {
            issues.append(.missingKey)
        }
    }

    private mutating func reportEntries() {
        var first: [String: Int] = [:]
        var domains: [AssociatedDomain: Int] = [:]
        for (index, entry) in entries.enumerated() {
            if case .success(let domain) = entry.domain {
                if let earlier = domains[domain] {
                    issues.append(.duplicate(entry.location, text: entry.text, earlier: earlier + 1, number: index + 1))
                } else {
                    domains[domain] = index
                }
            } else if let earlier = first[entry.text] {
                issues.append(.duplicate(entry.location, text: entry.text, earlier: earlier + 1, number: index + 1))
            } else {
                first[entry.text] = index
            }
        }
        // An entry with a build setting has its own issue.
        if let text = applicationIdentifier, text.contains("$(") || text.contains("${") {
            issues.append(.buildSetting(text))
        }
        // The identifier in a profile may end with a wildcard.
        let isWildcard = isProfile && applicationIdentifier?.hasSuffix(".*") == true
        if let identifier = applicationIdentifier, !identifier.contains("$"), !isWildcard {
            do {
                _ = try AppIdentifier(identifier)
            } catch {
                issues.append(.malformedIdentifier(error))
            }
        }
    }
}
