import GRDB

extension Database {
    /// The number that a statement gives.
    func scalar(_ sql: String) throws -> Int? {
        try Int.fetchOne(self, sql: sql)
    }
}
