extension Entitlements {
    /// What is wrong with a binary property list.
    public enum BinaryMistake: String, Hashable, Sendable {
        case tooShort = "the binary property list is cut off"
        case trailer = "the trailer of the binary property list contradicts its size"
        case offset = "an object of the binary property list begins outside of it"
        case reference = "an object of the binary property list refers to one that is not there"
        case length = "an object of the binary property list goes beyond its end"
        case text = "a string of the binary property list is neither ASCII nor UTF-16"
        case key = "a key of the binary property list is not a string"
        case unknownObject = "the binary property list has an object of an unknown kind"
        case repetition = "the binary property list repeats its strings more often than entitlements can need"
    }
}
