/// The server's `--name value` arguments. The harness passes each exactly once.
struct Arguments {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "hummingbird-server: --\(name) VALUE is missing; Benchmarks/bench.py gives them all" }
    }

    private let values: [String: String]

    init(_ words: some Sequence<String>) {
        var values: [String: String] = [:]
        var words = words.makeIterator()
        while let name = words.next(), let value = words.next() { values[name] = value }
        self.values = values
    }

    func text(_ name: String) throws -> String {
        guard let value = values["--\(name)"] else { throw Missing(name: name) }
        return value
    }

    func port(_ name: String) throws -> Int {
        guard let port = Int(try text(name)) else { throw Missing(name: name) }
        return port
    }
}
