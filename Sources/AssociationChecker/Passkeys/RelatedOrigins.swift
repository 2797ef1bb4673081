import AssociatedDomains
package import HTTPSClient
import MotivatorPlatform
import SourceJSON

/// The origins that may use an RP ID besides its own, from its file `/.well-known/webauthn` (Web Authentication Level 3,
/// 5.11).
package struct RelatedOrigins: Sendable {
    /// The maximum size of a file that the checker reads, in bytes. The specification has no limit.
    static let maximumSize = 1 << 18

    /// The origins, or nil if the file cannot be used.
    package private(set) var origins: [WebURL]?
    package private(set) var issues: [Issue] = []
    /// The text that locations refer to, by its URL.
    private(set) var text: (subject: String, bytes: [UInt8])?
    /// Whether the host has no such file, which is normal.
    package private(set) var isAbsent = false

    package init(_ fetch: FileFetch) {
        if let step = fetch.steps.last { read(step) }
    }

    private mutating func read(_ step: FileFetch.Step) {
        let subject = step.url.description
        issues = step.chain.map { Issue.all($0, in: subject, isForDevelopers: true) } ?? []
        guard issues.allSatisfy({ $0.effects.device ?? .note < .retry }) else { return }
        if let failure = step.failure {
            issues.append(Issue(failure, in: subject))
            return
        }
        if let target = step.redirect { return report(.relatedRedirect(to: target.excerpt), subject) }
        isAbsent = step.fetched.response.map { [404, 410].contains($0.status) } ?? false
        let (json, found) = step.passkeyFile(.relatedOrigins)
        issues += found
        if let json { read(json, subject) }
    }

    private mutating func read(_ json: JSONContent, _ subject: String) {
        text = (subject, json.text)
        guard let object = json.root?.object else { return }
        guard let value = object["origins"], let items = value.array, !items.isEmpty else {
            let value = object["origins"]
            let found = value.map { $0.array == nil ? $0.kind.rawValue : "an empty array" } ?? "missing"
            return report(.relatedOriginsMissing(found: found), subject, value ?? json.root)
        }
        if let other = items.first(where: { $0.string == nil }) {
            return report(.relatedOriginsMissing(found: "an array with \(other.kind.rawValue)"), subject, other)
        }
        // Each item is a string. A device denies a file that is not valid JSON.
        guard !json.issues.contains(where: { $0.effects.device == .denial }) else { return }
        var origins: [WebURL] = []
        for item in items {
            let text = item.string ?? ""
            guard let origin = try? WebURL.entered(text), origin.scheme == "https" else {
                report(.relatedItem(text, reason: "is not an https origin, so clients ignore it"), subject, item)
                continue
            }
            if !["", "/"].contains(origin.path) || origin.query != nil || origin.fragment != nil {
                report(.relatedItem(text, reason: "has a path, which clients ignore"), subject, item)
            }
            origins.append(origin)
        }
        let labels = Self.minimumLabels(origins.map(\.host))
        if labels > PasskeyIssue.maximumLabels { report(.relatedLabels(count: labels), subject, value) }
        self.origins = origins
    }

    private mutating func report(_ issue: PasskeyIssue, _ subject: String, _ value: JSONValue? = nil) {
        issues.append(Issue(issue, in: subject, at: value?.location))
    }

    /// Returns whether the file lists an origin. Scheme, host and port must be equal.
    package func lists(_ origin: WebURL) -> Bool { origins.map { Self.contains(origin, in: $0) } ?? false }

    package static func contains(_ origin: WebURL, in origins: [WebURL]) -> Bool {
        origins.contains { $0.host == origin.host && ($0.port ?? 443) == (origin.port ?? 443) }
    }

    /// Returns a number of registrable labels that the hosts have at least, whatever the public suffixes are.
    ///
    /// The registrable label of a host can be each of its labels except the last one. Hosts without a common candidate
    /// have different labels.
    static func minimumLabels(_ hosts: [String]) -> Int {
        var used: Set<Substring> = []
        var count = 0
        for host in hosts where !HostText.isAddress(host) {
            let candidates = host.split(separator: ".").dropLast()
            guard !candidates.isEmpty, used.isDisjoint(with: candidates) else { continue }
            used.formUnion(candidates)
            count += 1
        }
        return count
    }
}

extension FileFetch.Step {
    /// Reads a well-known file of an RP ID. Returns no content for a response without JSON.
    func passkeyFile(_ file: PasskeyIssue.File) -> (content: JSONContent?, issues: [Issue]) {
        let subject = url.description
        guard let response = fetched.response else { return (nil, []) }
        guard response.status == 200 else {
            return (nil, [Issue(PasskeyIssue.status(file, response.status), in: subject)])
        }
        if let found = response.typeMismatch("application/json") {
            return (nil, [Issue(PasskeyIssue.contentType(file, found: found), in: subject)])
        }
        let json = JSONContent(content(atMost: RelatedOrigins.maximumSize) ?? [], subject: subject)
        guard let root = json.root, root.object == nil else { return (json, json.issues) }
        let issue = PasskeyIssue.notAnObject(file, found: root.kind.rawValue)
        return (json, json.issues + [Issue(issue, in: subject, at: root.location)])
    }
}
