import AssociatedDomains
import AssociationChecker
import HTTPSClient
import Platform
import SourceJSON

extension Report {
    /// The report as the published JSON document.
    var json: JSONNode {
        [
            "target": .text(target),
            "verdicts": .members(Reading.allCases.map { (key: $0.rawValue, value: .text(verdict($0).rawValue)) }),
            "findings": .list(findings.flatMap(\.json)),
            "fetches": .list(visits.flatMap(\.hops).map(\.json)),
            "services": outline?.servicesJSON ?? [:],
        ]
    }
}

extension Finding {
    /// One object for each severity, with the readings that give it.
    fileprivate var json: [JSONNode] {
        ranks.map { rank in
            var members: [(key: String, value: JSONNode)] = [
                (key: "code", value: .text(code)), (key: "severity", value: .text(rank.severity.rawValue)),
                (key: "readings", value: .list(rank.readings.map { .text($0.rawValue) })),
                (key: "message", value: .text(message)), (key: "remedy", value: .text(remedy)),
                (key: "subject", value: .text(subject)),
            ]
            if let place {
                members.append(
                    (key: "place", value: ["line": .number(place.line), "column": .number(place.column)]))
            }
            members.append((key: "source", value: .text(rule.source.description)))
            return .members(members)
        }
    }
}

extension Visit.Hop {
    fileprivate var json: JSONNode {
        let response = fetched.response
        return [
            "url": .text(url.description),
            "status": .optional(response?.status),
            "content_type": .optional(response?.first("content-type")),
            "bytes": .optional(response?.content.count),
            "tls": .optional(fetched.tls?.version),
            "address": .optional(fetched.address?.description),
            "milliseconds": .number(fetched.milliseconds),
            "error": .optional(fetched.failure?.problem),
        ]
    }
}

extension AssociationOutline {
    fileprivate var servicesJSON: JSONNode {
        .members(
            services.map { service in
                var named: Set<String> = []
                let listed = (apps[service] ?? []).map(\.text).filter { named.insert($0).inserted }
                return (key: service.rawValue, value: ["apps": .list(listed.map { .text($0) })])
            })
    }
}
