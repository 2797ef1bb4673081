import AssociatedDomains
import SourceJSON

/// What a check came to.
public struct Report: Sendable {
    /// What was checked, as it was named.
    public let target: String
    /// The verdict of each reading.
    public let verdicts: [Reading: Verdict]
    /// What was found: the gravest first, and then in the order of their places.
    public let findings: [Finding]
    /// What was asked of the site; empty for a file.
    public let visits: [Visit]
    /// What the file offers, by the place that documents name first; nil when there was nothing to read.
    public let outline: AssociationOutline?
    /// The texts that findings point into, by their subject.
    public let texts: [String: [UInt8]]

    /// The verdict of a reading.
    ///
    /// - Parameter reading: the reading.
    public func verdict(_ reading: Reading) -> Verdict { verdicts[reading] ?? .denied }

    package init(
        target: String, findings: [Finding], visits: [Visit] = [], outline: AssociationOutline?,
        texts: [String: [UInt8]]
    ) {
        let merged = Report.merged(findings)
        self.target = target
        self.findings = merged.sorted(by: Report.isBefore)
        self.visits = visits
        self.outline = outline
        self.texts = texts
        verdicts = Dictionary(
            uniqueKeysWithValues: Reading.allCases.map { reading in
                switch merged.compactMap({ $0.consequences[reading] }).max() {
                case .denial: (reading, .denied)
                case .retry: (reading, .retry)
                case .warning, .note, nil: (reading, .associated)
                }
            })
    }

    /// Joins what was found twice, as the certificate is at both paths, and drops what counts nowhere.
    private static func merged(_ findings: [Finding]) -> [Finding] {
        var merged: [Finding] = []
        var known: [Sameness: Int] = [:]
        for finding in findings where !finding.consequences.readings.isEmpty {
            let sameness = Sameness(code: finding.code, message: finding.message, place: finding.place)
            if let same = known[sameness] {
                merged[same].consequences = merged[same].consequences.joined(with: finding.consequences)
            } else {
                known[sameness] = merged.count
                merged.append(finding)
            }
        }
        return merged
    }

    /// What two findings have in common that say the same. Looked up by hash: a hostile file has tens of thousands.
    private struct Sameness: Hashable {
        package let code: String
        package let message: String
        package let place: SourceLocation?
    }

    private static func isBefore(_ one: Finding, _ other: Finding) -> Bool {
        // What counts for today's documents and devices comes before what counts for old systems alone.
        for reading in Reading.allCases {
            let (mine, theirs) = (one.consequences[reading], other.consequences[reading])
            guard mine != theirs else { continue }
            guard let mine, let theirs else { return mine != nil }
            return mine > theirs
        }
        guard one.subject == other.subject, let place = one.place, let next = other.place else { return false }
        return place < next
    }
}
