import FuzzSupport
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import SourceJSON

@testable import UltraMotivator

/// Parses arbitrary bytes as the content of an API call. The members must match the document, and text that is quoted
/// for JSON or HTML must not break out of its quotes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCallJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let request = Request(head: head, content: bytes, peer: peer)
    let call = APICall(request: request, takesEveryType: bytes.count.isMultiple(of: 2))
    do throws(Explanation) {
        let values = try call.members([.username, .password])
        require(values.count == 2, "a member is missing")
        check(values, in: bytes)
    } catch {
        require(error.status == 400, "malformed content results in \(error.status)")
        require(!error.sentence.isEmpty, "an error has no problem or fix")
        if error.code == "malformed_json" { require(isFixed(error.sentence), "an error repeats the content") }
    }
    checkQuoting(String(decoding: bytes, as: UTF8.self))
    return 0
}

private let head: RequestHead = {
    var parser = RequestParser()
    Array("POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n".utf8)
        .withFieldBytes { parser.append($0) }
    require(parser.next() == .head, "the fixed head is rejected")
    return parser.head
}()

private let peer: Peer = {
    guard let address = SocketAddress("127.0.0.1", port: 1) else { fatalError("invalid address") }
    return Peer(address: address)
}()

private func check(_ values: [String], in bytes: [UInt8]) {
    guard let document = try? JSONDocument(bytes), let object = document.root.object else {
        fatalError("members without an object")
    }
    for (key, value) in zip(["username", "password"], values) {
        let members = object.members.filter { $0.key.utf8.elementsEqual(key.utf8) }
        require(members.count == 1, "a duplicate member is accepted")
        require(members[0].value.string?.utf8.elementsEqual(value.utf8) ?? false, "a value differs")
    }
}

/// Returns whether a message contains only fixed text and positions: ASCII letters, spaces and digits.
private func isFixed(_ sentence: String) -> Bool {
    sentence.utf8.count <= 120 && sentence.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 }
}

private func checkQuoting(_ text: String) {
    let quoted = JSONText.quote(text)
    guard let document = try? JSONDocument(Array(quoted.utf8)) else { fatalError("a quoted text is not JSON") }
    require(document.root.string?.utf8.elementsEqual(text.utf8) ?? false, "a quoted text differs")
    require(quoted.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a quoted text contains a control character")
    let escaped = HTMLText.escape(text)
    require(!escaped.utf8.contains { "<>\"'".utf8.contains($0) }, "an escaped text has a character of HTML")
}
