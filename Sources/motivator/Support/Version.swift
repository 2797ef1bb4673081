import CBuild
import COpenSSL
import MotivatorPlatform

enum Version {
    static let number = "0.6.0"
    /// The start of the release month, 2026-11-01T00:00:00Z. A correct clock shows a later time.
    static let released: UnixTime = 1_793_491_200

    static var text: String {
        let commit = BUILD_COMMIT.isEmpty ? "" : " (commit \(BUILD_COMMIT))"
        return
            "motivator \(number)\(commit)\nSwift \(swift)\n\(unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)))"
    }

    /// The Swift version used to build the program.
    static var swift: String {
        #if compiler(>=6.5)
        "6.5 or later"
        #elseif compiler(>=6.4)
        "6.4"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}
