import FuzzSupport
import MotivatorHTTP

/// Parses arbitrary bytes as the response to a request, whole and in pieces. Both must give the same head, content and
/// end, even if the connection ends there.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzResponses(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard !bytes.isEmpty else { return 0 }
    let cuts = Cuts(bytes)
    var limits = Limits.ofResponse(content: cuts.bits & 1 == 0 ? 10 : 1 << 20)
    if cuts.bits & 2 == 0 {
        limits.startLine = 40
        limits.fieldBytes = 60
        limits.fieldLines = 4
        limits.interimResponses = 2
        limits.chunkExtensions = 9
    }
    let isHead = cuts.bits & 12 == 0
    let isClean = cuts.bits & 16 == 0
    var whole = ResponseTranscript(limits, isHead: isHead)
    _ = whole.read(bytes)
    whole.end(isClean: isClean)
    var cut = ResponseTranscript(limits, isHead: isHead)
    _ = cuts.forEach { cut.read(UnsafeBufferPointer(rebasing: bytes[$0])) }
    cut.end(isClean: isClean)
    requireSame(cut.summary, whole.summary, "the parser depends on the cuts")
    return 0
}

/// The parser's results for an input.
private struct ResponseTranscript {
    struct Summary: Equatable {
        var head = Digest()
        var content: [UInt8] = []
        var interim = 0
        var isComplete = false
        var fault: ResponseError?
    }

    private(set) var summary = Summary()
    private var parser: ResponseParser

    init(_ limits: Limits, isHead: Bool) {
        parser = ResponseParser(limits: limits, isHead: isHead)
    }

    /// Parses a piece.
    ///
    /// - Returns: Whether the parser needs more pieces.
    mutating func read(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        parser.append(FieldBytes(piece))
        while true {
            switch parser.next() {
            case .needMore: return true
            case .head: noteHead()
            case .message, .failure: return false
            }
        }
    }

    /// Ends the connection. The response must then be complete or invalid.
    mutating func end(isClean: Bool) {
        let last = parser.end(isClean: isClean)
        switch last {
        case .message: summary.isComplete = true
        case .failure(let fault):
            summary.fault = fault
            require(!fault.sentence.isEmpty, "a fault has no explanation")
        case .needMore, .head: fatalError("the end of the connection does not end the response")
        }
        require(parser.next() == last && parser.end(isClean: true) == last, "the end does not persist")
        summary.content = parser.content
        require(summary.content.count <= parser.limits.content, "the content exceeds the limit")
    }

    private mutating func noteHead() {
        let head = parser.head
        require((100...999).contains(head.status) && parser.hasHead, "a head has no status")
        summary.interim = parser.interimResponses
        summary.head.add(head.status)
        summary.head.add(head.isHTTP10 ? 1 : 0)
        summary.head.add(head.reason)
        for field in head.fields {
            require(!field.name.isEmpty, "a field has no name")
            summary.head.add(field.name)
            summary.head.add(field.value)
        }
        switch head.framing {
        case .none: summary.head.add(-1)
        case .chunked: summary.head.add(-2)
        case .untilClose: summary.head.add(-3)
        case .length(let length): summary.head.add(length)
        }
    }
}
