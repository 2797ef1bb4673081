package import CoreMetrics
import MotivatorPlatform

/// Collects the metrics of code that runs outside the event loops.
///
/// Each event loop counts its own metrics, because the loops do not share mutable data.
package final class PrometheusRegistry: MetricsFactory {
    /// The sum and the number of recorded values. For a gauge, the last value instead of the sum.
    private final class Cell: CounterHandler, RecorderHandler, TimerHandler {
        private let state = Guarded((sum: 0.0, count: 0))
        /// Whether each value replaces the previous value.
        private let isGauge: Bool

        init(isGauge: Bool = false) { self.isGauge = isGauge }

        var values: (sum: Double, count: Int) { state.withLock { $0 } }

        func increment(by amount: Int64) { record(Double(amount)) }

        func record(_ value: Int64) { record(Double(value)) }

        func record(_ value: Double) {
            state.withLock { $0 = (isGauge ? value : $0.sum + value, $0.count + 1) }
        }

        func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

        func reset() { state.withLock { $0 = (0, 0) } }
    }

    private struct Family {
        let kind: Exposition.Kind
        var cells: [(labels: Exposition.Labels, cell: Cell)] = []
    }

    private let help: [String: String]
    private let families = Guarded<[String: Family]>([:])

    package init(help: [String: String]) {
        self.help = help
    }

    package func write(to exposition: inout Exposition) {
        for (name, family) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            let samples = family.cells.flatMap { labels, cell in
                let (sum, count) = cell.values
                return family.kind == .summary
                    ? [
                        Exposition.Sample(sum, labels, suffix: "_sum"),
                        Exposition.Sample(Double(count), labels, suffix: "_count"),
                    ] : [Exposition.Sample(sum, labels)]
            }
            exposition.add(name, family.kind, help[name] ?? name, samples)
        }
    }

    private func cell(_ name: String, _ dimensions: [(String, String)], _ kind: Exposition.Kind) -> Cell {
        let labels = dimensions.map { (name: $0.0, value: $0.1) }
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            let known = family.cells.first { cell in
                cell.labels.elementsEqual(labels) { $0 == $1 }
            }
            if let known { return known.cell }
            let cell = Cell(isGauge: kind == .gauge)
            family.cells.append((labels, cell))
            families[name] = family
            return cell
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(label, dimensions, .counter)
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        cell(label, dimensions, aggregate ? .summary : .gauge)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(label, dimensions, .summary)
    }

    // A metric keeps its value until the program ends.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}
