import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform

/// The template data for the API documentation page.
struct Documentation: Sendable {
    struct Call: Sendable {
        let operation: Operation
        /// The subject, for the first call of a subject.
        var heading: String?
        let method: String
        let parameters: [Operation.Member]
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
        parameters = operation.query + (operation.request ?? [])
        request = operation.request.map(Self.example)
        response = Self.example(operation.response)
        failures = operation.failures.filter { [401, 404, 409].contains($0) }
            .map { ($0, HTTPResponse.Status.registered($0).reasonPhrase.lowercased()) }
        trialMethod = operation.canBeTried ? method.lowercased() : nil
        action = operation.method == .get ? operation.path : "/docs/\(operation.id)"
        let values = operation.query.filter { !$0.example.isEmpty }
        let option = operation.method == .get ? (values.isEmpty ? "" : " --get") : " --request \(method)"
        var parts = ["curl\(option) \(origin)\(operation.path)"]
        if operation.needsToken { parts.append("--header \"Authorization: Bearer $TOKEN\"") }
        if operation.request != nil { parts.append("--header 'Content-Type: application/json'") }
        if let request = operation.request { parts.append("--data '\(Self.object(request, separator: ", "))'") }
        parts += values.map { "--data-urlencode '\($0.name)=\($0.example)'" }
        curl = parts.joined(separator: " \\\n  ")
    }

    private static func example(_ members: [Operation.Member]) -> String {
        members.isEmpty ? "{}" : "{\n  \(object(members, separator: ",\n  ").dropFirst().dropLast())\n}"
    }

    private static func object(_ members: [Operation.Member], separator: String) -> String {
        let pairs = members.map { member in
            "\"\(member.name)\": \(member.type == "string" ? "\"\(member.example)\"" : member.example)"
        }
        return "{\(pairs.joined(separator: separator))}"
    }
}
