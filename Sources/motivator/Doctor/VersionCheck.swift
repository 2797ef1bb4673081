import Accounts
import COpenSSL
import HTTPSClient
import MotivatorPlatform

enum VersionCheck {
    static func outcomes() -> [StatusTable.Row] {
        [
            .good("motivator", "\(Version.number), built with Swift \(Version.swift)"), openSSL, sqlite,
            .good("zlib", Inflation.libraryVersion),
        ]
    }

    private static var openSSL: StatusTable.Row {
        let version = unsafe String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
        let built = [OPENSSL_VERSION_MAJOR, OPENSSL_VERSION_MINOR].map { String($0) }.joined(separator: ".")
        // A later minor version is compatible with earlier minor versions (OpenSSL's release strategy).
        guard isVersion(version, atLeast: built) else {
            return .problem(
                "OpenSSL", "\(version) is older than \(built), the version used to build the program",
                "Update OpenSSL")
        }
        return .good("OpenSSL", version)
    }

    private static var sqlite: StatusTable.Row {
        guard let version = SQLiteStore.libraryVersion else {
            return .problem("SQLite", "does not work", "Reinstall SQLite")
        }
        guard isVersion(version, atLeast: SQLiteStore.minimumLibraryVersion) else {
            return .problem("SQLite", "\(version) is older than \(SQLiteStore.minimumLibraryVersion)", "Update SQLite")
        }
        return .good("SQLite", version)
    }

    /// Returns whether a version is at least the minimum version. A version consists of numbers and dots.
    static func isVersion(_ version: String, atLeast minimum: String) -> Bool {
        let parts = version.split(separator: ".").map { Int($0) ?? 0 }
        let needed = minimum.split(separator: ".").map { Int($0) ?? 0 }
        return !parts.lexicographicallyPrecedes(needed)
    }
}
