import GRDB

/// Another program that has the same database open.
struct Intruder {
    private let database: DatabaseQueue

    init(_ path: String) throws {
        var configuration = Configuration()
        // The connection keeps its locks between calls, like an open shell.
        configuration.allowsUnsafeTransactions = true
        database = try DatabaseQueue(path: path, configuration: configuration)
    }

    func execute(_ sql: String) async throws {
        try await database.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}
