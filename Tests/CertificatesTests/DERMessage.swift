/// Decodes a signed message and encodes it with changes (X.690 §8.1), to create messages that no tool writes.
enum DERMessage {
    struct Element {
        let tag: UInt8
        var content: [UInt8]
    }

    /// Returns the message with its digest algorithm repeated.
    static func repeatingDigests(_ message: [UInt8], _ count: Int) -> [UInt8] {
        changing(message) { signedData in
            guard signedData.count > 1 else { return }
            let one = signedData[1].content
            signedData[1].content = Array(repeatElement(one, count: count).joined())
        }
    }

    /// Returns ContentInfo { contentType, [0] SignedData { … } } with changed parts of the signed data.
    static func changing(_ message: [UInt8], _ change: (inout [Element]) -> Void) -> [UInt8] {
        inside(message) { information in
            guard information.count == 2 else { return }
            information[1].content = inside(information[1].content, change)
        }
    }

    /// Changes the elements inside the outermost element.
    private static func inside(_ bytes: [UInt8], _ change: (inout [Element]) -> Void) -> [UInt8] {
        guard let outer = elements(bytes).first else { return bytes }
        var parts = elements(outer.content)
        change(&parts)
        return encode(Element(tag: outer.tag, content: parts.flatMap(encode)))
    }

    private static func elements(_ bytes: [UInt8]) -> [Element] {
        var found: [Element] = []
        var place = 0
        while place + 1 < bytes.count {
            let tag = bytes[place]
            var length = Int(bytes[place + 1])
            place += 2
            if length & 0x80 != 0 {
                let size = length & 0x7F
                length = bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
                place += size
            }
            found.append(Element(tag: tag, content: Array(bytes[place..<place + length])))
            place += length
        }
        return found
    }

    private static func encode(_ element: Element) -> [UInt8] {
        let count = element.content.count
        guard count > 127 else { return [element.tag, UInt8(count)] + element.content }
        var digits: [UInt8] = []
        var rest = count
        while rest > 0 {
            digits.insert(UInt8(rest & 0xFF), at: 0)
            rest >>= 8
        }
        return [element.tag, 0x80 | UInt8(digits.count)] + digits + element.content
    }
}
