import Foundation

/// Base64 without padding (RFC 4648), with the standard alphabet for hashes and the URL-safe alphabet for tokens.
package enum Base64 {
    package enum Alphabet {
        case standard, urlSafe
    }

    package static func encode(_ bytes: [UInt8], _ alphabet: Alphabet) -> String {
        let text = Data(bytes).base64EncodedString().replacing("=", with: "")
        switch alphabet {
        case .standard: return text
        case .urlSafe: return text.replacing("+", with: "-").replacing("/", with: "_")
        }
    }

    /// Decodes canonical base64. Returns nil for any other text.
    package static func decode(_ text: some Collection<UInt8>, _ alphabet: Alphabet) -> [UInt8]? {
        let text = String(decoding: text, as: UTF8.self)
        var standard = text
        if case .urlSafe = alphabet { standard = text.replacing("-", with: "+").replacing("_", with: "/") }
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        // Foundation also accepts non-canonical encodings.
        guard let data = Data(base64Encoded: standard + padding), encode([UInt8](data), alphabet) == text else {
            return nil
        }
        return [UInt8](data)
    }
}
