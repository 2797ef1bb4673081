import MotivatorPlatform
import SourceJSON
import Testing

@testable import UltraMotivator

/// A client of the API: an app or a command-line tool. It sends neither cookies nor the fields that browsers add.
struct Caller {
    let backend: Backend
    let address: String

    init(_ backend: Backend, from address: String = "192.0.2.1") {
        self.backend = backend
        self.address = address
    }

    /// Calls the API with JSON content.
    func call(
        _ path: String, _ content: String = "{}", method: String = "POST", token: String? = nil,
        _ lines: [String] = []
    ) async throws -> Reply {
        let authorization = token.map { ["Authorization: Bearer \($0)"] } ?? []
        return try await send(method, path, ["Content-Type: application/json"] + authorization + lines, content)
    }

    func send(_ method: String, _ path: String, _ lines: [String], _ content: String = "") async throws -> Reply {
        try await backend.send(method, path, ["Host: \(Backend.host)"] + lines, content: content, from: address)
    }

    /// Creates an account, and returns its token.
    func signUp(_ name: String, _ password: String = Browser.password) async throws -> String {
        let reply = try await call("/api/signup", Self.object(["username": name, "password": password]))
        return try #require(reply.members?["token"], "\(reply.status): \(reply.text)")
    }

    /// Returns whether the name and the password are correct.
    func signsIn(_ name: String, _ password: String = Browser.password) async throws -> Bool {
        try await call("/api/signin", Self.object(["username": name, "password": password])).status == 200
    }

    /// Returns a JSON object of strings.
    static func object(_ members: KeyValuePairs<String, String>) -> String {
        "{" + members.map { "\(JSONText.quote($0.key)): \(JSONText.quote($0.value))" }.joined(separator: ", ") + "}"
    }
}

/// The description of a call in the OpenAPI document.
struct DescribedCall {
    let statuses: Set<Int>
    /// The members of the content of a successful response.
    let members: Set<String>
    let successStatus: Int?
    /// The codes of the error responses, by status.
    let codes: [Int: Set<String>]
    private let request: JSONObject?

    init(_ method: String, _ path: String, in document: JSONDocument) throws {
        let operation = try #require(
            document.root.object?["paths"]?.object?[path]?.object?[method.lowercased()]?.object)
        let responses = try #require(operation["responses"]?.object).members
        statuses = Set(responses.compactMap { Int($0.key) })
        let success = responses.first { $0.key.hasPrefix("2") }
        successStatus = success.flatMap { Int($0.key) }
        let schema = success?.value.object?["content"]?.object?["application/json"]?.object?["schema"]?.object
        members = Set(schema?["required"]?.array?.compactMap(\.string) ?? [])
        codes = responses.reduce(into: [:]) { codes, response in
            let content = response.value.object?["content"]?.object?["application/json"]?.object
            let code = content?["schema"]?.object?["allOf"]?.array?.last?.object?["properties"]?.object?["code"]?.object
            codes[Int(response.key) ?? 0] = Set(code?["enum"]?.array?.compactMap(\.string) ?? [])
        }
        request =
            operation["requestBody"]?.object?["content"]?.object?["application/json"]?.object?["schema"]?.object?[
                "properties"]?.object
    }

    /// Returns the pattern of a member of the request.
    func pattern(_ member: String) throws -> Regex<AnyRegexOutput> {
        // A pattern matches code points, as with the flag u in ECMAScript.
        try Regex(try #require(request?[member]?.object?["pattern"]?.string)).matchingSemantics(.unicodeScalar)
    }
}
