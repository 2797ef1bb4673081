/// A second decoder for chunked content (RFC 9112 §7.1). For clarity, it needs the whole input and has no limits.
enum ReferenceDecoder {
    enum Result {
        /// A complete body, perhaps followed by more bytes.
        case complete([UInt8])
        /// An invalid body: malformed or truncated.
        case invalid
        /// Whitespace before an extension. A recipient may parse or reject it.
        case undecided
    }

    static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Result {
        var rest = bytes[...]
        var content: [UInt8] = []
        while true {
            guard let line = takeLine(&rest) else { return .invalid }
            let digits = line.prefix(while: isHexadecimal)
            guard !digits.isEmpty, digits.count <= 16 else { return .invalid }
            let tail = line[digits.endIndex...]
            if let first = tail.first, first == 0x20 || first == 0x09 { return .undecided }
            guard isExtensions(tail) else { return .invalid }
            // 16 digits fit into 64 bits. No data can have a size above Int.max.
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else { return .invalid }
            if size == 0 { return takeTrailers(&rest) ? .complete(content) : .invalid }
            guard rest.count >= 2, size <= rest.count - 2 else { return .invalid }
            content += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard rest.prefix(2).elementsEqual([0x0D, 0x0A]) else { return .invalid }
            rest = rest.dropFirst(2)
        }
    }

    /// Returns the bytes up to the next LF. A CR must precede the LF.
    private static func takeLine(
        _ rest: inout Slice<UnsafeBufferPointer<UInt8>>
    ) -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard let end = rest.firstIndex(of: 0x0A), end > rest.startIndex, rest[end - 1] == 0x0D else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<(end - 1)]
    }

    private static func takeTrailers(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        while let line = takeLine(&rest) {
            if line.isEmpty { return true }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(isToken),
                line[(colon + 1)...].allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F })
            else { return false }
        }
        return false
    }

    /// Parses `*( ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`, without whitespace at the end.
    private static func isExtensions(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var rest = text
        func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }
        func takeToken() -> Bool {
            let name = rest.prefix(while: isToken)
            rest = rest[name.endIndex...]
            return !name.isEmpty
        }
        func takeQuoted() -> Bool {
            guard rest.first == UInt8(ascii: "\"") else { return false }
            rest = rest.dropFirst()
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return true }
                guard isText(byte) else { return false }
                if byte == UInt8(ascii: "\\") {
                    guard let escaped = rest.popFirst(), isText(escaped) else { return false }
                }
            }
            return false
        }
        while !rest.isEmpty {
            guard rest.popFirst() == UInt8(ascii: ";") else { return false }
            skipSpace()
            guard takeToken() else { return false }
            var afterSpace = rest
            skipSpace()
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                skipSpace()
                guard takeToken() || takeQuoted() else { return false }
                afterSpace = rest
                skipSpace()
            }
            // Whitespace is valid only before ";" and "=", not at the end.
            if rest.isEmpty, !afterSpace.isEmpty { return false }
        }
        return true
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
    }

    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || byte >= 0x20 && byte != 0x7F }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case _: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
