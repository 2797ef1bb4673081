import ArgumentParser
import AssociatedDomains
import AssociationChecker
import MotivatorPlatform

struct ListedTarget: Sendable {
    /// The number of the target in the list, from 1. Empty lines and comments have no number.
    let number: Int
    /// The line as results repeat it, to find the target in a later run.
    let input: String
    /// The domain, URL or file, and the request of the line, or why the line cannot be checked.
    let parsed: Swift.Result<Parsed, ExplainedFailure>

    typealias Parsed = (target: String, request: CheckRequest)
}

/// The targets of a list, read one by one.
final class TargetList {
    /// The maximum length of a line in bytes. A host has at most 253, and an application identifier 255.
    static let maximumLine = 4_096

    private let lines: () throws -> LineSource.Line?
    private let request: CheckRequest
    private let shard: Shard?
    /// The number of targets so far, in all shards.
    private(set) var count = 0

    /// - Parameter request: what to check for each target. The app and the service of a line replace its own.
    init(_ request: CheckRequest, shard: Shard? = nil, lines: @escaping () throws -> LineSource.Line?) {
        (self.request, self.shard, self.lines) = (request, shard, lines)
    }

    func next() throws -> ListedTarget? {
        while let line = try lines() {
            let isFirst = count == 0
            var bytes = line.bytes[...]
            if isFirst, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
            if isFirst, bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
                throw ExplainedFailure(
                    "the list of targets is in UTF-16", fix: "Save the list in UTF-8", exitCode: .badInput)
            }
            let text = String(decoding: bytes, as: UTF8.self).trimming { $0 == " " || $0 == "\r" }
            guard !text.allSatisfy(\.isWhitespace), !text.hasPrefix("#") else { continue }
            count += 1
            guard shard?.contains(count) ?? true else { continue }
            let input = line.isTooLong ? String(text.unicodeScalars.prefix(80)) + "…" : text
            let parsed = Swift.Result { () throws(ExplainedFailure) in
                guard !line.isTooLong else { throw unusable(input, "is longer than \(Self.maximumLine) bytes") }
                guard String(validating: bytes, as: UTF8.self) != nil, !bytes.contains(0) else {
                    throw unusable(input, "is not text in UTF-8")
                }
                return try parse(text)
            }
            return ListedTarget(number: count, input: input, parsed: parsed)
        }
        return nil
    }

    private func parse(_ text: String) throws(ExplainedFailure) -> ListedTarget.Parsed {
        let fields = text.split(separator: "\t", omittingEmptySubsequences: false).map { $0.trimming { $0 == " " } }
        guard fields.count <= 3, !["", "-"].contains(fields[0]) else { throw unusable(text, "is not a target") }
        var request = request
        do throws(AppIdentifier.Malformed) {
            if fields.count > 1, !fields[1].isEmpty { request.apps = [try AppIdentifier(fields[1])] }
        } catch {
            throw ExplainedFailure(error.problem, fix: error.fix)
        }
        if fields.count > 2 {
            request.service = try require(
                Service(rawValue: fields[2]), "\(fields[2].excerpt) is not a known service",
                fix: "Use \(Service.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return (fields[0], request)
    }

    private func unusable(_ line: String, _ reason: String) -> ExplainedFailure {
        ExplainedFailure(
            "the line \(line.excerpt) \(reason)",
            fix: "Write a host, or a host, an app and a service separated by tabs")
    }
}

/// A part of a list: every `count`th target, starting with target `index`.
struct Shard: Equatable {
    let index: Int
    let count: Int

    init(_ text: String) throws {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let index = parts[0], let count = parts[1], 1...max(count, 1) ~= index, count > 0 else {
            throw ValidationError("Use I/N with I from 1 to N, for example 1/4 to 4/4.")
        }
        (self.index, self.count) = (index, count)
    }

    func contains(_ number: Int) -> Bool { (number - index).isMultiple(of: count) }
}
