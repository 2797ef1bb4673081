import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import SourceJSON

/// The template data for the API documentation page.
struct Documentation: Sendable {
    struct Call: Sendable {
        let operation: Operation
        /// The subject, for the first call of a subject.
        var heading: String?
        let method: String
        let parameters: [(name: String, traits: String, meaning: String, example: String)]
        /// A curl command for a POSIX shell. It reads the token from the variable TOKEN.
        let curl: String
        let request: String?
        let response: String
        /// The errors that are not common to most calls.
        let failures: [(status: Int, name: String)]
        /// The method of the form; nil for a call that a form cannot send.
        let trialMethod: String?
        let action: String
    }

    let origin: String
    let calls: [Call]
    let failures = Operation.meanings.sorted { $0.key < $1.key }.map { (status: $0.key, meaning: $0.value) }

    init(_ operations: [Operation], at origin: String) {
        self.origin = origin
        // The calls of a subject are adjacent. The sort keeps the order of a subject's calls.
        let tags = operations.map(\.tag).distinct
        calls = tags.flatMap { tag in
            operations.filter { $0.tag == tag }.enumerated().map { index, operation in
                Call(operation, at: origin, heading: index == 0 ? tag : nil)
            }
        }
    }
}

extension Documentation.Call {
    fileprivate init(_ operation: Operation, at origin: String, heading: String?) {
        self.heading = heading
        self.operation = operation
        method = operation.method.name
        parameters =
            operation.query.map { Self.parameter($0, "optional") }
            + (operation.request ?? []).map { Self.parameter($0, $0.isOptional ? "optional" : "required") }
        request = operation.request.map { Self.example($0) }
        response = Self.example(operation.response, shortened: true)
        failures = operation.failures.filter { [401, 404, 409].contains($0) }
            .map { ($0, HTTPResponse.Status.registered($0).reasonPhrase.lowercased()) }
        let isLink = operation.method == .get && !operation.needsToken
        trialMethod = operation.canBeTried ? isLink ? "get" : "post" : nil
        action = isLink ? operation.path : "/docs/\(operation.id)"
        let values = operation.query.filter { !$0.example.isEmpty }
        // With content, curl sends POST by default.
        let isDefault = operation.method == (request == nil ? .get : .post)
        let option = !values.isEmpty ? " --get" : isDefault ? "" : " -X \(method)"
        var parts = ["curl\(option) \(origin)\(operation.path)"]
        if operation.needsToken { parts.append("-H \"Authorization: Bearer $TOKEN\"") }
        if let request {
            parts += ["-H 'Content-Type: application/json'", "-d '\(request.replacing("\n", with: "\n  "))'"]
        }
        parts += values.map { "--data-urlencode '\($0.name)=\($0.example)'" }
        curl = parts.joined(separator: " \\\n  ")
    }

    private static func parameter(
        _ member: Operation.Member, _ need: String
    ) -> (name: String, traits: String, meaning: String, example: String) {
        let least = member.minimum.map { "\($0) to " } ?? "at most "
        let limit = member.maximum.map { ", \(least)\($0) characters" } ?? ""
        return (member.name, "\(member.type), \(need)\(limit)", member.meaning, member.example)
    }

    /// - Parameter shortened: whether a long text without spaces, such as a token, ends early.
    private static func example(_ members: [Operation.Member], shortened: Bool = false) -> String {
        let pairs = members.map { member -> (key: String, value: JSONNode) in
            let (text, isString) = (member.example, member.type == "string")
            let isLong = shortened && text.count > 40 && !text.contains(" ")
            let value = try? JSONDocument(Array(text.utf8)).root
            return (
                member.name, isString ? .text(isLong ? "\(text.prefix(20))…" : text) : value.map(JSONNode.init) ?? .null
            )
        }
        return String(decoding: JSONNode.members(pairs).bytes().dropLast(), as: UTF8.self)
    }
}
