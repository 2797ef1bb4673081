import AssociatedDomains
public import Certificates
import HTTPSClient

/// What was found at one place of a site, with the redirects that were followed.
public struct Visit: Sendable {
    /// One request with its answer.
    public struct Hop: Sendable {
        /// What was asked for.
        public let url: WebURL
        /// What came of it.
        public let fetched: Fetched
        /// How the certificate chain was judged; nil when none came.
        public let chain: ChainVerdict?
        /// Whether the address was chosen by the caller, and says nothing about the site.
        public let isSteered: Bool

        /// - Parameters: as of the properties.
        public init(url: WebURL, fetched: Fetched, chain: ChainVerdict?, isSteered: Bool = false) {
            self.url = url
            self.fetched = fetched
            self.chain = chain
            self.isSteered = isSteered
        }

        /// Where the answer leads, when it is a redirect.
        var redirect: String? {
            guard let response = fetched.response, [301, 302, 303, 307, 308].contains(response.status) else {
                return nil
            }
            return response.first("location")
        }
    }

    /// The place.
    public let location: Location
    /// The requests in their order; at least one. There is more than one when redirects were followed.
    public let hops: [Hop]
    /// The entries that are the reason to ask there; empty when there is no other than the target.
    public let entries: [AssociatedDomain]

    /// - Parameters:
    ///   - location: the place.
    ///   - hops: the requests in their order, at least one.
    ///   - entries: the entries that are the reason to ask there.
    public init(location: Location, hops: [Hop], entries: [AssociatedDomain] = []) {
        self.location = location
        self.hops = hops
        self.entries = entries
    }
}
