import AssociatedDomains
import AssociationChecker
import MotivatorPlatform

/// The domains of an app's entitlement, which `check` without a target checks.
enum AppDomains {
    /// Returns the hosts of the entries, in the order of the entitlement.
    static func sites(_ request: CheckRequest) -> [String] {
        request.domains.filter { request.service == nil || $0.service == request.service }
            .map(\.fileAuthority).distinct
    }

    static func dropped(_ request: CheckRequest) -> [(entry: String, reason: AssociatedDomain.Malformed)] {
        request.entries.compactMap { entry in
            if case .failure(let error) = entry.domain { (entry.text, error) } else { nil }
        }
    }

    /// Returns a table of dropped entries and reports, with the worst verdict first.
    static func table(
        _ reports: [(name: String, report: Report)], _ request: CheckRequest, _ profile: Profile, isColored: Bool
    ) -> String {
        let lost = dropped(request).map { entry, reason in
            StatusTable.Row(
                level: .bad, status: "dropped", subject: entry,
                message: "\(reason.problem.sentence.clause) [\(reason.entry.diagnostic.code)]", fix: Fix(reason.fix))
        }
        let ranks: [Verdict] = [.denied, .retry, .associated]
        let rows = ranks.flatMap { verdict in
            reports.filter { $0.report.verdict(profile) == verdict }.map { name, report in
                let first = report.issues.first { ($0.severity(in: profile) ?? .note) > .note }
                let source = name.isEmpty ? (report.assetLinks == nil ? "" : "assetlinks.json: ") : "\(name): "
                let message = first.map { "\($0.message.clause) [\($0.code)]" } ?? "No errors and no warnings."
                return StatusTable.Row(
                    level: verdict == .associated ? (first == nil ? .good : .warning) : .bad, status: verdict.rawValue,
                    subject: report.target, message: source + message, fix: Fix(first?.fix.clause ?? ""))
            }
        }
        return StatusTable(sections: [.init(rows: lost + rows)], isColored: isColored, width: Output.width).text
    }
}
