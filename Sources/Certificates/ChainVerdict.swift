/// What is to be said about the certificates that a server shows.
public struct ChainVerdict: Equatable, Sendable {
    /// Where the chain ends.
    public enum Anchor: Hashable, Sendable {
        /// At a root of the system.
        case system(subject: String)
        /// At a root that was given to be trusted.
        case given(subject: String)
        /// Nowhere that is trusted.
        case none
    }

    /// Everything that is wrong, and notes (`ChainFault.isNote`); what is wrong with the chain first.
    public let faults: [ChainFault]
    /// The trust anchor that the chain leads to, whatever else is wrong.
    public let anchor: Anchor
    /// The chain as it was built: the server's certificate, its issuers, the trust anchor, as far as they were found.
    public let path: [Certificate]

    /// - Parameters: as of the properties.
    public init(faults: [ChainFault], anchor: Anchor, path: [Certificate]) {
        self.faults = faults
        self.anchor = anchor
        self.path = path
    }

    /// Whether a device would accept the chain: there are notes at most.
    public var isAccepted: Bool { faults.allSatisfy(\.isNote) }
}
