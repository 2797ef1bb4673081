package import Certificates

extension Authority {
    /// Creates a CA that issues certificates from memory. Its folder is removed before this function returns.
    package static func temporary(permitted: [String] = []) throws -> Authority {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        return try create(folder: directory.path, permitted: permitted)
    }
}
