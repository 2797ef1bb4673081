package import Certificates

extension Authority {
    /// Creates a CA that issues certificates from memory. Removes its folder before returning.
    package static func temporary(permitted: [String] = []) throws -> Authority {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        return try create(folder: directory.path, permitted: permitted)
    }
}
