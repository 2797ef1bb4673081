/// HTML escaping of text.
package enum HTMLText {
    /// Escapes the five special characters of HTML.
    ///
    /// It escapes scalars, because browsers parse scalars. A quote with a combining mark is one `Character`, but a
    /// browser still recognizes the quote.
    /// - Returns: text for an element or a quoted attribute value.
    package static func escape(_ text: String) -> String {
        // All five are ASCII, so their bytes are no part of another scalar. Most texts contain none of them.
        guard text.utf8.contains(where: { entity(of: $0) != nil }) else { return text }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(text.utf8.count * 2)
        for byte in text.utf8 {
            if let entity = entity(of: byte) { escaped += entity } else { escaped.append(byte) }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func entity(of byte: UInt8) -> [UInt8]? {
        switch byte {
        case UInt8(ascii: "&"): entities[0]
        case UInt8(ascii: "<"): entities[1]
        case UInt8(ascii: ">"): entities[2]
        case UInt8(ascii: "\""): entities[3]
        case UInt8(ascii: "'"): entities[4]
        default: nil
        }
    }

    private static let entities = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"].map { Array($0.utf8) }
}
