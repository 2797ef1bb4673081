package import MotivatorPlatform
package import Passkeys

/// A record of an accounts database, independent of the kind of store.
package enum StoreRecord: Sendable, Equatable, Decodable {
    case account(id: Int64, name: String, key: String, hash: String, created: UnixTime, changed: UnixTime)
    /// The digest consists of 64 lowercase hexadecimal digits.
    case session(digest: String, account: Int64, began: UnixTime, used: UnixTime)
    /// An address that is known to an account. The key consists of 64 lowercase hexadecimal digits.
    case address(key: String, at: UnixTime)
    case passkey(account: Int64, value: Passkey)
    /// The secret of all servers that share the store. The value consists of 64 lowercase hexadecimal digits.
    case secret(name: String, value: String)

    /// The position of a record in the order: accounts, sessions, addresses, passkeys, secrets, each sorted by key.
    package enum Position: Sendable, Comparable {
        case account(Int64)
        case session(String)
        case address(String)
        /// The credential ID in hexadecimal digits.
        case passkey(String)
        case secret(String)
    }

    package var position: Position {
        switch self {
        case .account(let id, _, _, _, _, _): .account(id)
        case .session(let digest, _, _, _): .session(digest)
        case .address(let key, _): .address(key)
        case .passkey(_, let passkey): .passkey(passkey.credential.hexadecimal)
        case .secret(let name, _): .secret(name)
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
        case .passkey(let account, let passkey): "{\"passkey\":{\"account\":\(account),\"value\":\(passkey.json)}}"
        case .secret(let name, let value): "{\"secret\":{\"name\":\(JSONText.quote(name)),\"value\":\"\(value)\"}}"
        }
    }

    /// Whether a store accepts the record. A file may come from another program.
    var isValid: Bool {
        switch self {
        case .account(_, let name, let key, let hash, _, _):
            !name.isEmpty && !key.isEmpty && (try? PasswordHash(hash)) != nil
        case .session(let digest, _, _, _): [UInt8](hexadecimal: digest)?.count == SHA256.length
        case .address(let key, _): [UInt8](hexadecimal: key)?.count == SHA256.length
        case .passkey(_, let passkey): passkey.isValid
        case .secret(let name, let value):
            name == PasskeyStatements.secretName && [UInt8](hexadecimal: value)?.count == SHA256.length
        }
    }
}

/// The records of a store. No server may use the store at the same time.
extension AccountStore {
    /// Inserts valid records in one transaction. A secret replaces the existing secret.
    /// - Throws: `StoreError.nameTaken` if another account has the same name. `StoreError.hashChanged` if the
    ///   account of a session or passkey does not exist.
    package func insert(_ records: [StoreRecord]) async throws(StoreError) {
        // PostgreSQL limits a statement to 65,535 parameters. SQLite parses long statements slowly.
        let rowsPerStatement = isShared ? 500 : 50
        var inserts: [(table: String, rows: [[Statement.Parameter]])] = []
        for (table, row) in records.map(row) {
            if let last = inserts.last, last.table == table, last.rows.count < rowsPerStatement {
                inserts[inserts.count - 1].rows.append(row)
            } else {
                inserts.append((table, [row]))
            }
        }
        let plan = inserts.reversed().reduce(Plan<Void>.commit(())) { next, insert in
            let count = insert.rows.count
            return .run(Statement(inserting: insert.rows, into: insert.table)) { rows in
                guard rows.count == count else { throw StoreError.nameTaken }
                return next
            }
        }
        try await run(plan, inTransaction: true)
    }

    /// Returns the table of a record with the columns, and their values.
    private func row(_ record: StoreRecord) -> (table: String, values: [Statement.Parameter]) {
        func bytes(_ digits: String) -> Statement.Parameter { .bytes([UInt8](hexadecimal: digits) ?? []) }
        switch record {
        case .account(let id, let name, let key, let hash, let created, let changed):
            let values: [Statement.Parameter] = [
                .integer(id), .text(name), .text(key), .text(hash), .integer(created), .integer(changed),
            ]
            let table = "account (id, name, name_key, hash, created, changed\(isShared ? ", hash_prefix" : ""))"
            return (table, values + (isShared ? [hashPrefix(hash)] : []))
        case .session(let digest, let account, let began, let used):
            let values = [bytes(digest), .integer(account), .integer(began), .integer(used)]
            return ("session (digest, account, began, used)", values)
        case .address(let key, let at): return ("known_address (key, at)", [bytes(key), .integer(at)])
        case .passkey(let account, let passkey):
            return ("passkey (\(PasskeyStatements.columns))", PasskeyStatements.values(passkey, of: account))
        case .secret(let name, let value): return ("secret (name, value)", [.text(name), bytes(value)])
        }
    }

    /// Returns the next records of one kind in ascending order, or an empty array at the end.
    /// - Parameter position: the position of the previous record; nil to start.
    package func records(
        after position: StoreRecord.Position?, most: Int
    ) async throws(StoreError) -> [StoreRecord] {
        func page(
            _ sql: String, after key: Statement.Parameter, _ record: (any StoredRow) throws -> StoreRecord
        ) async throws(StoreError) -> [StoreRecord] {
            try await values(Statement(sql: "\(sql) LIMIT $2", parameters: [key, .integer(Int64(most))]), record)
        }
        let start = position ?? .account(.min)
        if case .account(let id) = start {
            let sql = "SELECT id, name, name_key, hash, created, changed FROM account WHERE id > $1 ORDER BY id"
            let accounts = try await page(sql, after: .integer(id)) { row in
                .account(
                    id: try row.integer(0), name: try row.text(1), key: try row.text(2), hash: try row.text(3),
                    created: try row.integer(4), changed: try row.integer(5))
            }
            if !accounts.isEmpty { return accounts }
        }
        if start < .address("") {
            let digest = if case .session(let digest) = start { digest } else { "" }
            let sql = "SELECT digest, account, began, used FROM session WHERE digest > $1 ORDER BY digest"
            let sessions = try await page(sql, after: .bytes([UInt8](hexadecimal: digest) ?? [])) { row in
                .session(
                    digest: try row.bytes(0).hexadecimal, account: try row.integer(1), began: try row.integer(2),
                    used: try row.integer(3))
            }
            if !sessions.isEmpty { return sessions }
        }
        if start < .passkey("") {
            let key = if case .address(let key) = start { key } else { "" }
            let sql = "SELECT key, at FROM known_address WHERE key > $1 ORDER BY key"
            let addresses = try await page(sql, after: .bytes([UInt8](hexadecimal: key) ?? [])) { row in
                .address(key: try row.bytes(0).hexadecimal, at: try row.integer(1))
            }
            if !addresses.isEmpty { return addresses }
        }
        if case .secret = start { return [] }
        let credential = if case .passkey(let credential) = start { credential } else { "" }
        let passkeys = try await passkeys(
            PasskeyStatements.page(after: [UInt8](hexadecimal: credential) ?? [], most: most))
        if !passkeys.isEmpty { return passkeys.map { .passkey(account: $0.account.id, value: $0.passkey) } }
        return [.secret(name: PasskeyStatements.secretName, value: try await secret().hexadecimal)]
    }
}

extension Passkey: Decodable {
    private enum CodingKeys: String, CodingKey {
        case credential, rpID = "rp_id", publicKey = "public_key", signCount = "sign_count", aaguid
        case isBackupEligible = "backup_eligible", isBackedUp = "backed_up", isUserVerified = "user_verified"
        case transports, name, created, used
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func bytes(_ key: CodingKeys) throws -> [UInt8] {
            // Invalid digits become an empty array, which is not valid.
            [UInt8](hexadecimal: try values.decode(String.self, forKey: key)) ?? []
        }
        self.init(
            credential: try bytes(.credential), rpID: try values.decode(String.self, forKey: .rpID),
            publicKey: try bytes(.publicKey), signCount: try values.decode(UInt32.self, forKey: .signCount),
            aaguid: try bytes(.aaguid), isBackupEligible: try values.decode(Bool.self, forKey: .isBackupEligible),
            isBackedUp: try values.decode(Bool.self, forKey: .isBackedUp),
            isUserVerified: try values.decode(Bool.self, forKey: .isUserVerified),
            transports: try values.decode([String].self, forKey: .transports),
            name: try values.decode(String.self, forKey: .name),
            created: try values.decode(UnixTime.self, forKey: .created),
            used: try values.decode(UnixTime?.self, forKey: .used))
    }

    fileprivate var json: String {
        "{\"credential\":\"\(credential.hexadecimal)\",\"rp_id\":\(JSONText.quote(rpID)),"
            + "\"public_key\":\"\(publicKey.hexadecimal)\",\"sign_count\":\(signCount),"
            + "\"aaguid\":\"\(aaguid.hexadecimal)\",\"backup_eligible\":\(isBackupEligible),"
            + "\"backed_up\":\(isBackedUp),\"user_verified\":\(isUserVerified),"
            + "\"transports\":[\(transports.map { JSONText.quote($0) }.joined(separator: ","))],"
            + "\"name\":\(JSONText.quote(name)),\"created\":\(created),"
            + "\"used\":\(used.map { "\($0)" } ?? "null")}"
    }

    fileprivate var isValid: Bool {
        16...1023 ~= credential.count && aaguid.count == 16 && 1...2048 ~= publicKey.count && !rpID.isEmpty
            && !name.isEmpty && used != 0 && transports.count <= 8
            && transports.allSatisfy { 1...32 ~= $0.utf8.count && !$0.contains("\n") }
    }
}

extension [UInt8] {
    /// Parses lowercase hexadecimal digits. Returns nil for any other text.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2), digits.allSatisfy("0123456789abcdef".utf8.contains) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
        }
    }
}
