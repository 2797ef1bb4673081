#if PostgreSQL
import MotivatorPlatform

enum PostgreSQLFailure: Error, Equatable, Sendable {
    /// The server reported an error, with its SQLSTATE.
    case server(state: String, message: String)
    /// The connection failed, or the server could not be reached.
    case lost(String)
    case timedOut
    /// The connection failed during COMMIT, so the result is unknown.
    case uncertain(String)
    case full
    case closed
    case unexpected(String)
    /// This program must not use the database.
    case refused(ExplainedFailure)

    /// Whether concurrent transactions caused the failure. The causes are serialization failures, deadlocks and unique
    /// violations. The transaction had no effect and can be retried.
    ///
    /// A unique violation means that another transaction inserted the same key at the same time. The next try finds
    /// that key.
    var isConflict: Bool {
        guard case .server(let state, _) = self else { return false }
        return ["40001", "40P01", "23505"].contains(state)
    }

    /// Whether the server has become a read-only standby. Another connection may reach the primary server.
    var isReadOnly: Bool {
        guard case .server("25006", _) = self else { return false }
        return true
    }

    /// The reason as one line for the log.
    var reason: String {
        switch self {
        case .server(let state, let message): "PostgreSQL error \(state): \(Self.line(message))"
        case .lost(let reason): "PostgreSQL: \(Self.line(reason))"
        case .timedOut: "PostgreSQL did not respond in time"
        case .uncertain(let reason):
            "PostgreSQL did not confirm a change, so its outcome is unknown: \(Self.line(reason))"
        case .full: "\(PostgreSQLPool.mostWaiting) operations are waiting for the database"
        case .closed: "the database is closed"
        case .unexpected(let reason): "the database is damaged: \(reason)"
        case .refused(let error): "\(error)"
        }
    }

    private static func line(_ message: String) -> String {
        message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// The reasons a PostgreSQL database cannot be used for accounts.
extension ExplainedFailure {
    // Omit libpq's message, because it may contain part of the password.
    static let invalidURL = ExplainedFailure(
        "the PostgreSQL URL in --database is not valid",
        fix: "Use a URL such as postgres://USER@HOST:5432/NAME?sslmode=verify-full, and percent-encode special "
            + "characters")

    static func newer(version: Int64, known: Int) -> ExplainedFailure {
        ExplainedFailure(
            "the database has version \(version); this program supports versions up to \(known)",
            fix: "Use the version of the program that wrote the database, or a newer version", exitCode: .badInput)
    }

    static func encoding(_ name: String) -> ExplainedFailure {
        ExplainedFailure(
            "the database encoding is \(name.quoted), not UTF8", fix: "Create a database with ENCODING 'UTF8'",
            exitCode: .badInput)
    }
}
#endif
