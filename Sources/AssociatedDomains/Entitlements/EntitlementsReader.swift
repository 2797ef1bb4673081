/// Takes the associated domains out of a property list, and finds what is wrong around them.
struct EntitlementsReader {
    package typealias Remark = Entitlements.Remark

    private(set) var applicationIdentifier: String?
    private(set) var entries: [Entitlements.Entry] = []
    private(set) var remarks: [Remark] = []

    init(_ root: PropertyListValue) throws(Entitlements.Fault) {
        guard case .dictionary(let members) = root.content else {
            throw .notADictionary(root.place, found: root.kind.rawValue)
        }
        var seen: Set<String> = []
        for member in members where !seen.insert(member.key).inserted {
            throw .duplicateKey(member.place, key: member.key)
        }
        readIdentifier(root)
        if let member = root.member(Entitlements.key) {
            read(member)
        } else {
            remarkOnMissingKey(members)
        }
        remarkOnEntries()
    }

    private mutating func readIdentifier(_ root: PropertyListValue) {
        for key in Entitlements.identifierKeys {
            guard let member = root.member(key) else { continue }
            guard let text = member.value.string else {
                remarks.append(.identifierNotAString(member.value.place, key: key, found: member.value.kind.rawValue))
                continue
            }
            applicationIdentifier = applicationIdentifier ?? text
        }
    }

    private mutating func read(_ member: PropertyListValue.Member) {
        guard case .array(let elements) = member.value.content else {
            remarks.append(
                .notAnArray(member.value.place, found: member.value.kind.rawValue, text: member.value.string))
            return
        }
        for (index, element) in elements.enumerated() {
            guard let text = element.string else {
                remarks.append(.notAString(element.place, number: index + 1, found: element.kind.rawValue))
                continue
            }
            let domain = Result { () throws(AssociatedDomain.Malformed) in try AssociatedDomain(text) }
            entries.append(Entitlements.Entry(text: text, place: element.place, domain: domain))
        }
        if elements.isEmpty { remarks.append(.noEntry(member.value.place)) }
    }

    /// The same mistake is told once, by what the list most likely is.
    private mutating func remarkOnMissingKey(_ members: [PropertyListValue.Member]) {
        let near = members.first { member in
            if member.key == "\(Entitlements.key).mdm-managed" { return false }
            return member.key.nearest(of: [Entitlements.key, "associateddomains", "associateddomain"], within: 4) != nil
                || (member.key.utf8.count <= 128 && HostText.lowered(member.key).contains("associated-domain"))
        }
        if let near {
            remarks.append(.misspeltKey(near.place, key: near.key))
        } else if members.contains(where: { $0.key == "Entitlements" || $0.key == "TeamIdentifier" }) {
            remarks.append(.profile)
        } else if members.contains(where: { $0.key.hasPrefix("CFBundle") }) {
            remarks.append(.informationList)
        } else {
            remarks.append(.missingKey)
        }
    }

    private mutating func remarkOnEntries() {
        var first: [String: Int] = [:]
        var domains: [AssociatedDomain: Int] = [:]
        for (index, entry) in entries.enumerated() {
            if case .success(let domain) = entry.domain {
                if let earlier = domains[domain] {
                    remarks.append(.duplicate(entry.place, text: entry.text, earlier: earlier + 1, number: index + 1))
                } else {
                    domains[domain] = index
                }
            } else if let earlier = first[entry.text] {
                remarks.append(.duplicate(entry.place, text: entry.text, earlier: earlier + 1, number: index + 1))
            } else {
                first[entry.text] = index
            }
        }
        let texts = entries.map(\.text) + [applicationIdentifier].compactMap(\.self)
        if let unresolved = texts.first(where: { $0.contains("$(") || $0.contains("${") }) {
            remarks.append(.buildSetting(unresolved))
        }
        if let identifier = applicationIdentifier, !identifier.contains("$") {
            do {
                _ = try AppIdentifier(identifier)
            } catch {
                remarks.append(.malformedIdentifier(error))
            }
        }
    }
}
