import AssociatedDomains
import AssociationChecker
import HTTPSClient
import MotivatorPlatform

@testable import SharedWebCredentials

/// A network whose sites have scripted responses. The last response repeats.
final class ScriptedNetwork: AssociationNetwork {
    /// A request.
    struct CheckRequest: Equatable, CustomStringConvertible {
        let entry: String
        let time: UnixTime
        var description: String { "\(entry) at \(time)" }
    }

    private let answers: Guarded<[String: [SiteResponse]]>
    private let questions = Guarded<[CheckRequest]>([])

    /// The related origins of each RP ID.
    private let related = Guarded<[String: [WebURL]]>([:])

    /// - Parameter answers: The responses of each host. A host without responses is unreachable.
    init(_ answers: [String: [SiteResponse]]) {
        self.answers = Guarded(answers)
    }

    /// The requests, sorted by time and entry.
    var asked: [CheckRequest] {
        questions.withLock { $0.sorted { ($0.time, $0.entry) < ($1.time, $1.entry) } }
    }

    func setRelatedOrigins(_ origins: [WebURL], of rpID: String) { related.withLock { $0[rpID] = origins } }

    func relatedOrigins(of rpID: String, now: UnixTime) async -> Result<[WebURL], AssociationFailure> {
        let missing = AssociationFailure(code: "related-origins-status", message: "the response has status 404")
        return related.withLock { $0[rpID].map { .success($0) } ?? .failure(missing) }
    }

    func fetch(
        _ entry: AssociatedDomain, for app: AppIdentifier, modes: AssociatedDomain.Modes, now: UnixTime
    ) async -> SiteResponse {
        questions.withLock { $0.append(CheckRequest(entry: "\(entry)", time: now)) }
        return answers.withLock { answers in
            guard let present = answers[entry.host], let first = present.first else { return .unreachable }
            if present.count > 1 { answers[entry.host]?.removeFirst() }
            return first
        }
    }
}

extension SiteResponse {
    static let unavailable = SiteResponse.retry(
        AssociationFailure(code: "http-status-server-error", message: "the answer has status 503"))
    static let unreachable = SiteResponse.retry(
        AssociationFailure(code: "network-unknown-host", message: "nobody has the name"))
    static let missing = SiteResponse.denied(
        AssociationFailure(code: "http-status-refused", message: "the answer has status 404"))

    /// A file that lists the demo app for all services except links.
    static let good = naming("D3KQX62K1A.com.example.DemoApp")

    static func naming(_ app: String) -> SiteResponse {
        json(#"{"webcredentials":{"apps":["\#(app)"]},"appclips":{"apps":["\#(app)"]}}"#)
    }

    static func json(_ text: String) -> SiteResponse {
        .file(AssociationFile(Array(text.utf8), name: "", at: 0))
    }
}
