/// The reason why the bytes from a server are not a valid response.
package enum ResponseError: Error, Hashable, Sendable {
    /// The response does not start with `HTTP/`. `start` contains up to 32 bytes of the first line.
    case notHTTP(start: [UInt8])
    /// The server uses HTTP/2, although the client did not offer it.
    case http2
    /// The status line does not consist of `HTTP/1.x`, a space, three digits, a space and a reason phrase.
    case malformedStatusLine
    /// The status line has an HTTP version other than 1.0 or 1.1.
    case unsupportedVersion
    case statusLineTooLong(limit: Int)
    /// An error in the fields or the chunks, which requests can have too.
    case shared(Rejection)
    case tooManyInterimResponses(limit: Int)
    /// The status is 101, although the client did not request another protocol.
    case unrequestedUpgrade
    case conflictingContentLengths(Int, Int)
    /// The connection ended within the head, after `got` bytes.
    case cutShortInHead(got: Int)
    /// The connection ended within the content. `of` is the expected length, if the head declares it.
    case cutShort(got: Int, of: Int?)
    case contentTooLarge(limit: Int)

    /// A description of the error and its value, such as "has more than 200 field lines". The subject of the sentence
    /// is "the response".
    package var sentence: String {
        switch self {
        case .notHTTP(let start): "starts with \(Self.shown(start)) instead of HTTP/1.1"
        case .http2: "uses HTTP/2, which the client did not offer (RFC 9113 section 3.2)"
        case .malformedStatusLine:
            "does not start with a version, a three-digit status and a reason phrase (RFC 9112 section 4)"
        case .unsupportedVersion: "uses an HTTP version other than 1.0 or 1.1 (RFC 9112 section 2.3)"
        case .statusLineTooLong(let limit): "has a status line longer than \(limit) bytes"
        case .shared(let error): Self.sentence(error)
        case .tooManyInterimResponses(let limit): "follows more than \(limit) interim responses"
        case .unrequestedUpgrade:
            "changes the protocol (101), although the client did not request it (RFC 9110 section 15.2.2)"
        case .conflictingContentLengths(let one, let other):
            "has two different Content-Length values, \(one) and \(other) (RFC 9112 section 6.3)"
        case .cutShortInHead(let got): "ends after \(got) bytes of its head"
        case .cutShort(let got, .some(let whole)): "ends after \(got) of \(whole) bytes"
        case .cutShort(let got, .none): "ends after \(got) bytes without close_notify or a last chunk"
        case .contentTooLarge(let limit): "has more than \(limit) bytes of content"
        }
    }

    private static func sentence(_ error: Rejection) -> String {
        let limits = Limits.ofResponse(content: 0)
        return switch error {
        case .bareLineFeed: "has a line that ends with LF alone (RFC 9112 section 2.2)"
        case .malformedFieldName:
            "has a field name that is empty, not a token, or followed by a space (RFC 9112 section 5.1)"
        case .malformedFieldValue: "has a control character in a field value (RFC 9110 section 5.5)"
        case .foldedFieldLine: "has a field that continues on a second line (RFC 9112 section 5.2)"
        case .fieldsTooLarge: "has more than \(limits.fieldBytes) bytes of field lines"
        case .tooManyFieldLines: "has more than \(limits.fieldLines) field lines"
        case .malformedContentLength: "has a Content-Length that is not a number of bytes (RFC 9110 section 8.6)"
        case .ambiguousFraming: "has both Content-Length and Transfer-Encoding (RFC 9112 section 6.1)"
        case .transferEncodingInOldVersion: "uses Transfer-Encoding with HTTP/1.0 (RFC 9112 section 6.1)"
        case .malformedTransferEncoding: "has a malformed Transfer-Encoding (RFC 9112 section 6.1)"
        case .unknownTransferCoding: "has a Transfer-Encoding other than chunked, which the client did not request"
        case .malformedChunkSize: "has a malformed chunk size (RFC 9112 section 7.1)"
        case .malformedChunkExtension: "has a malformed chunk extension (RFC 9112 section 7.1.1)"
        case .chunkExtensionsTooLarge: "has more than \(limits.chunkExtensions) bytes of chunk extensions"
        case .malformedChunkEnd: "has a chunk that does not end with CR LF (RFC 9112 section 7.1)"
        // `malformedFieldLine`. The shared code throws no other rejection.
        case _: "has a field line without a colon (RFC 9112 section 5)"
        }
    }

    /// Returns printable ASCII bytes as text and other bytes as `\\xNN`, on one line.
    private static func shown(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "an empty line" }
        let text = bytes.map { byte in
            let isShown = (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            let digits = String(byte, radix: 16, uppercase: true)
            return isShown ? String(UnicodeScalar(byte)) : byte < 0x10 ? "\\x0\(digits)" : "\\x\(digits)"
        }
        return "\"\(text.joined())\""
    }
}
