import Platform

extension SiteAssociation {
    /// The bytes of an association file before anything about them is known.
    public struct Candidate: Sendable {
        /// The bytes as they were read or received.
        public let bytes: [UInt8]

        /// - Parameter bytes: the bytes as they were read or received; any number of them.
        public init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// Reads a file.
        ///
        /// - Parameter path: the file.
        /// - Throws: `FileError`, `tooLarge` among others when it has more than `maximumSize` bytes.
        public init(path: String) throws(FileError) {
            bytes = try File.read(path, limit: SiteAssociation.maximumSize)
        }
    }
}
