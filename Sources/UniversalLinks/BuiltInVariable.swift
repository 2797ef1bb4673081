/// A substitution variable that needs no definition (Apple, "applinks"); names are case-sensitive.
enum BuiltInVariable {
    /// One character of a class.
    case one(CharacterClass)
    /// One code of a list.
    case codes([String])

    init?(_ name: String) {
        switch name {
        case "lang": self = .codes(ISOCodes.languages)
        case "region": self = .codes(ISOCodes.regions)
        case _:
            guard let characters = CharacterClass(rawValue: name) else { return nil }
            self = .one(characters)
        }
    }
}
