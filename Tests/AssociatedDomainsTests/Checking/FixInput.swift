import AssociatedDomains
import Foundation
import HTTPSClient

@testable import AssociationChecker
@testable import SharedWebCredentials

/// A whole input for the example of a row, and for the example after its fix.
struct FixInput: Sendable {
    /// Returns the report on an example. Examples that describe an input are the same for `isFixed`.
    let report: @Sendable (_ text: String, _ isFixed: Bool) throws -> Report

    /// Returns the input for a row: its own, or that of its group.
    static func of(_ row: Diagnostic) -> FixInput {
        for table in [files, links, hosts, entitlements, assetLinks] {
            if let input = table[row.code] { return input }
        }
        switch Diagnostic.groups.first(where: { $0.diagnostics.contains(row) })?.title {
        case "Universal links": return inLinks
        case "Entitlement": return entry()
        case "Digital Asset Links (Android)": return inStatements()
        case "Passkeys": return passkey(row)
        case "Web forms": return page(row)
        case "URL tests": return FixInput { text, _ in LinkTestCases.report(LinkTestCases.file, text) }
        case _: return file()
        }
    }

    // MARK: - Kinds of inputs

    /// The example is a page, or describes the responses of its host.
    static func page(_ row: Diagnostic) -> FixInput {
        FixInput { text, isFixed in
            let url = try WebURL("https://example.com/account")
            guard text.hasPrefix("status") else {
                return PageLint.report(Array(text.utf8), name: "page", url: url)
            }
            let issue = PageIssue.examples.first { $0.entry.diagnostic == row }
            let others = isFixed ? [] : [issue].compactMap { $0.map { Issue($0, in: "page") } }
            return Report(target: "page", issues: others, pageAction: "fill the forms of page")
        }
    }

    /// The example is a part of a file, or a whole file. The character ↵ is a line feed.
    static func file(
        _ before: String = "", _ after: String = "",
        _ ask: @escaping @Sendable (inout CheckRequest) throws -> Void = { _ in }
    ) -> FixInput {
        FixInput { text, _ in
            try CheckCase.file("", before + text.replacing("↵", with: "\n") + after, "", [], ask).report()
        }
    }

    /// The example is the value of `apps`.
    static func apps(_ ask: @escaping @Sendable (inout CheckRequest) throws -> Void = { _ in }) -> FixInput {
        file("{\"webcredentials\":{\"apps\":", "}}", ask)
    }

    /// The example describes bytes.
    static func bytes(_ before: [UInt8], _ after: [UInt8]) -> FixInput {
        cases(CheckCase.bytes("", before, "", []), CheckCase.bytes("", after, "", []))
    }

    /// The example describes the inputs of two checks. Their expected results do not count.
    static func cases(_ before: CheckCase, _ after: CheckCase) -> FixInput {
        FixInput { _, isFixed in try (isFixed ? after : before).report() }
    }

    /// The example consists of one or more entries, separated by a comma and a space, for a host with a good file.
    static func entry(
        host: String? = nil, _ ask: @escaping @Sendable (inout CheckRequest) throws -> Void = { _ in }
    ) -> FixInput {
        FixInput { text, _ in
            let link = "{\"details\":[{\"appIDs\":[\"\(demoApp)\"],\"components\":[{\"/\":\"/buy/*\"}]}]}"
            let file =
                "{\"webcredentials\":{\"apps\":[\"\(demoApp)\"]},\"appclips\":{\"apps\":[\"\(demoApp)\"]},"
                + "\"applinks\":\(link)}"
            return try CheckCase.file("", file, "", []) { request in
                request.entries = text.components(separatedBy: ", ").map { .init($0) }
                request.domain = host
                try ask(&request)
            }.report()
        }
    }

    /// The example is a file, the value of applinks, a detail, or one or more components.
    private static let inLinks = FixInput { text, _ in
        var text = text
        if !["\"applinks\"", "\"details\"", "\"appID", "\"paths\"", "\"components\""].contains(where: text.contains) {
            text = "{\"appIDs\":[\"\(demoApp)\"],\"components\":[\(text)]}"
        }
        if !text.contains("\"applinks\""), !text.contains("\"details\"") { text = "{\"details\":[\(text)]}" }
        if !text.contains("\"applinks\"") { text = "{\"applinks\":\(text)}" }
        return try CheckCase.file("", text, "", []).report()
    }
}
