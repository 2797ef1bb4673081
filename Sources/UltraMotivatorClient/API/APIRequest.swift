import HTTPSClient
import MotivatorPlatform

struct APIRequest: Sendable {
    var method = "POST"
    let path: String
    var success = 200
    /// The members of the content, in order; empty for a request without content.
    var members: [(name: String, value: String)] = []
    /// The content instead of the members, for a call whose values are not only strings.
    var document: JSONNode?
    var token: String?
    private static let secretMembers: Set<String> = ["password", "current_password", "new_password"]

    /// The values that must not appear in error messages.
    var secrets: [String] {
        (members.filter { Self.secretMembers.contains($0.name) }.map(\.value) + [token].compactMap(\.self))
            .filter { !$0.isEmpty }
    }

    func sent(to server: ServerAddress) -> FetchRequest {
        var fields = [(name: "Accept", value: "application/json")]
        if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
        var content: [UInt8] = []
        if let document = document ?? (members.isEmpty ? nil : .members(members.map { ($0.name, .text($0.value)) })) {
            fields.append((name: "Content-Type", value: "application/json"))
            content = document.bytes()
        }
        return FetchRequest(
            method: method, host: server.host, port: server.port, target: path, fields: fields, content: content)
    }
}

extension String {
    /// Returns whether the text contains one of the secrets, byte for byte or in another Unicode normalization.
    /// - Parameter secrets: the secrets, none of them empty.
    func holds(oneOf secrets: [String]) -> Bool {
        secrets.contains { secret in contains(secret) || Array(utf8).contains(Array(secret.utf8)) }
    }

    /// Whether the text is a short code of the API (`^[a-z_]+$`).
    var isCode: Bool {
        (1...64).contains(utf8.count) && utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F }
    }

    /// Whether the text is a short bearer token (b64token, RFC 6750 §2.1).
    var isBearerToken: Bool {
        let core = utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard (1...4_096).contains(utf8.count), !core.isEmpty else { return false }
        return core.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-._~+/".utf8.contains(byte)
        }
    }

    /// Whether the text can be displayed as a name: not empty, short, and without line breaks or control characters.
    var isShortLine: Bool {
        guard (1...1_024).contains(utf8.count) else { return false }
        let excluded: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
        return unicodeScalars.allSatisfy { !excluded.contains($0.properties.generalCategory) }
    }
}
