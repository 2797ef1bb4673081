import MotivatorHTTP
import MotivatorPlatform

/// The OpenAPI 3.1 document for the API.
enum OpenAPI {
    static func document(
        _ operations: [Operation], _ others: [String: JSONNode] = [:], version: String = "1"
    ) -> JSONNode {
        var paths: [String: [String: JSONNode]] = [:]
        for operation in operations {
            paths[operation.path, default: [:]][operation.method.name.lowercased()] = node(operation)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "Ultra Motivator", "version": .text(version),
                "description":
                    "Accounts for a website and its apps, and association checks.",
                "license": ["name": "MIT", "identifier": "MIT"],
            ],
            "servers": [["url": "/"]],
            "security": [],
            "tags": .list(operations.map(\.tag).distinct.map { ["name": .text($0)] }),
            "paths": .object(paths.mapValues(JSONNode.object).merging(others) { $1 }),
            "components": [
                "securitySchemes": [
                    "session": [
                        "type": "http", "scheme": "bearer", "description": "The token from signing up or signing in.",
                    ]
                ],
                "schemas": [
                    "Failure": [
                        "type": "object", "required": ["error", "code"],
                        "properties": [
                            "error": ["type": "string", "description": "The problem and the fix."],
                            "code": ["type": "string", "description": "A stable code.", "pattern": "^[a-z_]+$"],
                        ],
                    ],
                    "TutorialFailure": [
                        "type": "object", "required": ["error"],
                        "additionalProperties": ["type": "string"],
                        "properties": ["error": ["type": "string", "description": "The problem and the fix."]],
                    ],
                ],
            ],
        ]
    }

    private static func node(_ operation: Operation) -> JSONNode {
        var responses: [String: JSONNode] = [
            String(operation.status): [
                "description": "Success.",
                "content": ["application/json": ["schema": schema(operation.response, isRequest: false)]],
            ]
        ]
        for status in operation.failures { responses[String(status)] = failure(status, operation) }
        let parameters = operation.query.map { parameter -> JSONNode in
            [
                "name": .text(parameter.name), "in": "query", "description": .text(parameter.meaning),
                "schema": ["type": "string"],
            ]
        }
        let content = operation.request.map { request -> JSONNode in
            ["required": true, "content": ["application/json": ["schema": schema(request, isRequest: true)]]]
        }
        let node: JSONNode = [
            "operationId": .text(operation.id), "summary": .text(operation.summary),
            "description": .text(operation.description), "tags": [.text(operation.tag)],
            "responses": .object(responses),
        ]
        return node.adding("parameters", parameters.isEmpty ? nil : .list(parameters))
            .adding("security", operation.needsToken ? [["session": []]] : nil).adding("requestBody", content)
    }

    private static func schema(_ members: [Operation.Member], isRequest: Bool) -> JSONNode {
        var properties: [String: JSONNode] = [:]
        for member in members {
            var property: [String: JSONNode] = ["type": type(member), "description": .text(member.meaning)]
            if member.type == "string" { property["examples"] = [.text(member.example)] }
            if isRequest, let minimum = member.minimum { property["minLength"] = .number(minimum) }
            if isRequest, let maximum = member.maximum { property["maxLength"] = .number(maximum) }
            if isRequest, let pattern = member.pattern { property["pattern"] = .text(pattern) }
            properties[member.name] = .object(property)
        }
        return [
            "type": "object", "required": .list(members.filter { !$0.isOptional }.map { .text($0.name) }),
            "properties": .object(properties),
        ]
    }

    private static func type(_ member: Operation.Member) -> JSONNode {
        let types = member.type.split(separator: "|").map { JSONNode.text(String($0)) }
        return types.count == 1 ? .text(member.type) : .list(types)
    }

    private static func failure(_ status: Int, _ operation: Operation) -> JSONNode {
        let codes = operation.codes(of: status)
        let schema: JSONNode =
            operation.isTutorial
            ? ["$ref": "#/components/schemas/TutorialFailure"]
            : [
                "allOf": [
                    ["$ref": "#/components/schemas/Failure"],
                    ["properties": ["code": ["enum": .list(codes.map { .text($0) })]]],
                ]
            ]
        let reasons = operation.isTutorial ? " Reasons: \(codes.joined(separator: ", "))." : ""
        var content: [String: JSONNode] = ["application/json": ["schema": schema]]
        // The parser rejects a malformed target before the server knows the path.
        if status == 400, !operation.query.isEmpty { content["text/plain"] = ["schema": ["type": "string"]] }
        var node: [String: JSONNode] = [
            "description": .text((Operation.meanings[status] ?? "") + reasons), "content": .object(content),
        ]
        if status == 429 || status == 503 {
            node["headers"] = [
                "Retry-After": ["description": "The seconds to wait.", "schema": ["type": "integer", "minimum": 1]]
            ]
        }
        return .object(node)
    }
}
