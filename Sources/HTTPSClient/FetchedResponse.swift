/// An answer, as far as it came.
public struct FetchedResponse: Sendable {
    /// The status, 100 to 999 as sent; RFC 9110 §15 wants those above 599 to be taken for 5xx.
    public let status: Int
    /// The reason phrase as sent, often empty.
    public let reason: String
    /// The fields in their order; each byte of a value is the character of its number (ISO 8859-1).
    public let fields: [(name: String, value: String)]
    /// The content without chunks, never more than the fetcher's bound.
    public let content: [UInt8]

    /// The values of all field lines of a name.
    ///
    /// - Parameter name: the name, whose case does not count.
    /// - Returns: the values in their order, one for each line.
    public func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return fields.filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The value of the first field line of a name, or nil when there is none.
    ///
    /// - Parameter name: the name, whose case does not count.
    public func first(_ name: String) -> String? { values(of: name).first }
}
