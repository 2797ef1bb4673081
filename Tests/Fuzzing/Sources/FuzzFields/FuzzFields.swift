import FuzzSupport
import MotivatorHTTP

/// Parses arbitrary bytes as the value of a field. The first byte selects the kind of field. The rest is the value. An
/// LF in the value starts the next line of the field.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFields(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0, let start else { return 0 }
    // A copy, so that a read past the end of a value is also past the end of its memory.
    let value = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    switch start[0] {
    case UInt8(ascii: "d"): value.withFieldBytes(checkDate)
    case UInt8(ascii: "r"): checkRanges(value)
    case UInt8(ascii: "c"): checkCodings(value)
    case UInt8(ascii: "m"): checkMediaTypes(value)
    case UInt8(ascii: "e"): checkEntityTags(value)
    case UInt8(ascii: "l"): value.withFieldBytes(checkMembers)
    case UInt8(ascii: "h"): checkAuthority(value)
    case UInt8(ascii: "p"): checkPreconditions(value)
    case _: break
    }
    return 0
}

/// Calls `body` with the lines of a field. Each line is a separate element.
func withLines<Result>(_ value: [UInt8], _ body: (FieldLines) -> Result) -> Result {
    value.withFieldBytes { bytes in
        var lines = FieldLines()
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            lines.append(FieldBytes(rebasing: line))
        }
        return body(lines)
    }
}

/// Returns the same members on a single line. A list has the same meaning on one line and on several (RFC 9110 §5.3).
///
/// Returns nil if a quoted string could span the lines.
func onOneLine(_ value: [UInt8]) -> [UInt8]? {
    guard value.contains(0x0A), !value.contains(UInt8(ascii: "\"")) else { return nil }
    return value.flatMap { $0 == 0x0A ? Array(", ".utf8) : [$0] }
}

/// Returns the lines in reverse order, which does not change the meaning if weights determine the choice.
func reversed(_ value: [UInt8]) -> [UInt8] {
    Array(value.split(separator: 0x0A, omittingEmptySubsequences: false).reversed().joined(separator: [0x0A]))
}
