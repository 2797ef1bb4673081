import AssociatedDomains

extension Report {
    /// How many findings of each severity there are, for each reading, without the full stop: such as
    /// `documented, device: 1 note; legacy: 1 error`.
    public var summary: String {
        guard !findings.isEmpty else { return "Nothing to remark" }
        var parts: [(counts: String, readings: [Reading])] = []
        for reading in Reading.allCases {
            let counts = counts(in: reading)
            if let known = parts.firstIndex(where: { $0.counts == counts }) {
                parts[known].readings.append(reading)
            } else {
                parts.append((counts, [reading]))
            }
        }
        let told = parts.map { part in
            parts.count == 1 ? part.counts : "\(part.readings.map(\.rawValue).joined(separator: ", ")): \(part.counts)"
        }
        return told.joined(separator: "; ")
    }

    private func counts(in reading: Reading) -> String {
        let counts = Severity.allCases.reversed().compactMap { severity -> String? in
            let count = findings.count { $0.severity(in: reading) == severity }
            return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
        }
        return counts.isEmpty ? "nothing" : counts.joined(separator: ", ")
    }
}
