package import CoreMetrics
import MotivatorPlatform

/// Collects the counters of code that runs outside the event loops. That code records no other kind of metric.
///
/// Each event loop counts its own metrics, because the loops do not share mutable data.
package final class PrometheusRegistry: MetricsFactory {
    private final class Cell: CounterHandler {
        private let count = Guarded<Int64>(0)

        var value: Int64 { count.withLock { $0 } }

        func increment(by amount: Int64) { count.withLock { $0 += amount } }

        func reset() { count.withLock { $0 = 0 } }
    }

    private let help: [String: String]
    private let cells = Guarded<[String: [(labels: Exposition.Labels, cell: Cell)]]>([:])

    package init(help: [String: String]) {
        self.help = help
    }

    package func write(to exposition: inout Exposition) {
        for (name, counters) in cells.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            let samples = counters.map { Exposition.Sample($0.cell.value, $0.labels) }
            exposition.add(name, .counter, help[name] ?? name, samples)
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let labels = dimensions.map { (name: $0.0, value: $0.1) }
        return cells.withLock { cells -> Cell in
            let known = cells[label]?.first { cell in
                cell.labels.elementsEqual(labels) { $0 == $1 }
            }
            if let known { return known.cell }
            let cell = Cell()
            cells[label, default: []].append((labels, cell))
            return cell
        }
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    // A counter keeps its value until the program ends.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}
