import FuzzSupport
import MotivatorHTTP

/// Decodes arbitrary bytes as chunked content, whole and in pieces. Both must give the same content, end and remaining
/// bytes. A second, much simpler decoder must accept the same content.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChunks(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard !bytes.isEmpty else { return 0 }
    let cuts = Cuts(bytes)
    let limits = cuts.bits & 1 == 0 ? tight : Limits()
    var whole = ChunkTranscript(limits)
    _ = whole.read(bytes)
    var cut = ChunkTranscript(limits)
    _ = cuts.forEach { cut.read(UnsafeBufferPointer(rebasing: bytes[$0])) }
    requireSame(cut, whole, "the decoder depends on the cuts")
    check(whole, against: ReferenceDecoder.decode(bytes), limits)
    return 0
}

/// Checks that a complete message has the content of the reference. Without limits, also checks the reverse.
private func check(_ transcript: ChunkTranscript, against reference: ReferenceDecoder.Result, _ limits: Limits) {
    switch reference {
    case .complete(let content):
        if transcript.isComplete {
            require(transcript.content == content, "the content differs from the reference")
        } else {
            let isLimit = transcript.rejection.map(limited.contains) ?? false
            require(isLimit, "valid content is not accepted: \(String(describing: transcript.rejection))")
        }
    case .invalid: require(!transcript.isComplete, "invalid content is accepted")
    case .undecided: break
    }
}

/// The possible rejections of valid content that is too large.
private let limited: [Rejection] = [
    .contentTooLarge, .malformedChunkSize, .chunkExtensionsTooLarge, .fieldsTooLarge, .tooManyFieldLines,
]

/// Limits that a short input can reach.
private let tight: Limits = {
    var limits = Limits()
    limits.content = 40
    limits.chunkExtensions = 9
    limits.chunkSizeDigits = 4
    limits.fieldBytes = 60
    limits.fieldLines = 3
    return limits
}()

/// The parser's results for an input that follows a fixed head.
private struct ChunkTranscript: Equatable {
    private static let head = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)

    private(set) var content: [UInt8] = []
    private(set) var isComplete = false
    private(set) var rejection: Rejection?
    private var parser: RequestParser

    init(_ limits: Limits) {
        // The limits of the fixed head itself do not matter here.
        parser = RequestParser(limits: limits)
        Self.head.withFieldBytes { parser.append($0) }
        require(parser.next() == .head, "the fixed head is rejected")
    }

    /// Decodes a piece.
    ///
    /// - Returns: Whether the parser needs more pieces.
    mutating func read(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        parser.append(FieldBytes(piece))
        switch parser.next() {
        case .needMore: return true
        case .head: fatalError("a second head before the end of the content")
        case .message:
            content = parser.takeContent()
            isComplete = true
            return false
        case .failure(let rejection):
            self.rejection = rejection
            require(parser.next() == .failure(rejection), "a failure does not persist")
            return false
        }
    }

    static func == (one: ChunkTranscript, other: ChunkTranscript) -> Bool {
        one.content == other.content && one.isComplete == other.isComplete && one.rejection == other.rejection
    }
}
