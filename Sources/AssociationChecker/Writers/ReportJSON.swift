package import AssociatedDomains
import HTTPSClient
package import MotivatorPlatform
import SourceJSON

extension Report {
    /// Returns the report as the published JSON document (`association explain --schema`).
    /// - Parameter profiles: At least one. The first profile determines `conclusion`. All profiles determine `ok`.
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
            "services": .members(
                (file?.services ?? []).map { service in
                    (key: service.rawValue, value: ["apps": .texts((file?.apps[service] ?? []).map(\.text).distinct)])
                }),
        ]
        let relations = assetLinks.map { links in
            JSONNode.members(links.relations.map { (key: $0.rawValue, value: .texts(links.targets(of: $0))) })
        }
        return document.adding("relations", relations)
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
        let place: JSONNode? = location.map {
            ["file": .text(subject), "line": .number($0.line), "column": .number($0.column)]
        }
        let change: JSONNode? = replacement.map {
            ["text": .text($0.text), "start": $0.start.json, "end": $0.end.json]
        }
        let title: JSONNode = ["title": .text(diagnostic.source.title)]
        let source = title.adding("url", diagnostic.source.link.map { .text($0) })
            .adding("since", .text(diagnostic.source.date))
        return issue.adding("hint", hint.map { .text($0) }).adding("ignored", isIgnored ? true : nil)
            .adding("location", place).adding("replacement", change).adding("source", source)
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

/// The JSON Schema of a report.
public enum ReportSchema {
    /// The schema (JSON Schema 2020-12) of one report, of several reports under `results`, or of one line of NDJSON. The
    /// values of its enumerations come from the types and the catalog.
    package static var text: String {
        let values = [
            "profiles": Profile.allCases.map(\.rawValue), "severities": Severity.allCases.map(\.rawValue),
            "services": Service.allCases.map(\.rawValue), "relations": AssetLinks.Relation.allCases.map(\.rawValue),
            "codes": Diagnostic.all.map(\.code),
        ]
        return String(decoding: PackageResources.report_schema_json, as: UTF8.self)
            .replacing(#/( *)\{\{(\w+)\}\}/#) { match in
                (values[String(match.2)] ?? []).map { match.1 + JSONText.quote($0) }.joined(separator: ",\n")
            }
    }
}
