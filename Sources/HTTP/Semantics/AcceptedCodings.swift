/// Which codings of content the client takes (Accept-Encoding, RFC 9110 §12.5.3), out of the two that this server has.
///
/// A member that is malformed is ignored as if it were not there. A coding that is named twice counts with its higher
/// weight. `x-gzip` is gzip (§8.4.1.3).
public struct AcceptedCodings: Sendable {
    /// The coding to answer with.
    public enum Choice: Sendable {
        /// The content in gzip, with a Content-Encoding field that says so.
        case gzip
        /// The content as it is.
        case identity
        /// The client refuses every coding there is. Answer 406, whose own content is sent without a coding: §12.5.3
        /// lets a server fall back on identity only where identity is not refused.
        case none
    }

    /// In thousandths.
    private var gzip = 0
    /// In thousandths; 0 where nothing but the default makes it acceptable.
    private var identity = 0
    private var isIdentityRefused = false

    /// - Parameter lines: every line of the Accept-Encoding field. Without one any coding would be acceptable, and
    ///   identity is chosen, because who does not ask for gzip may not know it; an empty field says identity.
    public init(_ lines: FieldLines) {
        var named: Int?
        var plain: Int?
        var others: Int?
        for line in lines {
            for member in ListMembers(line) {
                guard let (coding, weight) = Self.parse(member) else { continue }
                if coding.equalsIgnoringCase("gzip") || coding.equalsIgnoringCase("x-gzip") {
                    named = max(named ?? 0, weight)
                } else if coding.equalsIgnoringCase("identity") {
                    plain = max(plain ?? 0, weight)
                } else if coding.equalsIgnoringCase("*") {
                    others = max(others ?? 0, weight)
                }
            }
        }
        gzip = named ?? others ?? 0
        identity = plain ?? others ?? 0
        isIdentityRefused = (plain ?? others) == 0
    }

    /// Chooses the coding with the higher weight, gzip if they are equal.
    /// - Parameter isGzipAvailable: whether the representation can be sent in gzip at all.
    public func choice(isGzipAvailable: Bool) -> Choice {
        if isGzipAvailable, gzip > 0, gzip >= identity {
            return .gzip
        }
        return isIdentityRefused ? .none : .identity
    }

    /// Reads `coding` or `coding;q=weight`. Codings have no other parameter.
    private static func parse(_ member: FieldBytes) -> (coding: FieldBytes, weight: Int)? {
        var cursor = FieldCursor(member)
        let coding = cursor.take(while: .token)
        guard !coding.isEmpty else { return nil }
        if cursor.isAtEnd {
            return (coding, Weight.full)
        }
        cursor.skipOptionalWhitespace()
        guard cursor.take(";") else { return nil }
        cursor.skipOptionalWhitespace()
        guard cursor.take("q=") || cursor.take("Q=") else { return nil }
        guard let weight = Weight.thousandths(cursor.takeRest()) else { return nil }
        return (coding, weight)
    }
}
