package import AssociatedDomains
import HTTPSClient
package import MotivatorPlatform
import SourceJSON

extension Report {
    /// Returns the report as the published JSON document (`association explain --schema`).
    /// - Parameters:
    ///   - profiles: The profiles to report, at least one. The first profile determines `conclusion`. All profiles
    ///     determine `ok`.
    package func json(profiles: [Profile], version: String) -> JSONNode {
        let profile = profiles.first ?? .device
        let document: JSONNode = [
            "format": 1, "version": .text(version), "target": .text(target), "profile": .text(profile.rawValue),
            "ok": .truth(profiles.allSatisfy { verdict($0) == .associated } && !hasFailedTests),
            "conclusion": .text(conclusion(profile)),
            "verdicts": .members(profiles.map { (key: $0.rawValue, value: .text(verdict($0).rawValue)) }),
            "unproven": .texts(profiles.filter(isUnproven).map(\.rawValue)),
            "issues": .list(issues(in: profiles).map { $0.json(profiles) }),
            "fetches": .list(fetches.flatMap(\.steps).map(\.json)),
            "services": file?.servicesJSON ?? [:],
        ]
        return document.adding("relations", assetLinks?.json)
    }
}

extension AssetLinks {
    fileprivate var json: JSONNode {
        .members(relations.map { (key: $0.rawValue, value: .texts(targets(of: $0))) })
    }
}

extension Issue {
    func json(_ profiles: [Profile]) -> JSONNode {
        let concerned = profiles.filter { effects[$0] != nil }
        let issue: JSONNode = [
            "code": .text(code), "severity": .text((severity(in: profiles) ?? .note).rawValue),
            "profiles": .texts(concerned.map(\.rawValue)),
            "severities": .members(concerned.map { ($0.rawValue, .optional(severity(in: $0)?.rawValue)) }),
            "message": .text(message), "fix": .text(fix), "subject": .text(subject),
        ]
        let source: JSONNode = ["title": .text(diagnostic.source.title)]
        return issue.adding("hint", hint.map { .text($0) }).adding("ignored", isIgnored ? true : nil)
            .adding(
                "location",
                location.map { ["file": .text(subject), "line": .number($0.line), "column": .number($0.column)] }
            )
            .adding(
                "replacement", replacement.map { ["text": .text($0.text), "start": $0.start.json, "end": $0.end.json] }
            )
            .adding(
                "source",
                source.adding("url", diagnostic.source.link.map { .text($0) })
                    .adding("since", .text(diagnostic.source.date))
            )
            .adding("more", .number(more))
    }
}

extension SourceLocation {
    fileprivate var json: JSONNode { ["line": .number(line), "column": .number(column), "offset": .number(offset)] }
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
            services.map { (key: $0.rawValue, value: ["apps": .texts((apps[$0] ?? []).map(\.text).distinct)]) })
    }
}

/// The JSON Schema of a report, generated from the types and the catalog.
public enum ReportSchema {
    /// The schema (JSON Schema 2020-12) of one report, of several reports under `results`, or of one line of NDJSON.
    package static var json: JSONNode {
        let text: JSONNode = ["type": "string"]
        func oneOf(_ values: [String]) -> JSONNode { ["enum": .texts(values)] }
        func nullable(_ type: String) -> JSONNode { ["type": .list([.text(type), "null"])] }
        func list(_ items: JSONNode) -> JSONNode { ["type": "array", "items": items] }
        func object(_ properties: [(key: String, value: JSONNode)], optional: [String] = []) -> JSONNode {
            [
                "type": "object", "properties": .members(properties),
                "required": .texts(properties.map(\.key).filter { !optional.contains($0) }),
                "additionalProperties": false,
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
        let replacement = object([("text", text), ("start", position), ("end", position)])
        let source = object([("title", text), ("url", text), ("since", text)], optional: ["url"])
        let issue = object(
            [
                ("code", oneOf(Diagnostic.all.map(\.code))), ("severity", severity),
                ("profiles", list(profile)), ("severities", perProfile(severity)),
                ("message", text), ("fix", text), ("subject", text), ("hint", text), ("ignored", ["const": true]),
                ("location", location),
                ("replacement", replacement),
                ("source", source), ("more", ["type": "integer", "minimum": 0]),
            ], optional: ["hint", "ignored", "location", "replacement"])
        let fetch = object([
            ("url", text), ("status", nullable("integer")), ("location", nullable("string")),
            ("content_type", nullable("string")), ("bytes", nullable("integer")), ("tls", nullable("string")),
            ("address", nullable("string")), ("milliseconds", ["type": "integer"]), ("error", nullable("string")),
        ])
        let services: JSONNode = [
            "type": "object", "propertyNames": oneOf(Service.allCases.map(\.rawValue)),
            "additionalProperties": object([("apps", list(text))]),
        ]
        let change = object([
            ("kind", text), ("subject", text), ("before", nullable("string")), ("after", nullable("string")),
        ])
        let report = object(
            [
                ("format", ["const": 1]), ("version", text), ("target", text), ("profile", profile),
                ("ok", ["type": "boolean"]), ("conclusion", text), ("verdicts", perProfile(verdict)),
                ("unproven", list(profile)),
                ("issues", list(issue)),
                ("fetches", list(fetch)), ("services", services),
                (
                    "relations",
                    [
                        "type": "object", "propertyNames": oneOf(AssetLinks.Relation.allCases.map(\.rawValue)),
                        "additionalProperties": list(text),
                    ]
                ),
                ("cdn", ["$ref": "#/$defs/report"]), ("cdn_failure", text),
                ("differences", list(change)),
            ], optional: ["relations", "cdn", "cdn_failure", "differences"])
        // A line of NDJSON.
        let result = object(
            [
                ("number", ["type": "integer"]), ("input", text), ("profile", profile),
                ("verdict", oneOf(["associated", "retry", "denied", "unreadable"])), ("exit_code", ["type": "integer"]),
                ("codes", list(text)),
                (
                    "baseline",
                    object([
                        ("change", oneOf(["worse", "better", "changed", "new", "same"])),
                        ("verdict", nullable("string")), ("added", list(text)), ("removed", list(text)),
                    ])
                ),
                ("report", ["$ref": "#/$defs/report"]), ("error", text), ("fix", text),
            ], optional: ["baseline", "report", "error", "fix"])
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Report of motivator association check",
            "$defs": ["report": report],
            "anyOf": [
                ["$ref": "#/$defs/report"],
                result,
                object([("results", list(["$ref": "#/$defs/report"]))]),
            ],
        ]
    }
}
