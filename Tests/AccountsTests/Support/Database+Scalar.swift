import GRDB

extension Database {
    /// Returns the number that a statement produces.
    func scalar(_ sql: String) throws -> Int? {
        try Int.fetchOne(self, sql: sql)
    }
}
