import HTTPSClient

/// The patterns of a file, compiled into a few flat arrays: matching follows indices and allocates nothing.
package struct PatternStore: Sendable {
    /// What a piece of a URL has to be.
    package enum Token: Sendable {
        /// Characters as they are, a range of `literals`.
        case literal(start: Int, count: Int)
        case any
        /// Only inside of a value of a variable; elsewhere a `*` separates two segments.
        case star
        case one(CharacterClass)
        /// An index into `variables`.
        case variable(Int)
    }

    /// A token, and which piece of the pattern's text it begins with.
    struct PlacedToken: Sendable {
        var token: Token
        let atom: Int
    }

    /// What stands between two `*` of a pattern.
    package struct Segment: Sendable {
        /// The tokens, a range of `tokens`.
        let tokens: Range<Int>
        /// The number of characters, or nil when a variable with values of different forms is in it.
        package let length: Int?
    }

    package struct Pattern: Sendable {
        /// The pattern as written in the file, for the explanation.
        package let text: String
        package let part: URLPart
        let variant: ComparisonVariant
        /// A range of `segments`, never empty.
        package let segments: Range<Int>
        /// Whether the pattern ends in `/*`, which the end of the path satisfies too.
        let hasTail: Bool
        /// Whether every part of a URL matches.
        let isCatchAll: Bool
        /// The characters that a part has to begin with, a range of `literals`: most patterns fail there.
        package let prefix: Range<Int>
        /// The pairs of characters that a part has to have.
        let neededPairs: PairSet
    }

    /// An own variable, or one of codes.
    package struct Variable: Sendable {
        /// The values without wildcards: ranges of `literals`, sorted, each once.
        package var words: [Range<Int>] = []
        /// The values with wildcards: ranges of `tokens`.
        package var wildcards: [Range<Int>] = []
    }

    /// An item that a query has to have, with the pattern of its value.
    struct QueryItem: Sendable {
        /// The name, which is compared exactly.
        package let name: [UInt32]
        let nameText: String
        /// An index into `patterns`.
        package let pattern: Int
    }

    var literals: [UInt32] = []
    var tokens: [PlacedToken] = []
    package var segments: [Segment] = []
    package var patterns: [Pattern] = []
    package var variables: [Variable] = []
    /// The dictionaries of query items, each once.
    var queries: [[QueryItem]] = []
    /// The names of the own variables.
    var variableNames: Set<String> = []

    /// The pieces of a pattern in the form in which they are compared.
    package func atoms(of text: String, part: URLPart) -> [PatternAtom] {
        let atoms = PatternAtom.atoms(of: text) { BuiltInVariable($0) != nil || variableNames.contains($0) }
        return part == .path ? PatternAtom.normalizedPath(atoms) : atoms
    }
}

/// The form in which a part of a URL is compared.
struct ComparisonVariant: Hashable, Sendable {
    package let caseSensitive: Bool
    package let percentEncoded: Bool

    /// 0 to 3.
    package var index: Int { (caseSensitive ? 0 : 1) + (percentEncoded ? 0 : 2) }

    package static let all = [
        ComparisonVariant(caseSensitive: true, percentEncoded: true),
        ComparisonVariant(caseSensitive: false, percentEncoded: true),
        ComparisonVariant(caseSensitive: true, percentEncoded: false),
        ComparisonVariant(caseSensitive: false, percentEncoded: false),
    ]
}
