public import MotivatorPlatform

extension SiteAssociation {
    /// The unverified bytes of an association file.
    public struct Candidate: Sendable {
        /// The bytes as read or received.
        public let bytes: [UInt8]

        /// - Parameter bytes: The bytes as read or received, of any size.
        public init(_ bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// Reads a file.
        ///
        /// - Parameter path: The path of the file.
        /// - Throws: `FileError`, for example `tooLarge` if the file is larger than `maximumSize`.
        public init(path: String) throws(FileError) {
            bytes = try File.read(path, limit: SiteAssociation.maximumSize)
        }
    }
}
