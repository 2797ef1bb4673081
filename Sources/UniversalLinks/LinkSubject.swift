import HTTPSClient

/// A URL in the forms in which a file's patterns are compared with it.
struct LinkSubject {
    /// An item of a query: what stands between two `&`.
    struct Item {
        /// The name, never in folded case.
        package let name: [UInt32]
        /// What follows the first `=`, or nothing.
        package let value: [UInt32]
    }

    /// By the index of the variant; empty for one that was not asked for.
    private(set) var paths = [[UInt32]](repeating: [], count: 4)
    /// The pairs of characters in each of the paths.
    private(set) var pathPairs = [PairSet](repeating: PairSet(), count: 4)
    private(set) var queries = [[UInt32]](repeating: [], count: 4)
    private(set) var fragments = [[UInt32]](repeating: [], count: 4)
    private(set) var items = [[Item]](repeating: [], count: 4)

    /// - Parameters:
    ///   - url: the URL.
    ///   - variants: a bit for each variant that is needed.
    ///   - itemVariants: the same for the items of the query.
    init(_ url: WebURL, variants: UInt8, itemVariants: UInt8) {
        for variant in ComparisonVariant.all where (variants | itemVariants) & variant.bit != 0 {
            paths[variant.index] = normalizedPath(variant.scalars(of: url.path))
            pathPairs[variant.index] = PairSet(paths[variant.index][...])
            queries[variant.index] = variant.scalars(of: url.query ?? "")
            fragments[variant.index] = variant.scalars(of: url.fragment ?? "")
            if itemVariants & variant.bit != 0, let query = url.query {
                items[variant.index] = LinkSubject.items(of: query, variant)
            }
        }
    }

    package func scalars(_ part: URLPart, _ variant: ComparisonVariant) -> [UInt32] {
        switch part {
        case .path: paths[variant.index]
        case .query: queries[variant.index]
        case .fragment: fragments[variant.index]
        }
    }

    private static func items(of query: String, _ variant: ComparisonVariant) -> [Item] {
        // The names are compared as they are: they are keys, not patterns.
        let exact = ComparisonVariant(caseSensitive: true, percentEncoded: variant.percentEncoded)
        return query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map { item in
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            return Item(
                name: exact.scalars(of: String(item[..<equals]) ?? ""),
                value: variant.scalars(of: String(item[equals...].dropFirst()) ?? ""))
        }
    }
}

extension ComparisonVariant {
    var bit: UInt8 { 1 << UInt8(index) }

    /// The characters of a part of a URL as they are compared.
    ///
    /// A part whose bytes are no UTF-8 cannot be decoded, and stays as it is written.
    package func scalars(of text: String) -> [UInt32] {
        let decoded = percentEncoded ? text : (ComparisonVariant.decode(text) ?? text)
        return decoded.unicodeScalars.map { caseSensitive ? $0.value : $0.folded.value }
    }

    private static func decode(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = digit(rest.first), let low = digit(rest.dropFirst().first) {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (0x30...0x39).contains(byte): byte - 0x30
        case .some(let byte) where (0x41...0x46).contains(byte & 0xDF): (byte & 0xDF) - 0x37
        case _: nil
        }
    }
}
