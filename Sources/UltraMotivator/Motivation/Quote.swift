/// A sentence that keeps somebody going.
public struct Quote: Sendable, Equatable {
    /// The sentence, without quotation marks around it.
    public let text: String
    /// Who wrote it.
    public let author: String
    /// The work it stands in, with its year or place where that helps to find it.
    public let source: String

    init(_ text: String, by author: String, in source: String) {
        self.text = text
        self.author = author
        self.source = source
    }
}
