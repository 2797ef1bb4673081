import Platform
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker

/// A check with what has to come of it.
struct CheckCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// The verdicts of documented, device and legacy by their first letters: A, D or R.
    let verdicts: String
    /// All codes that have to be found, and no others.
    let codes: Set<String>
    let report: @Sendable () throws -> Report

    var testDescription: String { name }

    /// A file that is checked alone, not signed.
    static func file(
        _ name: String, _ text: String, _ verdicts: String, _ codes: Set<String>,
        _ ask: @escaping @Sendable (inout Question) throws -> Void = { _ in }
    ) -> CheckCase {
        bytes(name, Array(text.utf8), verdicts, codes.union(["signature-missing"]), ask)
    }

    /// Bytes that are checked alone.
    static func bytes(
        _ name: String, _ bytes: [UInt8], _ verdicts: String, _ codes: Set<String>,
        _ ask: @escaping @Sendable (inout Question) throws -> Void = { _ in }
    ) -> CheckCase {
        CheckCase(name: name, verdicts: verdicts, codes: codes) {
            var question = Question()
            try ask(&question)
            return Checker(question, at: 1_700_000_000).check(file: bytes, name: "site.json")
        }
    }

    /// Runs the check and compares.
    func verify() throws {
        let report = try report()
        let letters = Reading.allCases.map { report.verdict($0).rawValue.prefix(1).uppercased() }.joined()
        #expect(letters == verdicts, "\(name)")
        let found = Set(report.findings.map(\.code))
        #expect(found == codes, "\(name): unexpected \(found.subtracting(codes)), missing \(codes.subtracting(found))")
        for finding in report.findings {
            #expect(!finding.message.isEmpty && !finding.message.hasSuffix("."), "\(finding.message)")
            #expect(!finding.remedy.hasSuffix("."), "\(finding.remedy)")
            #expect(Rule.named(finding.code) == finding.rule)
        }
    }
}

/// A valid application identifier.
let demoApp = "D3KQX62K1A.com.example.DemoApp"

/// A file that shares credentials with the apps.
func credentials(_ apps: String...) -> String {
    "{\"webcredentials\":{\"apps\":[\(apps.map { "\"\($0)\"" }.joined(separator: ","))]}}"
}

extension Question {
    static func asking(_ app: String, _ service: Service? = nil) -> @Sendable (inout Question) throws -> Void {
        { question in
            question.apps = [try AppIdentifier(app)]
            question.service = service
        }
    }
}
