/// What can be made of a text that is meant to be JSON: as much of its value as can be told, and every fault on the way.
///
/// One slip is one fault. A value is left out rather than made up: a key without a value has no member. A word that is
/// no word of JSON is taken for its nearest meaning (`True`, `None`) or else for a text that lacks its quotes; a
/// malformed number stays as it is written; what is no character is U+FFFD. The time is linear in the text: to look
/// ahead or to read a string again costs a fault, and their number has a limit.
public struct ForgivingJSON: Sendable {
    /// The most faults that are listed: enough to mend a file by hand, and few enough that no text costs much time.
    public static let maximumFaults = 50

    /// The value, or nil when nothing could be made of the text (HTML, RTF, nothing but white space, …).
    public let root: JSONValue?
    /// The faults in the order of the text; only the one that `JSONDocument` throws is always the first.
    ///
    /// Empty exactly when `JSONDocument` throws nothing.
    public let faults: [JSONFault]
    /// The keys that stand twice in one object, in the order in which their objects end.
    public let duplicateKeys: [JSONDocument.DuplicateKey]
    /// Whether the whole text was read; not after `maximumFaults`, extra content, too deep brackets, HTML and RTF.
    public let isComplete: Bool
    /// The text that all locations are in: what was given, or its UTF-8 form when it was in UTF-16 or UTF-32.
    public let text: [UInt8]

    /// Reads a text and goes on after each fault.
    ///
    /// - Parameter bytes: the whole text; the caller limits its size.
    public init(_ bytes: [UInt8]) {
        var parser = JSONParser(bytes, isForgiving: true)
        do throws(JSONFault) {
            try parser.parse()
            isComplete = true
        } catch {
            parser.closeAll()
            isComplete = false
        }
        root = parser.root
        duplicateKeys = parser.duplicateKeys
        text = parser.scanner.bytes
        // Some faults are known only after others: that a string is not closed, at the end of its line.
        faults =
            parser.scanner.faults.prefix(1) + parser.scanner.faults.dropFirst().sorted { $0.location < $1.location }
    }
}
