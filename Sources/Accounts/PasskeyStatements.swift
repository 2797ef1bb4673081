package import MotivatorPlatform
package import Passkeys

/// The reason a ceremony or a change of passkeys was refused. The raw value is the code of the API.
package enum PasskeyRefusal: String, Sendable, CaseIterable {
    case confirmationRequired = "confirmation_required"
    /// The passkey to rename or remove is unknown or belongs to another account.
    case passkeyNotFound = "passkey_not_found"
    /// An account already has a passkey with this credential ID.
    case passkeyExists = "passkey_exists"
    case passkeyLimit = "passkey_limit"
    case challengeUsed = "challenge_used"
    /// The passkey of the ceremony has been removed.
    case unknownPasskey = "unknown_passkey"
    case counterRegression = "counter_regression"
}

package struct StoredPasskey: Sendable, Equatable {
    package let account: StoredAccount
    package let passkey: Passkey
}

/// A challenge that a successful ceremony uses up.
package struct UsedChallenge: Sendable {
    let digest: SHA256
    let expires: UnixTime

    package init(_ bytes: [UInt8], expires: UnixTime) {
        (digest, self.expires) = (SHA256(of: bytes), expires)
    }
}

/// The result of a verified signature of a passkey.
package struct PasskeyUse: Sendable {
    package let passkey: StoredPasskey
    let signCount: UInt32
    let isBackedUp: Bool
    let challenge: UsedChallenge

    package init(of passkey: StoredPasskey, signCount: UInt32, isBackedUp: Bool, challenge: UsedChallenge) {
        (self.passkey, self.signCount, self.isBackedUp) = (passkey, signCount, isBackedUp)
        self.challenge = challenge
    }
}

/// The SQL statements for passkeys. All stores use the same statements.
///
/// All transactions lock rows in this order: account, session, passkey, challenge, known address.
package enum PasskeyStatements {
    /// The maximum number of passkeys per account, for all RP IDs.
    package static let mostPerAccount: Int64 = 20

    /// The name of the secret for challenges and user handles.
    package static let secretName = "passkeys"

    /// The columns of a new row, in the order of `values`.
    static let columns = """
        credential, account, rp_id, public_key, sign_count, aaguid, backup_eligible, backed_up, user_verified, \
        transports, name, created, used
        """

    private static let selection = """
        SELECT account.id, account.name, account.name_key, account.hash, credential, rp_id, public_key, sign_count, \
        aaguid, backup_eligible, backed_up, user_verified, transports, passkey.name, passkey.created, passkey.used
        FROM passkey JOIN account ON account.id = passkey.account
        """

    static func find(_ credential: [UInt8], rpID: String) -> Statement {
        Statement(
            sql: "\(selection) WHERE credential = $1 AND rp_id = $2", parameters: [.bytes(credential), .text(rpID)])
    }

    /// - Parameter rpID: the RP ID; nil for all.
    static func ofAccount(_ account: Int64, rpID: String?) -> Statement {
        Statement(
            sql: """
                \(selection) WHERE passkey.account = $1 AND ($2 = '' OR rp_id = $2)
                ORDER BY passkey.created, credential
                """, parameters: [.integer(account), .text(rpID ?? "")])
    }

    /// Returns passkeys of all accounts in the order of their credential IDs.
    static func page(after credential: [UInt8], most: Int) -> Statement {
        Statement(
            sql: "\(selection) WHERE credential > $1 ORDER BY credential LIMIT $2",
            parameters: [.bytes(credential), .integer(Int64(most))])
    }

    /// The values of `columns`. The time of the last use is 0 before the first use.
    static func values(_ passkey: Passkey, of account: Int64) -> [Statement.Parameter] {
        [
            .bytes(passkey.credential), .integer(account), .text(passkey.rpID), .bytes(passkey.publicKey),
            .integer(Int64(passkey.signCount)), .bytes(passkey.aaguid), .integer(passkey.isBackupEligible ? 1 : 0),
            .integer(passkey.isBackedUp ? 1 : 0), .integer(passkey.isUserVerified ? 1 : 0),
            .text(passkey.transports.joined(separator: "\n")), .text(passkey.name), .integer(passkey.created),
            .integer(passkey.used ?? 0),
        ]
    }

    /// Inserts a passkey. Returns a row if no account has this credential ID.
    static func insert(_ passkey: Passkey, of account: Int64) -> Statement {
        Statement(inserting: [values(passkey, of: account)], into: "passkey (\(columns))")
    }

    private static func lock(account: Int64, otherwise error: StoreError) -> Step {
        let select = Statement(sql: "SELECT id FROM account WHERE id = $1", parameters: [.integer(account)])
        return Step(select, otherwise: error, locks: true)
    }

    private static func session(_ session: Session) -> Step {
        let select = Statement(
            sql: "SELECT began FROM session WHERE digest = $1 AND account = $2",
            parameters: [.bytes(session.digest.bytes), .integer(session.account)])
        return Step(select, otherwise: .hashChanged)
    }

    private static func use(_ challenge: UsedChallenge) -> Step {
        let insert = Statement(
            sql: """
                INSERT INTO used_challenge (digest, expires) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING
                RETURNING expires
                """, parameters: [.bytes(challenge.digest.bytes), .integer(challenge.expires)])
        return Step(insert, otherwise: .passkey(.challengeUsed))
    }

    /// Adds a passkey to the account of a session. If the session has ended, the error is `hashChanged`.
    static func add(_ passkey: Passkey, _ challenge: UsedChallenge, for session: Session) -> [Step] {
        let count = Statement(
            sql: "SELECT id FROM account WHERE id = $1 AND (SELECT count(*) FROM passkey WHERE account = $1) <= $2",
            parameters: [.integer(session.account), .integer(mostPerAccount)])
        return [
            lock(account: session.account, otherwise: .hashChanged), Self.session(session), use(challenge),
            Step(insert(passkey, of: session.account), otherwise: .passkey(.passkeyExists)),
            Step(count, otherwise: .passkey(.passkeyLimit)),
        ]
    }

    /// Starts a session with a passkey, and marks the address as known.
    static func signIn(
        _ use: PasskeyUse, session: SHA256, _ attempt: AttemptKeys, at now: UnixTime
    ) -> [Step] {
        let account = use.passkey.account.id
        return [lock(account: account, otherwise: .passkey(.unknownPasskey))]
            + update(use, session: session, at: now)
            + [
                SessionStatements.begin(session, account, isByPassword: false, at: now),
                ThrottleStatements.remember(attempt, at: now),
            ]
    }

    /// Confirms a session with a passkey. If the session has ended, the error is `hashChanged`.
    static func confirm(_ session: Session, with use: PasskeyUse, at now: UnixTime) -> [Step] {
        let confirm = Statement(
            sql: "UPDATE session SET confirmed = $1 WHERE digest = $2 AND account = $3 RETURNING began",
            parameters: [.integer(now), .bytes(session.digest.bytes), .integer(use.passkey.account.id)])
        return [
            lock(account: session.account, otherwise: .hashChanged),
            Step(confirm, otherwise: .hashChanged, changing: session.digest.prefix),
        ] + update(use, session: session.digest, at: now)
    }

    /// Records the use of a passkey and of its challenge. Only a confirmation of a session with a password changes
    /// `user_verified` (WebAuthn Level 3 §7.2 step 24).
    private static func update(_ use: PasskeyUse, session: SHA256, at now: UnixTime) -> [Step] {
        let (account, passkey) = (use.passkey.account.id, use.passkey.passkey)
        let find = Statement(
            sql: "SELECT created FROM passkey WHERE credential = $1 AND rp_id = $2 AND account = $3",
            parameters: [.bytes(passkey.credential), .text(passkey.rpID), .integer(account)])
        // One statement compares and stores the counter, so servers cannot both accept a value.
        let update = Statement(
            sql: """
                UPDATE passkey SET sign_count = $1, backed_up = $2, used = $3, user_verified = CASE WHEN EXISTS
                (SELECT 1 FROM session WHERE digest = $4 AND password_confirmed > 0) THEN 1 ELSE user_verified END
                WHERE credential = $5 AND (sign_count < $1 OR (sign_count = 0 AND $1 = 0)) RETURNING created
                """,
            parameters: [
                .integer(Int64(use.signCount)), .integer(use.isBackedUp ? 1 : 0), .integer(now), .bytes(session.bytes),
                .bytes(passkey.credential),
            ])
        return [
            Step(find, otherwise: .passkey(.unknownPasskey), locks: true), Self.use(use.challenge),
            Step(update, otherwise: .passkey(.counterRegression)),
        ]
    }

    /// Confirms a session with a password. If the hash has changed or the session has ended, the error is `hashChanged`.
    static func confirm(
        _ session: SHA256, of account: StoredAccount, settling attempt: AttemptKeys, at now: UnixTime
    ) -> [Step] {
        let confirm = Statement(
            sql: """
                UPDATE session SET confirmed = $1, password_confirmed = $1 WHERE digest = $2 AND account = $3
                RETURNING began
                """, parameters: [.integer(now), .bytes(session.bytes), .integer(account.id)])
        return [
            account.lock, Step(confirm, otherwise: .hashChanged, changing: session.prefix),
        ] + ThrottleStatements.settle(attempt, at: now)
    }

    static func rename(_ credential: [UInt8], to name: String, for session: Session) -> [Step] {
        let rename = Statement(
            sql: "UPDATE passkey SET name = $1 WHERE credential = $2 AND account = $3 RETURNING created",
            parameters: [.text(name), .bytes(credential), .integer(session.account)])
        return change(rename, for: session)
    }

    static func remove(_ credential: [UInt8], for session: Session) -> [Step] {
        let remove = Statement(
            sql: "DELETE FROM passkey WHERE credential = $1 AND account = $2 RETURNING created",
            parameters: [.bytes(credential), .integer(session.account)])
        return change(remove, for: session)
    }

    private static func change(_ statement: Statement, for session: Session) -> [Step] {
        [
            lock(account: session.account, otherwise: .hashChanged), Self.session(session),
            Step(statement, otherwise: .passkey(.passkeyNotFound)),
        ]
    }
}

extension AccountStore {
    /// Returns the secret of all servers that share the store.
    func secret() async throws(StoreError) -> [UInt8] {
        let query = Statement(
            sql: "SELECT value FROM secret WHERE name = $1", parameters: [.text(PasskeyStatements.secretName)])
        guard let secret = try await values(query, { try $0.bytes(0) }).first else {
            throw .unavailable(reason: "the database is damaged: the secret is missing")
        }
        return secret
    }

    func isUsed(_ challenge: UsedChallenge) async throws(StoreError) -> Bool {
        let query = Statement(
            sql: "SELECT expires FROM used_challenge WHERE digest = $1", parameters: [.bytes(challenge.digest.bytes)])
        return try await !rows(query).isEmpty
    }

    func passkeys(_ query: Statement) async throws(StoreError) -> [StoredPasskey] {
        try await values(query) { row in
            let transports = try row.text(12), used = try row.integer(15)
            return StoredPasskey(
                account: try StoredAccount(row),
                passkey: Passkey(
                    credential: try row.bytes(4), rpID: try row.text(5), publicKey: try row.bytes(6),
                    signCount: UInt32(clamping: try row.integer(7)), aaguid: try row.bytes(8),
                    isBackupEligible: try row.integer(9) != 0, isBackedUp: try row.integer(10) != 0,
                    isUserVerified: try row.integer(11) != 0,
                    transports: transports.split(separator: "\n").map(String.init), name: try row.text(13),
                    created: try row.integer(14), used: used == 0 ? nil : used))
        }
    }
}
