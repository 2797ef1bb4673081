import MotivatorPlatform
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker

/// A check and its expected result.
struct CheckCase: Sendable, CustomTestStringConvertible {
    let name: String
    /// The first letters (A, D or R) of the verdicts for the profiles device, documented, ios9 and ios8.
    let verdicts: String
    /// The codes of all expected issues.
    let codes: Set<String>
    /// The checked file, or nil for a case with a site or an entitlement.
    var file: [UInt8]?
    let report: @Sendable () throws -> Report

    var testDescription: String { name }

    /// Creates a case for an unsigned file without a site.
    static func file(
        _ name: String, _ text: String, _ verdicts: String, _ codes: Set<String>,
        _ ask: @escaping @Sendable (inout CheckRequest) throws -> Void = { _ in }
    ) -> CheckCase {
        bytes(name, Array(text.utf8), verdicts, codes.union(["signature-missing"]), ask)
    }

    /// Creates a case for bytes without a site.
    static func bytes(
        _ name: String, _ bytes: [UInt8], _ verdicts: String, _ codes: Set<String>,
        _ ask: @escaping @Sendable (inout CheckRequest) throws -> Void = { _ in }
    ) -> CheckCase {
        CheckCase(name: name, verdicts: verdicts, codes: codes, file: bytes) {
            var request = CheckRequest()
            try ask(&request)
            return Checker(request, at: 1_700_000_000).check(file: bytes, name: "site.json")
        }
    }

    /// Runs the check and compares its result with the expected result.
    func verify() throws {
        let report = try report()
        let letters = Profile.allCases.map { report.verdict($0).rawValue.prefix(1).uppercased() }.joined()
        #expect(letters == verdicts, "\(name)")
        let found = Set(report.issues.map(\.code))
        #expect(found == codes, "\(name): unexpected \(found.subtracting(codes)), missing \(codes.subtracting(found))")
        for issue in report.issues {
            #expect(".?".contains(issue.message.last ?? "x"), "\(issue.message)")
            #expect(issue.fix.isEmpty || issue.fix.hasSuffix("."), "\(issue.fix)")
            #expect(Diagnostic.named(issue.code) == issue.diagnostic)
            for text in [issue.message, issue.fix] {
                #expect(!text.contains(/\{[a-zA-Z]+\}/), "a value is missing: \(text)")
            }
        }
    }
}

/// A valid application identifier.
let demoApp = "D3KQX62K1A.com.example.DemoApp"

/// Returns a file that shares credentials with the apps.
func credentials(_ apps: String...) -> String {
    "{\"webcredentials\":{\"apps\":[\(apps.map { "\"\($0)\"" }.joined(separator: ","))]}}"
}

extension CheckRequest {
    static func asking(_ app: String, _ service: Service? = nil) -> @Sendable (inout CheckRequest) throws -> Void {
        { request in
            request.apps = [try AppIdentifier(app)]
            request.service = service
        }
    }
}
