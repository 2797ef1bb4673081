import SourceJSON

/// The values of a component, or of `defaults`, as they stand in the file.
struct ComponentKeys {
    package var path: JSONValue?
    package var query: JSONValue?
    package var fragment: JSONValue?
    package var exclude: JSONValue?
    package var caseSensitive: JSONValue?
    package var percentEncoded: JSONValue?

    /// Takes a member with a key that means something; the first of its key counts.
    package mutating func take(_ member: JSONObject.Member) {
        switch member.key {
        case "/": path = path ?? member.value
        case "?": query = query ?? member.value
        case "#": fragment = fragment ?? member.value
        case "exclude": exclude = exclude ?? member.value
        case "caseSensitive": caseSensitive = caseSensitive ?? member.value
        case "percentEncoded": percentEncoded = percentEncoded ?? member.value
        case _: return
        }
    }

    /// These values, and those of `defaults` for what is missing.
    package func over(_ defaults: ComponentKeys) -> ComponentKeys {
        ComponentKeys(
            path: path ?? defaults.path, query: query ?? defaults.query, fragment: fragment ?? defaults.fragment,
            exclude: exclude ?? defaults.exclude, caseSensitive: caseSensitive ?? defaults.caseSensitive,
            percentEncoded: percentEncoded ?? defaults.percentEncoded)
    }
}
