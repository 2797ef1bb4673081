/// What motivates.
public struct Quote: Sendable, Hashable {
    /// The words.
    public let text: String
    /// Whose words they are.
    public let author: String

    /// - Parameters: as of the properties.
    public init(text: String, author: String) {
        self.text = text
        self.author = author
    }
}
