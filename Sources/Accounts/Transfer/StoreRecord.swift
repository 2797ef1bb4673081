package import MotivatorPlatform

/// A record of an accounts database, independent of the kind of store.
package enum StoreRecord: Sendable, Equatable, Decodable {
    case account(id: Int64, name: String, key: String, hash: String, created: UnixTime, changed: UnixTime)
    /// The digest consists of 64 lowercase hexadecimal digits.
    case session(digest: String, account: Int64, began: UnixTime, used: UnixTime)
    /// An address that is known to an account. The key consists of 64 lowercase hexadecimal digits.
    case address(key: String, at: UnixTime)

    /// The position of a record in the order: accounts, then sessions, then addresses, each sorted by key.
    package enum Position: Sendable, Comparable {
        case account(Int64)
        case session(String)
        case address(String)
    }

    package var position: Position {
        switch self {
        case .account(let id, _, _, _, _, _): .account(id)
        case .session(let digest, _, _, _): .session(digest)
        case .address(let key, _): .address(key)
        }
    }

    /// The record as one line of JSON. Each record has exactly one representation.
    var json: String {
        switch self {
        case .account(let id, let name, let key, let hash, let created, let changed):
            "{\"account\":{\"id\":\(id),\"name\":\(JSONText.quote(name)),\"key\":\(JSONText.quote(key)),"
                + "\"hash\":\(JSONText.quote(hash)),\"created\":\(created),\"changed\":\(changed)}}"
        case .session(let digest, let account, let began, let used):
            "{\"session\":{\"digest\":\"\(digest)\",\"account\":\(account),\"began\":\(began),\"used\":\(used)}}"
        case .address(let key, let at): "{\"address\":{\"key\":\"\(key)\",\"at\":\(at)}}"
        }
    }

    /// Whether a store accepts the record. A file may come from another program.
    var isValid: Bool {
        switch self {
        case .account(_, let name, let key, let hash, _, _):
            !name.isEmpty && !key.isEmpty && (try? PasswordHash(hash)) != nil
        case .session(let digest, _, _, _): [UInt8](hexadecimal: digest)?.count == SHA256.length
        case .address(let key, _): [UInt8](hexadecimal: key)?.count == SHA256.length
        }
    }
}

/// A store whose records can be copied to another store. No server may use the store at the same time.
package protocol RecordStore: Sendable {
    /// Returns the next records in ascending order, or an empty array at the end.
    /// - Parameter position: the position of the previous record; nil to start.
    func records(after position: StoreRecord.Position?, most: Int) async throws(StoreError) -> [StoreRecord]

    /// Inserts valid records in one transaction.
    /// - Throws: `StoreError.nameTaken` if another account has the same name. `StoreError.hashChanged` if a session's
    ///   account does not exist.
    func insert(_ records: [StoreRecord]) async throws(StoreError)

    /// Checks the entire content of the store.
    /// - Returns: a description of the damage; nil if there is none.
    func damage() async throws(StoreError) -> String?

    /// Finishes the operations in progress and closes the store.
    func close() async
}

extension [UInt8] {
    /// Parses lowercase hexadecimal digits. Returns nil for any other text.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(digits[index]), let low = Self.value(digits[index + 1]) else { return nil }
            append(high << 4 | low)
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case _: nil
        }
    }
}
