import MotivatorPlatform

/// The user's data folder: the default location of the CA, the database and the simulated device.
///
/// The folder is `$XDG_DATA_HOME/motivator`, or `~/.local/share/motivator` by default. On macOS, the default is
/// `~/Library/Application Support/motivator`. Without a home folder, as in a system service, the folder is
/// `/var/lib/motivator`. The path `/` does not count as a home folder.
enum DataFolder {
    /// Returns the default path of a file or folder, such as `certs`.
    static func path(_ name: String) -> String { folder + "/" + name }

    static var folder: String { folder { Environment[$0] } }

    static func folder(_ variable: (String) -> String?) -> String {
        // The XDG specification requires programs to ignore relative paths.
        func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = absolute("HOME").flatMap { $0 == "/" ? nil : $0 }
        #if os(macOS)
        let shared = home.map { $0 + "/Library/Application Support" }
        #else
        let shared = home.map { $0 + "/.local/share" }
        #endif
        return (absolute("XDG_DATA_HOME") ?? shared ?? "/var/lib") + "/motivator"
    }
}

enum Environment {
    /// The value of a variable; nil if the variable is unset or empty.
    static subscript(_ name: String) -> String? {
        let value = unsafe getenv(name).map { unsafe String(cString: $0) }
        return value?.isEmpty == false ? value : nil
    }
}
