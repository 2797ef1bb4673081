extension String {
    /// Whether one of the secrets stands in the text, byte for byte or in another composition of the same characters.
    ///
    /// - Parameter secrets: none of them empty.
    func holds(oneOf secrets: [String]) -> Bool {
        secrets.contains { secret in contains(secret) || Array(utf8).contains(Array(secret.utf8)) }
    }

    /// Whether it is a word as the API's codes are (`^[a-z_]+$`), and short.
    var isCode: Bool {
        (1...64).contains(utf8.count) && utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
    }

    /// Whether it can stand after `Bearer` (b64token, RFC 6750 §2.1), and is short.
    var isBearerToken: Bool {
        let core = utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard (1...4_096).contains(utf8.count), !core.isEmpty else { return false }
        return core.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~+/".utf8.contains(byte)
        }
    }

    /// Whether it can be shown as a name: something, not long, and nothing that begins a line or commands a terminal.
    var isShortLine: Bool {
        guard (1...1_024).contains(utf8.count) else { return false }
        return unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: false
            case _: true
            }
        }
    }
}
