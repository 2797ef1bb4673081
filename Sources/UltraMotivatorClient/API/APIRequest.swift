import HTTPSClient
import Platform

/// A call of the API before it is sent.
struct APIRequest: Sendable {
    let method: String
    let path: String
    /// The status of success.
    let success: Int
    /// The members of the content in their order; empty for none.
    var members: [(name: String, value: String)] = []
    var token: String?
    /// The members that must not be seen in an error's text.
    private static let secretMembers: Set<String> = ["password", "current_password", "new_password"]

    /// What must not be seen in an error's text.
    var secrets: [String] {
        (members.filter { Self.secretMembers.contains($0.name) }.map(\.value) + [token].compactMap(\.self))
            .filter { !$0.isEmpty }
    }

    /// The request as it is sent.
    func sent(to server: ServerAddress) -> FetchRequest {
        var fields = [(name: "Accept", value: "application/json")]
        if let token { fields.append((name: "Authorization", value: "Bearer \(token)")) }
        var content: [UInt8] = []
        if !members.isEmpty {
            fields.append((name: "Content-Type", value: "application/json"))
            content = JSONNode.members(members.map { (key: $0.name, value: .text($0.value)) }).bytes()
        }
        return FetchRequest(
            method: method, host: server.host, port: server.port, target: path, fields: fields, content: content)
    }
}
