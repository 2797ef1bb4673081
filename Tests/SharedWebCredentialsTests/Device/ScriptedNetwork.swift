import AssociatedDomains
import AssociationChecker
import Platform

@testable import SharedWebCredentials

/// A network whose sites answer what a test wants, one answer after the other, the last one for ever.
final class ScriptedNetwork: AssociationNetwork {
    /// A question that was asked.
    struct Question: Equatable, CustomStringConvertible {
        let entry: String
        let time: UnixTime
        var description: String { "\(entry) at \(time)" }
    }

    private let answers: Guarded<[String: [SiteAnswer]]>
    private let questions = Guarded<[Question]>([])

    /// - Parameter answers: the answers of each host; a host without any cannot be reached.
    init(_ answers: [String: [SiteAnswer]]) {
        self.answers = Guarded(answers)
    }

    /// What was asked, sorted by time and entry.
    var asked: [Question] {
        questions.withLock { $0.sorted { ($0.time, $0.entry) < ($1.time, $1.entry) } }
    }

    func fetch(_ entry: AssociatedDomain, developerMode: Bool, now: UnixTime) async -> SiteAnswer {
        questions.withLock { $0.append(Question(entry: "\(entry)", time: now)) }
        return answers.withLock { answers in
            guard let present = answers[entry.host], let first = present.first else { return .unreachable }
            if present.count > 1 { answers[entry.host]?.removeFirst() }
            return first
        }
    }
}

extension SiteAnswer {
    static let unavailable = SiteAnswer.retry(
        AssociationFailure(code: "http-status-server-error", message: "the answer has status 503"))
    static let unreachable = SiteAnswer.retry(
        AssociationFailure(code: "network-unknown-host", message: "nobody has the name"))
    static let missing = SiteAnswer.denied(
        AssociationFailure(code: "http-status-refused", message: "the answer has status 404"))

    /// A file with the demo app for all services but links.
    static let good = naming("D3KQX62K1A.com.example.DemoApp")

    static func naming(_ app: String) -> SiteAnswer {
        json(#"{"webcredentials":{"apps":["\#(app)"]},"appclips":{"apps":["\#(app)"]}}"#)
    }

    static func json(_ text: String) -> SiteAnswer {
        SiteFile(json: Array(text.utf8)).map { .file($0) } ?? .missing
    }
}
