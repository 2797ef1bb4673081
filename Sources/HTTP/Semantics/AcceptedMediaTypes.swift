/// Which media types the client takes (Accept, RFC 9110 §12.5.1).
///
/// A member that is malformed is ignored; a field with no readable member says as much as no field: anything goes. The
/// types asked about have no parameter but `charset=utf-8`, so a range with any other parameter is not about them.
/// The value looks into the receive buffer and lives no longer than that.
public struct AcceptedMediaTypes {
    private let lines: FieldLines

    /// - Parameter lines: every line of the Accept field.
    public init(_ lines: FieldLines) {
        self.lines = lines
    }

    /// How acceptable a type is, in thousandths from 0 (not at all) to 1000; the most specific range that covers it
    /// decides, and of equally specific ones the highest weight.
    /// - Parameters:
    ///   - type: the type, such as `text`, without capital letters.
    ///   - subtype: the subtype, such as `html`, without capital letters.
    public func weight(of type: StaticString, _ subtype: StaticString) -> Int {
        best(type, subtype).weight
    }

    /// How acceptable a type is if a range names it in full, in thousandths; 0 if only `text/*` or `*/*` cover it.
    ///
    /// Every program that does not care sends `*/*`; only a name tells what it is made for.
    public func namedWeight(of type: StaticString, _ subtype: StaticString) -> Int {
        let (weight, specificity) = best(type, subtype)
        return specificity == .exact ? weight : 0
    }

    private enum Specificity: Int {
        case none, any, type, exact
    }

    private func best(_ type: StaticString, _ subtype: StaticString) -> (weight: Int, specificity: Specificity) {
        var best = (weight: 0, specificity: Specificity.none)
        var isEmpty = true
        for line in lines {
            for member in ListMembers(line) {
                guard let range = MediaRange(member) else { continue }
                isEmpty = false
                let specificity = Self.specificity(of: range, type, subtype)
                if specificity.rawValue > best.specificity.rawValue {
                    best = (range.weight, specificity)
                } else if specificity == best.specificity, specificity != .none {
                    best.weight = max(best.weight, range.weight)
                }
            }
        }
        return isEmpty ? (Weight.full, .any) : best
    }

    private static func specificity(
        of range: MediaRange, _ type: StaticString, _ subtype: StaticString
    ) -> Specificity {
        if range.hasForeignParameter {
            return .none
        }
        if range.type.equalsIgnoringCase("*") {
            return .any
        }
        guard range.type.equalsIgnoringCase(type) else { return .none }
        if range.subtype.equalsIgnoringCase("*") {
            return .type
        }
        return range.subtype.equalsIgnoringCase(subtype) ? .exact : .none
    }
}
