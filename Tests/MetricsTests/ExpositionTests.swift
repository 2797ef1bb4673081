import CoreMetrics
import MotivatorServer
import Testing

@Suite("The Prometheus text format") struct ExpositionTests {
    @Test("A metric has its description, its type, and one line for each set of labels")
    func counter() {
        var exposition = Exposition()
        exposition.add(
            "requests_total", .counter, "Responses.",
            [.init(3, [("route", "/"), ("status", "2xx")]), .init(1, [("route", "files"), ("status", "4xx")])])
        exposition.add("memory_bytes", .gauge, "Memory.", [.init(12_345_678)])
        #expect(
            exposition.text == """
                # HELP requests_total Responses.
                # TYPE requests_total counter
                requests_total{route="/",status="2xx"} 3
                requests_total{route="files",status="4xx"} 1
                # HELP memory_bytes Memory.
                # TYPE memory_bytes gauge
                memory_bytes 12345678

                """)
    }

    @Test("Label values and descriptions are escaped")
    func escaping() {
        var exposition = Exposition()
        exposition.add("a", .gauge, "One \\ two\nthree \"four\".", [.init(1, [("path", "C:\\x\n\"y\"é")])])
        #expect(exposition.text.hasPrefix(#"# HELP a One \\ two\nthree "four"."# + "\n"))
        #expect(exposition.text.hasSuffix(#"a{path="C:\\x\n\"y\"é"} 1"# + "\n"))
    }

    @Test("Values keep fractions and large numbers")
    func numbers() {
        var exposition = Exposition()
        let values = [0.25, 0, -1, 9_007_199_254_740_992, .infinity]
        exposition.add("a", .gauge, "A.", values.map { .init($0) })
        let shown = exposition.text.split(separator: "\n").dropFirst(2).map { $0.dropFirst(2) }
        #expect(shown == ["0.25", "0", "-1", "9007199254740992", "+Inf"])
    }

    @Test("The buckets of a histogram are cumulative, and the last one is +Inf")
    func histogram() {
        var exposition = Exposition()
        exposition.add(
            "time_seconds", .histogram, "Time.",
            Exposition.histogram([2, 0, 3, 1], bounds: [0.001, 0.5, 10], sum: 31.5, [("route", "/")]))
        #expect(
            exposition.text.split(separator: "\n").dropFirst(2) == [
                #"time_seconds_bucket{route="/",le="0.001"} 2"#, #"time_seconds_bucket{route="/",le="0.5"} 2"#,
                #"time_seconds_bucket{route="/",le="10"} 5"#, #"time_seconds_bucket{route="/",le="+Inf"} 6"#,
                #"time_seconds_sum{route="/"} 31.5"#, #"time_seconds_count{route="/"} 6"#,
            ])
    }

    @Test("A metric without values is not shown")
    func empty() {
        var exposition = Exposition()
        exposition.add("a", .counter, "A.", [])
        #expect(exposition.text.isEmpty)
    }

    @Test("Counters of swift-metrics are shown with their labels")
    func registry() {
        let registry = PrometheusRegistry(help: ["errors_total": "Errors."])
        let errors = Counter(label: "errors_total", factory: registry)
        Counter(label: "errors_total", dimensions: [("kind", "disk")], factory: registry).increment(by: 2)
        Counter(label: "errors_total", dimensions: [("kind", "disk")], factory: registry).increment()
        Counter(label: "checks_total", factory: registry).increment(by: 7)
        var exposition = Exposition()
        registry.write(to: &exposition)
        #expect(
            exposition.text == """
                # HELP checks_total checks_total
                # TYPE checks_total counter
                checks_total 7
                # HELP errors_total Errors.
                # TYPE errors_total counter
                errors_total 0
                errors_total{kind="disk"} 3

                """)
        errors.destroy()
    }
}
