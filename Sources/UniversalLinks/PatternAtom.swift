/// The smallest piece of a pattern: a character, a wildcard or a substitution variable.
package enum PatternAtom: Hashable, Sendable {
    case scalar(UInt32)
    /// `?`, exactly one character.
    case any
    /// `*`, any number of characters.
    case star
    /// `$(name)` with a name that means something.
    case variable(String)

    /// Takes a pattern apart; there are no escapes in it.
    ///
    /// - Parameters:
    ///   - text: the pattern.
    ///   - isVariable: whether a name is that of a substitution variable; another `$(…)` is taken as it stands.
    package static func atoms(of text: String, isVariable: (String) -> Bool) -> [PatternAtom] {
        var atoms: [PatternAtom] = []
        let scalars = text.unicodeScalars
        atoms.reserveCapacity(text.utf8.count)
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            if scalar == "$", next < scalars.endIndex, scalars[next] == "(" {
                // A name has no `$` in it, so that the search never passes over the beginning of another variable.
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

    /// The form of a path pattern that is compared with a path in `normalizedPath` form.
    ///
    /// It is made of the pattern as written, before the values of variables are put in.
    static func normalizedPath(_ atoms: [PatternAtom]) -> [PatternAtom] {
        let slash = PatternAtom.scalar(0x2F)
        var normal: [PatternAtom] = []
        normal.reserveCapacity(atoms.count + 1)
        normal.append(slash)
        for atom in atoms where !((atom == slash || atom == .star) && normal.last == atom) { normal.append(atom) }
        if normal.count > 1, normal.last == slash { normal.removeLast() }
        return normal
    }

    /// Pieces as they are written.
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

/// A path of a URL in the form in which paths are compared: it begins with a slash, does not end with one unless it is
/// the root, and has neither `//` nor `**`.
func normalizedPath(_ scalars: [UInt32]) -> [UInt32] {
    let (slash, star) = (UInt32(0x2F), UInt32(0x2A))
    var normal: [UInt32] = [slash]
    for scalar in scalars where !((scalar == slash || scalar == star) && normal.last == scalar) {
        normal.append(scalar)
    }
    if normal.count > 1, normal.last == slash { normal.removeLast() }
    return normal
}
