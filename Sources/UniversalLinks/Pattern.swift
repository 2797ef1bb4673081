import HTTPSClient

/// The smallest part of a pattern: a character, a wildcard or a substitution variable.
package enum PatternAtom: Hashable, Sendable {
    case scalar(UInt32)
    /// `?`, exactly one character.
    case any
    /// `*`, any number of characters.
    case star
    /// `$(name)`, a substitution variable.
    case variable(String)

    /// Splits a pattern into atoms. Patterns have no escapes.
    /// - Parameter isVariable: Returns whether a name is a variable. Any other `$(…)` is literal text.
    package static func atoms(of text: String, isVariable: (String) -> Bool) -> [PatternAtom] {
        var atoms: [PatternAtom] = []
        let scalars = text.unicodeScalars
        atoms.reserveCapacity(text.utf8.count)
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            if scalar == "$", next < scalars.endIndex, scalars[next] == "(" {
                // A name contains no `$`, so the search never skips the start of another variable.
                let rest = scalars[next...].dropFirst()
                let end = rest.firstIndex { $0 == ")" || $0 == "$" }
                if let end, scalars[end] == ")" {
                    let name = String(rest[..<end])
                    if isVariable(name) {
                        atoms.append(.variable(name))
                        index = scalars.index(after: end)
                        continue
                    }
                }
            }
            switch scalar {
            case "*": atoms.append(.star)
            case "?": atoms.append(.any)
            case _: atoms.append(.scalar(scalar.value))
            }
            index = next
        }
        return atoms
    }

    static func atoms(of text: String, part: URLPart, names: Set<String>) -> [PatternAtom] {
        let atoms = atoms(of: text) { BuiltInVariable($0) != nil || names.contains($0) }
        return part == .path ? normalized(atoms, slash: .scalar(0x2F), star: .star) : atoms
    }

    package static func text(_ atoms: some Sequence<PatternAtom>) -> String {
        var text = String.UnicodeScalarView()
        for atom in atoms {
            switch atom {
            case .scalar(let value): text.append(Unicode.Scalar(value) ?? "\u{FFFD}")
            case .any: text.append("?")
            case .star: text.append("*")
            case .variable(let name): text.append(contentsOf: "$(\(name))".unicodeScalars)
            }
        }
        return String(text)
    }
}

/// Normalizes a path: one leading slash, no trailing slash except for the root, no `//` and no `**`.
func normalizedPath(_ scalars: [UInt32]) -> [UInt32] { normalized(scalars, slash: 0x2F, star: 0x2A) }

/// Normalizes a path, or the atoms of its pattern before variables are replaced by their values.
private func normalized<Part: Equatable>(_ parts: [Part], slash: Part, star: Part) -> [Part] {
    var normal = [slash]
    normal.reserveCapacity(parts.count + 1)
    for part in parts where !((part == slash || part == star) && normal.last == part) { normal.append(part) }
    if normal.count > 1, normal.last == slash { normal.removeLast() }
    return normal
}

enum PatternStep: Comparable, Hashable, Sendable {
    /// One character from a row of `MatchText`: an ASCII character, any character or a character in a class.
    case row(Int)
    /// One character outside ASCII.
    case scalar(UInt32)
    /// Any number of characters.
    case star
    /// A value of a variable, by its index.
    case variable(Int)

    /// The literal character of this step.
    var literal: UInt32? {
        switch self {
        case .row(let row): row < 0x80 ? UInt32(row) : nil
        case .scalar(let value): value
        case .star, .variable: nil
        }
    }
}

/// A compiled pattern. Step n belongs to atom n of the normalized text.
struct Pattern: Sendable {
    /// The pattern as written in the file.
    let text: String
    let steps: [PatternStep]
    /// Whether the path pattern ends in `/*`, which also matches at the end of the path. These two atoms have no steps.
    let hasTail: Bool

    init(_ text: String, steps: [PatternStep], isPath: Bool) {
        self.text = text
        hasTail = isPath && steps.last == .star && steps.count > 1 && steps[steps.count - 2] == .row(0x2F)
        self.steps = hasTail ? Array(steps[..<(steps.count - 2)]) : steps
    }

    var matchesEverything: Bool { (hasTail || !steps.isEmpty) && steps.allSatisfy { $0 == .star } }

    /// The pairs of characters that every matching text contains, except pairs from the values of variables.
    var requiredPairs: PairSet {
        var pairs = PairSet()
        for (first, second) in zip(steps, steps.dropFirst()) {
            if let first = first.literal, let second = second.literal { pairs.insert(first, second) }
        }
        return pairs
    }
}
