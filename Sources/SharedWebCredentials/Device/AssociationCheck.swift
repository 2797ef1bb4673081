public import Platform

/// A check of an association that a device made.
public struct AssociationCheck: Sendable, Hashable {
    /// When, in the device's time.
    public let time: UnixTime
    /// The record after it.
    public let record: AssociationRecord
}
