import SourceJSON

/// The own substitution variables of a file, and what is to be said of them.
package struct SubstitutionVariables {
    /// The values by name; a variable that cannot be used has none.
    package private(set) var values: [String: [String]] = [:]
    private(set) var remarks: [UniversalLinks.Remark] = []
    /// Where each stands whose use matters.
    private(set) var locations: [(name: String, location: SourceLocation)] = []

    /// - Parameter value: the value of `substitutionVariables`, if there is one.
    package init(_ value: JSONValue?) {
        guard let value else { return }
        guard let object = value.object else {
            let kind = UniversalLinks.Remark.Kind.wrongKind(
                key: "substitutionVariables", found: value.kind, expected: .object)
            remarks.append(UniversalLinks.Remark(kind: kind, location: value.location))
            return
        }
        for member in object.members where values[member.key] == nil { read(member) }
    }

    private mutating func read(_ member: JSONObject.Member) {
        let name = member.key
        guard BuiltInVariable(name) == nil else { return remark(.builtInName(name), member.keyLocation) }
        locations.append((name, member.keyLocation))
        var texts: [String] = []
        if let elements = member.value.array {
            for element in elements {
                if let text = element.string {
                    texts.append(text)
                    if hasVariable(text) { remark(.variableInVariable(name, value: text), element.location) }
                } else {
                    remark(.variableNotStrings(name, found: element.kind), element.location)
                }
            }
            if texts.isEmpty { remark(.emptyVariable(name), member.value.location) }
        } else {
            remark(.variableNotStrings(name, found: member.value.kind), member.value.location)
        }
        values[name] = texts
    }

    private func hasVariable(_ text: String) -> Bool {
        PatternAtom.atoms(of: text) { _ in true }.contains { atom in
            if case .variable = atom { return true }
            return false
        }
    }

    private mutating func remark(_ kind: UniversalLinks.Remark.Kind, _ location: SourceLocation) {
        remarks.append(UniversalLinks.Remark(kind: kind, location: location))
    }
}
