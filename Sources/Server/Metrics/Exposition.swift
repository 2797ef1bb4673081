/// Metrics in the Prometheus text format, version 0.0.4.
package struct Exposition {
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package typealias Labels = [(name: String, value: String)]

    package struct Sample {
        /// The suffix of the metric's name, such as `_sum`.
        let suffix: String
        let labels: Labels
        package let value: Double

        package init(_ value: Double, _ labels: Labels = [], suffix: String = "") {
            (self.value, self.labels, self.suffix) = (value, labels, suffix)
        }

        package init(_ value: some BinaryInteger, _ labels: Labels = []) {
            self.init(Double(value), labels)
        }
    }

    package private(set) var text = ""

    package init() {}

    /// Adds a metric.
    /// - Parameters:
    ///   - name: the name with its unit, such as `motivator_hashing_queue_length`.
    ///   - samples: the values. A metric without values is omitted.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples {
            text += name + sample.suffix
            if !sample.labels.isEmpty {
                let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value, quotes: true))\"" }
                text += "{\(labels.joined(separator: ","))}"
            }
            text += " \(Self.number(sample.value))\n"
        }
    }

    /// Returns the samples of a histogram for one set of labels.
    /// - Parameters:
    ///   - counts: the number of values in each bucket, then the number above the last bound.
    ///   - bounds: the upper bounds of the buckets.
    package static func histogram(
        _ counts: some Sequence<UInt64>, bounds: [Double], sum: Double, _ labels: Labels
    ) -> [Sample] {
        var total: UInt64 = 0
        var samples: [Sample] = []
        for (count, bound) in zip(counts, bounds + [.infinity]) {
            total += count
            samples.append(Sample(Double(total), labels + [("le", number(bound))], suffix: "_bucket"))
        }
        return samples + [Sample(sum, labels, suffix: "_sum"), Sample(Double(total), labels, suffix: "_count")]
    }

    private static func escaped(_ text: String, quotes: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            case _: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func number(_ value: Double) -> String {
        if value == .infinity { return "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
