package import AssociatedDomains
import HTTPSClient
package import MotivatorPlatform
import SourceJSON

extension Report {
    /// Returns the report as the published JSON document (`association explain --schema`).
    /// - Parameters:
    ///   - profiles: The profiles to report, at least one. The first profile determines `conclusion`. All profiles
    ///     determine `ok`.
    ///   - version: The version of the program.
    package func json(profiles: [Profile], version: String) -> JSONNode {
        let profile = profiles.first ?? .device
        let document: JSONNode = [
            "format": 1, "version": .text(version), "target": .text(target), "profile": .text(profile.rawValue),
            "ok": .truth(profiles.allSatisfy { verdict($0) == .associated } && !hasFailedTests),
            "conclusion": .text(conclusion(profile)),
            "verdicts": .members(profiles.map { (key: $0.rawValue, value: .text(verdict($0).rawValue)) }),
            "unproven": .list(profiles.filter(isUnproven).map { .text($0.rawValue) }),
            "issues": .list(issues(in: profiles).map { $0.json(profiles) }),
            "fetches": .list(fetches.flatMap(\.steps).map(\.json)),
            "services": file?.servicesJSON ?? [:],
        ]
        guard let assetLinks, case .members(let members) = document else { return document }
        return .members(members + [(key: "relations", value: assetLinks.json)])
    }
}

extension AssetLinks {
    fileprivate var json: JSONNode {
        .members(relations.map { (key: $0.rawValue, value: .list(targets(of: $0).map { .text($0) })) })
    }
}

extension Issue {
    func json(_ profiles: [Profile]) -> JSONNode {
        let concerned = profiles.filter { effects[$0] != nil }
        var members: [(key: String, value: JSONNode)] = [
            (key: "code", value: .text(code)),
            (key: "severity", value: .text((severity(in: profiles) ?? .note).rawValue)),
            (key: "profiles", value: .list(concerned.map { .text($0.rawValue) })),
            (
                key: "severities",
                value: .members(concerned.map { (key: $0.rawValue, value: .optional(severity(in: $0)?.rawValue)) })
            ),
            (key: "message", value: .text(message)), (key: "fix", value: .text(fix)),
            (key: "subject", value: .text(subject)),
        ]
        if let hint { members.append((key: "hint", value: .text(hint))) }
        if let location {
            members.append(
                (
                    key: "location",
                    value: [
                        "file": .text(subject), "line": .number(location.line), "column": .number(location.column),
                    ]
                ))
        }
        if let replacement {
            let ends = [("start", replacement.start), ("end", replacement.end)].map { name, end in
                (
                    key: name,
                    value: [
                        "line": .number(end.line), "column": .number(end.column), "offset": .number(end.offset),
                    ] as JSONNode
                )
            }
            let text = [(key: "text", value: JSONNode.text(replacement.text))]
            members.append((key: "replacement", value: .members(text + ends)))
        }
        var source: [(key: String, value: JSONNode)] = [(key: "title", value: .text(diagnostic.source.title))]
        if let link = diagnostic.source.link { source.append((key: "url", value: .text(link))) }
        source.append((key: "since", value: .text(diagnostic.source.date)))
        members += [(key: "source", value: .members(source)), (key: "more", value: .number(more))]
        return .members(members)
    }
}

extension FileFetch.Step {
    fileprivate var json: JSONNode {
        let response = fetched.response
        return [
            "url": .text(url.description), "status": .optional(response?.status), "location": .optional(redirect),
            "content_type": .optional(response?.first("content-type")), "bytes": .optional(response?.content.count),
            "tls": .optional(fetched.tls?.version), "address": .optional(fetched.address?.description),
            "milliseconds": .number(fetched.milliseconds), "error": .optional(fetched.failure?.problem.sentence),
        ]
    }
}

extension AssociationFile {
    fileprivate var servicesJSON: JSONNode {
        .members(
            services.map { service in
                var listed: Set<String> = []
                let apps = (apps[service] ?? []).map(\.text).filter { listed.insert($0).inserted }
                return (key: service.rawValue, value: ["apps": .list(apps.map { .text($0) })])
            })
    }
}

/// The JSON Schema of a report, generated from the types and the catalog.
public enum ReportSchema {
    /// The schema (JSON Schema 2020-12) of one report, or of several reports under `results`.
    package static var json: JSONNode {
        let text: JSONNode = ["type": "string"]
        func oneOf(_ values: [String]) -> JSONNode { ["enum": .list(values.map { .text($0) })] }
        func nullable(_ type: String) -> JSONNode { ["type": .list([.text(type), "null"])] }
        func object(
            _ properties: [(key: String, value: JSONNode)], optional: [String] = []
        ) -> [(key: String, value: JSONNode)] {
            let required = properties.map(\.key).filter { !optional.contains($0) }
            return [
                (key: "type", value: "object"), (key: "properties", value: .members(properties)),
                (key: "required", value: .list(required.map { .text($0) })),
                (key: "additionalProperties", value: false),
            ]
        }
        let profile = oneOf(Profile.allCases.map(\.rawValue))
        let severity = oneOf(Severity.allCases.map(\.rawValue))
        let verdict = oneOf(["associated", "denied", "retry"])
        let perProfile: (JSONNode) -> JSONNode = { value in
            ["type": "object", "propertyNames": profile, "additionalProperties": value]
        }
        let location = object([("file", text), ("line", ["type": "integer"]), ("column", ["type": "integer"])])
        let position = object(["line", "column", "offset"].map { ($0, ["type": "integer"]) })
        let replacement = object([("text", text), ("start", .members(position)), ("end", .members(position))])
        let source = object([("title", text), ("url", text), ("since", text)], optional: ["url"])
        let issue = object(
            [
                ("code", oneOf(Diagnostic.all.map(\.code))), ("severity", severity),
                ("profiles", ["type": "array", "items": profile]), ("severities", perProfile(severity)),
                ("message", text), ("fix", text), ("subject", text), ("hint", text), ("location", .members(location)),
                ("replacement", .members(replacement)),
                ("source", .members(source)), ("more", ["type": "integer", "minimum": 0]),
            ], optional: ["hint", "location", "replacement"])
        let fetch = object([
            ("url", text), ("status", nullable("integer")), ("location", nullable("string")),
            ("content_type", nullable("string")), ("bytes", nullable("integer")), ("tls", nullable("string")),
            ("address", nullable("string")), ("milliseconds", ["type": "integer"]), ("error", nullable("string")),
        ])
        let services: JSONNode = [
            "type": "object", "propertyNames": oneOf(Service.allCases.map(\.rawValue)),
            "additionalProperties": .members(object([("apps", ["type": "array", "items": text])])),
        ]
        let change = object([
            ("kind", text), ("subject", text), ("before", nullable("string")), ("after", nullable("string")),
        ])
        let report = object(
            [
                ("format", ["const": 1]), ("version", text), ("target", text), ("profile", profile),
                ("ok", ["type": "boolean"]), ("conclusion", text), ("verdicts", perProfile(verdict)),
                ("unproven", ["type": "array", "items": profile]),
                ("issues", ["type": "array", "items": .members(issue)]),
                ("fetches", ["type": "array", "items": .members(fetch)]), ("services", services),
                (
                    "relations",
                    [
                        "type": "object", "propertyNames": oneOf(AssetLinks.Relation.allCases.map(\.rawValue)),
                        "additionalProperties": ["type": "array", "items": text],
                    ]
                ),
                ("cdn", ["$ref": "#/$defs/report"]), ("cdn_failure", text),
                ("differences", ["type": "array", "items": .members(change)]),
            ], optional: ["relations", "cdn", "cdn_failure", "differences"])
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Report of motivator association check",
            "$defs": ["report": .members(report)],
            "anyOf": [
                ["$ref": "#/$defs/report"],
                .members(object([("results", ["type": "array", "items": ["$ref": "#/$defs/report"]])])),
            ],
        ]
    }
}
