import FuzzSupport
import MotivatorHTTP

/// Parses arbitrary bytes as requests, whole and in pieces. Both must give the same messages and the same end. Half of
/// the inputs also drive a connection. Its actions must not depend on the pieces either.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard !bytes.isEmpty else { return 0 }
    let cuts = Cuts(bytes)
    let limits = cuts.bits & 1 == 0 ? tight : Limits()
    var whole = RequestTranscript(limits)
    _ = whole.read(bytes)
    whole.finish(bytes)
    var cut = RequestTranscript(limits)
    _ = cuts.forEach { cut.read(UnsafeBufferPointer(rebasing: bytes[$0])) }
    cut.finish(bytes)
    requireSame(cut.summary, whole.summary, "the parser depends on the cuts")
    guard cuts.bits & 2 == 0 else { return 0 }
    var owner = ConnectionOwner(limits, choices: cuts.bits >> 8)
    owner.receive(bytes)
    owner.end()
    var cutOwner = ConnectionOwner(limits, choices: cuts.bits >> 8)
    _ = cuts.forEach {
        cutOwner.receive(UnsafeBufferPointer(rebasing: bytes[$0]))
        return true
    }
    cutOwner.end()
    requireSame(cutOwner.summary, owner.summary, "the connection depends on the cuts")
    return 0
}

/// Limits that a short input can reach.
private let tight: Limits = {
    var limits = Limits()
    limits.startLine = 40
    limits.method = 8
    limits.fieldBytes = 60
    limits.fieldLines = 4
    limits.content = 7
    limits.chunkExtensions = 9
    limits.chunkSizeDigits = 4
    limits.requestsPerConnection = 3
    limits.discardedContent = 20
    return limits
}()
