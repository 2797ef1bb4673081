import Accounts
import FuzzSupport
import MotivatorHTTP

@testable import UltraMotivator

/// Parses arbitrary bytes as the values of Cookie lines, one value per line of the input. A second, simpler parser must
/// find the same values for a name.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookies(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var message = Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8)
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
        message += Array(number.isMultiple(of: 3) ? "COOKIE:".utf8 : "Cookie: ".utf8) + line + [0x0D, 0x0A]
    }
    message += [0x0D, 0x0A]
    var parser = RequestParser()
    message.withFieldBytes { parser.append($0) }
    guard parser.next() == .head else { return 0 }
    let cookies = Cookies(parser.head)
    for name in ["__Host-motivator_session", "__Host-motivator_visit", "a"] {
        let values = cookies.values(of: name)
        let expected = lines.flatMap { reference($0, name) }
        require(values.map { latin1($0) } == expected, "\(name): \(values)")
        for value in values {
            if let token = SessionToken(value) { require(token.text == value, "a token has two encodings") }
        }
    }
    return 0
}

/// Returns the values of a name in a line of bytes.
private func reference(_ line: ArraySlice<UInt8>, _ name: String) -> [[UInt8]] {
    line.split(separator: UInt8(ascii: ";")).compactMap { part in
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let pair = Array(part.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
        let prefix = Array((name + "=").utf8)
        return pair.starts(with: prefix) ? Array(pair.dropFirst(prefix.count)) : nil
    }
}

/// Returns the bytes of a field value in which each character stands for the byte with the same number.
private func latin1(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
}
