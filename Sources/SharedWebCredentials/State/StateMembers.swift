import AssociatedDomains
import AssociationChecker
import Platform
import SourceJSON

/// The members of an object of the state, each taken once; what is left over at the end is an error.
struct StateMembers {
    typealias Malformed = DeviceState.Malformed

    private let place: SourceLocation
    private var left: [String: JSONValue] = [:]
    private var keyPlaces: [String: SourceLocation] = [:]

    /// - Parameters:
    ///   - value: what should be an object.
    ///   - key: the key that it stands at.
    init(_ value: JSONValue, key: String) throws(Malformed) {
        guard let object = value.object else { throw .value(key: key, expected: "an object", value.location) }
        place = value.location
        for member in object.members {
            guard left.updateValue(member.value, forKey: member.key) == nil else {
                throw .repeated(key: member.key, member.keyLocation)
            }
            keyPlaces[member.key] = member.keyLocation
        }
    }

    /// Complains of what nobody took.
    func end() throws(Malformed) {
        let unknown = left.keys.compactMap { key in keyPlaces[key].map { (key: key, place: $0) } }
        if let first = unknown.min(by: { $0.place < $1.place }) { throw .unknown(key: first.key, first.place) }
    }

    mutating func text(_ key: String) throws(Malformed) -> String {
        try take(key, "a string") { $0.string }
    }

    mutating func truth(_ key: String) throws(Malformed) -> Bool {
        try take(key, "true or false") { $0.boolean }
    }

    mutating func number(_ key: String, _ range: ClosedRange<Int>) throws(Malformed) -> Int {
        try take(key, "a number from \(range.lowerBound) to \(range.upperBound)") { value in
            value.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func time(_ key: String) throws(Malformed) -> UnixTime? {
        try take(key, "seconds since 1970, or null") { value in
            if case .null = value.content { return .some(nil) }
            return value.integer.flatMap { (0...SimulatedDevice.endOfTime).contains(UnixTime($0)) ? UnixTime($0) : nil }
        }
    }

    mutating func optionalPort(_ key: String) throws(Malformed) -> UInt16? {
        guard left[key] != nil else { return nil }
        return UInt16(try number(key, 1...65_535))
    }

    mutating func word<Word: RawRepresentable<String> & CaseIterable>(_ key: String) throws(Malformed) -> Word {
        let words = Word.allCases.map(\.rawValue.quoted).joined(separator: ", ")
        return try take(key, "one of \(words)") { $0.string.flatMap(Word.init) }
    }

    mutating func app(_ key: String) throws(Malformed) -> AppIdentifier {
        try take(key, "an application identifier") { value in value.string.flatMap { try? AppIdentifier($0) } }
    }

    mutating func entry(_ key: String) throws(Malformed) -> AssociatedDomain {
        try take(key, "an entry of an entitlement") { value in value.string.flatMap { try? AssociatedDomain($0) } }
    }

    mutating func list(_ key: String) throws(Malformed) -> [JSONValue] {
        try take(key, "an array") { $0.array }
    }

    mutating func texts(_ key: String) throws(Malformed) -> [String] {
        try take(key, "an array of strings") { value in
            guard let elements = value.array else { return nil }
            let texts = elements.compactMap(\.string)
            return texts.count == elements.count ? texts : nil
        }
    }

    mutating func members(_ key: String) throws(Malformed) -> StateMembers {
        try StateMembers(take(key, "an object") { $0 }, key: key)
    }

    mutating func optionalMembers(_ key: String) throws(Malformed) -> StateMembers? {
        let value = try take(key, "an object or null") { $0 }
        if case .null = value.content { return nil }
        return try StateMembers(value, key: key)
    }

    mutating func rule(_ key: String) throws(Malformed) -> PromptPolicy.Rule? {
        guard let value = left[key] else { return nil }
        guard value.object == nil else {
            var account = try members(key)
            let rule = PromptPolicy.Rule.account(try account.text("account"))
            try account.end()
            return rule
        }
        return try take(key, "an answer") { value in
            value.string.flatMap { ["yes": .yes, "no": .no, "never": .never][$0] }
        }
    }

    private mutating func take<Value>(
        _ key: String, _ expected: String, _ convert: (JSONValue) -> Value?
    ) throws(Malformed) -> Value {
        guard let value = left.removeValue(forKey: key) else { throw .missing(key: key, place) }
        guard let converted = convert(value) else { throw .value(key: key, expected: expected, value.location) }
        return converted
    }
}
