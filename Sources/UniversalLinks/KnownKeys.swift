/// The keys that a device knows in each object of the service `applinks`.
package enum KnownKeys {
    package static let applinks = ["apps", "details", "defaults", "substitutionVariables"]
    package static let detail = ["appIDs", "appID", "components", "paths", "defaults"]
    package static let component = ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]
    package static let defaults = ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded"]

    /// Words that are written where a sign is meant.
    private static let words = [
        "path": "/", "paths": "/", "query": "?", "queries": "?", "fragment": "#", "anchor": "#", "not": "exclude",
        "excluded": "exclude", "ignorecase": "caseSensitive",
    ]

    /// What is to be said of a key that is not among the known ones.
    package static func remark(on key: String, known: [String]) -> UniversalLinks.Remark.Kind {
        // A comment under another name comments as well.
        let candidates = known.filter { $0.utf8.count > 1 && $0 != "comment" }
        let lowered = key.lowercased()
        if let word = words[lowered], known.contains(word) { return .misspeltKey(key, meant: word) }
        let trimmed = key.filter { !$0.isWhitespace }
        if known.contains(trimmed) { return .misspeltKey(key, meant: trimmed) }
        let near = candidates.map { ($0, distance($0.lowercased(), lowered)) }.min { $0.1 < $1.1 }
        guard let near, near.1 <= 2 else { return .unknownKey(key) }
        return .misspeltKey(key, meant: near.0)
    }

    /// The number of bytes to insert, remove or replace (Levenshtein); keys of very different length are far apart.
    private static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard abs(one.count - other.count) <= 2 else { return .max }
        var row = Array(0...other.count)
        for (index, byte) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let replaced = diagonal + (byte == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
