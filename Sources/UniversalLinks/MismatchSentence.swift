import Platform

/// Says why a part of a URL does not match a pattern.
struct MismatchSentence {
    private let store: PatternStore
    private let pattern: PatternStore.Pattern
    private let stop: PatternMatcher.Stop
    private let value: [UInt32]
    private let atoms: [PatternAtom]

    /// - Parameters:
    ///   - pattern: an index into the store's patterns.
    ///   - stop: where the comparison got stuck.
    ///   - value: the part of the URL in its own case.
    init(_ store: PatternStore, pattern: Int, stop: PatternMatcher.Stop, value: [UInt32]) {
        self.store = store
        self.pattern = store.patterns[pattern]
        self.stop = stop
        self.value = value
        atoms = store.atoms(of: self.pattern.text, part: self.pattern.part)
    }

    /// The sentence without its full stop.
    ///
    /// - Parameter subject: what was compared.
    package func text(on subject: String) -> String {
        "\(subject) does not match \(pattern.text.bare): \(reason)"
    }

    private var reason: String {
        let location = atomPlace
        let before = PatternAtom.text(atoms.prefix(location))
        let lead = before.isEmpty ? "it" : "after \(before.bare) it"
        switch stop.kind {
        case .mismatch: return "\(lead) needs \(needed(at: location)), \(found)"
        case .nowhere:
            let from = stop.position == 0 ? "in it" : "from character \(stop.position + 1) on"
            return "\(lead) needs \(needed(at: location)), which stands nowhere \(from)"
        case .notAtEnd: return "it needs \(PatternAtom.text(atoms.dropFirst(location)).bare) at its end"
        case .leftover: return "\(lead) needs the end, \(found)"
        case .neitherSlashNorEnd: return "\(lead) needs / or the end, \(found)"
        }
    }

    /// The number of pieces of the pattern in front of the location where the comparison got stuck.
    private var atomPlace: Int {
        switch stop.kind {
        case .mismatch, .nowhere, .notAtEnd:
            store.tokens.indices.contains(stop.token) ? store.tokens[stop.token].atom + stop.within : atoms.count
        case .leftover: atoms.count
        case .neitherSlashNorEnd: atoms.count - 2
        }
    }

    private func needed(at location: Int) -> String {
        guard location < atoms.count else { return "the end" }
        switch atoms[location] {
        case .any: return "one more character"
        case .star: return "anything"
        case .scalar:
            let literal = atoms[location...].prefix { atom in
                if case .scalar = atom { return true }
                return false
            }
            return PatternAtom.text(literal).bare
        case .variable(let name):
            return switch BuiltInVariable(name) {
            case .one(let characters): characters.phrase
            case .codes: "a code of $(\(name))"
            case nil: "a value of \("$(\(name))".bare)"
            }
        }
    }

    private var found: String {
        guard stop.position < value.count else { return "but it ends there" }
        let scalar = Unicode.Scalar(value[stop.position]) ?? "\u{FFFD}"
        return "found \(scalar.shown) at character \(stop.position + 1)"
    }
}
