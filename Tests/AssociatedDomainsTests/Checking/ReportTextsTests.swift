import Foundation
import MotivatorPlatform
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker

/// All texts that the checker writes, for a comparison of two versions of the program.
///
/// `REPORT_TEXTS=FILE` names the file to write. Write one file before a change and one after it. The output of
/// `diff` then shows every text, verdict and order that the change affects.
@Suite("The texts of all test tables") struct ReportTextsTests {
    private static let tables: [(name: String, cases: [CheckCase])] = [
        ("files", FileCases.all), ("links", LinkCases.all), ("signatures", SignatureCases.all),
        ("entitlements", EntitlementCases.all), ("sites", SiteCases.all), ("assetlinks", AssetLinksCases.all),
        ("pages", PageCases.all),
    ]

    @Test("Each case is written in each format, and the catalog is written once")
    func texts() throws {
        let catalog = Diagnostic.all.map { row in
            let effects = Profile.allCases.map { "\($0.rawValue): \(row.effects[$0]?.rawValue ?? "-")" }
            return [
                "# \(row.code)", row.text, row.reason, effects.joined(separator: ", "),
                "\(row.source)", row.example,
            ].joined(separator: "\n")
        }
        #expect(!catalog.isEmpty)
        var blocks = catalog
        for (table, cases) in Self.tables {
            for check in cases {
                let text = Self.text(try check.report())
                #expect(!text.isEmpty)
                blocks.append("## \(table): \(check.name)\n\(text)")
            }
        }
        guard let path = ProcessInfo.processInfo.environment["REPORT_TEXTS"] else { return }
        try Data((blocks.joined(separator: "\n\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
    }

    private static func text(_ report: Report) -> String {
        var style = ReportText.Style()
        style.width = 120
        let short = ReportText(report, profiles: [.device, .documented], style: style).text
        style.isVerbose = true
        let long = ReportText(report, profiles: Profile.allCases, style: style).text
        let forCI = ReportsForCI([report], profiles: [.device, .documented], version: "1")
        let json = String(decoding: report.json(profiles: Profile.allCases, version: "1").bytes(), as: UTF8.self)
        let causes = Profile.allCases.map { "\($0.rawValue): \(report.causes[$0]?.code ?? "-")" }
        return [causes.joined(separator: ", "), short, long, json, forCI.junit, forCI.github].joined(separator: "\n")
    }
}
