import FuzzSupport
import MotivatorPlatform

@testable import MotivatorServer

/// Parses arbitrary bytes as a PROXY header that arrives in pieces. The parser must request only bytes of the header,
/// and more bytes must not change a decision.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzProxy(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = ProxyHeader.parse(bytes)
    let cuts = bytes.withUnsafeBufferPointer { Cuts($0) }
    var decided: ProxyHeader.Step?
    _ = cuts.forEach { piece in
        check(ProxyHeader.parse(Array(bytes[..<piece.upperBound])), piece.upperBound, whole, &decided)
        return true
    }
    if let decided { require(decided == whole, "the decision depends on the cuts: \(decided), whole \(whole)") }
    readAsAsked(bytes, whole)
    return 0
}

private func check(
    _ step: ProxyHeader.Step, _ count: Int, _ whole: ProxyHeader.Step, _ decided: inout ProxyHeader.Step?
) {
    if let decided {
        require(step == decided, "more bytes change a decision: \(decided), then \(step)")
        return
    }
    switch step {
    case .needMore(let more):
        require(more > 0, "the parser requests no bytes")
        if case .header(_, let length) = whole { require(count + more <= length, "it requests bytes after the header") }
    case .header(let source, let length):
        require((16...count).contains(length) && length <= ProxyHeader.longest, "the header length is \(length) bytes")
        if let source { require([4, 16].contains(source.bytes.count), "the source is not an address") }
        decided = step
    case .malformed(let fault):
        require(!"\(fault)".isEmpty, "a fault has no explanation")
        decided = step
    }
}

/// Reads exactly the bytes that the parser requests, as the server does.
private func readAsAsked(_ bytes: [UInt8], _ whole: ProxyHeader.Step) {
    var count = 0
    var rounds = 0
    while true {
        let step = ProxyHeader.parse(Array(bytes[..<count]))
        guard case .needMore(let more) = step, more <= bytes.count - count else {
            guard case .needMore = step else {
                require(step == whole, "reading the requested bytes results in \(step), whole \(whole)")
                return
            }
            return
        }
        count += more
        rounds += 1
        require(rounds <= 16, "a header takes more than 16 reads")
    }
}
