/// What came of installing an app.
public struct Installation: Sendable, Hashable {
    /// An entry that the device drops without a word.
    public struct Dropped: Sendable, Hashable {
        /// The entry as it is written.
        public let text: String
        /// Why, without the full stop.
        public let reason: String
        /// What to do about it, without the full stop.
        public let remedy: String
    }

    /// Whether the app was there before, and its records were reset.
    public let isReinstallation: Bool
    /// The entries that are as if they were not there.
    public let dropped: [Dropped]
    /// The records, after the sites were asked.
    public let records: [AssociationRecord]
}
