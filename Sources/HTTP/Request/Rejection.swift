/// The reason why the server rejects a request before a handler gets it.
///
/// A rejection always closes the connection. After an error, the server would have to guess where the next request
/// starts, which allows request smuggling (RFC 9112 §11.2).
package enum Rejection: Error, Equatable, Sendable, CaseIterable {
    case bareLineFeed, malformedMethod, methodTooLong, malformedRequestLine, requestLineTooLong
    case malformedVersion, unsupportedVersion, malformedTarget, targetFormNotForMethod, malformedFieldLine
    case malformedFieldName, malformedFieldValue, foldedFieldLine, fieldsTooLarge, tooManyFieldLines
    case missingHost, repeatedHost, malformedHost, malformedContentLength, repeatedContentLength
    case ambiguousFraming, transferEncodingInOldVersion, malformedTransferEncoding, unknownTransferCoding
    case unknownExpectation, contentTooLarge, malformedChunkSize, malformedChunkExtension
    case chunkExtensionsTooLarge, malformedChunkEnd, headTooSlow, contentTooSlow, plainRequestOnTLSPort
    case tooMuchUnhandledContent

    package var status: Int {
        switch self {
        case .methodTooLong, .unknownTransferCoding: 501
        case .requestLineTooLong: 414
        case .unsupportedVersion: 505
        case .fieldsTooLarge, .tooManyFieldLines: 431
        case .unknownExpectation: 417
        case .contentTooLarge: 413
        case .headTooSlow, .contentTooSlow: 408
        case .tooMuchUnhandledContent: 503
        case _: 400
        }
    }

    /// A message with the error and its fix.
    package var sentence: StaticString {
        switch self {
        case .bareLineFeed: "A line ends with LF alone. End each line with CR LF (RFC 9112 section 2.2)."
        case .malformedMethod:
            "The request does not start with a method. Send a token such as GET, then one space (RFC 9112 section 3)."
        case .methodTooLong: "The method is too long. Use a registered method."
        case .malformedRequestLine:
            "The request line does not have three parts. Separate the method, target and version with single spaces (RFC 9112 section 3)."
        case .requestLineTooLong: "The request target is too long. Shorten the target."
        case .malformedVersion: "The HTTP version is malformed. Send HTTP/1.1 or HTTP/1.0 (RFC 9112 section 2.3)."
        case .unsupportedVersion: "This server supports only HTTP/1.1 and HTTP/1.0. Use one of these versions."
        case .malformedTarget:
            "The request target contains an invalid byte or percent-encoding. Encode such bytes as %XX (RFC 9112 section 3.2)."
        case .targetFormNotForMethod:
            "The method does not allow this form of request target. Send a path that starts with / (RFC 9112 section 3.2)."
        case .malformedFieldLine: "A field line has no colon. Send a name, a colon and a value (RFC 9112 section 5)."
        case .malformedFieldName:
            "A field name is empty or contains a space or another invalid byte. Send a token (RFC 9112 section 5.1)."
        case .malformedFieldValue: "A field value contains a control character. Remove it (RFC 9110 section 5.5)."
        case .foldedFieldLine:
            "A field line starts with white space. Send each field on one line (RFC 9112 section 5.2)."
        case .fieldsTooLarge: "The field lines are too large. Send fewer or shorter field lines."
        case .tooManyFieldLines: "There are too many field lines. Send fewer field lines."
        case .missingHost: "The Host field is missing. Send a Host field with the server's name (RFC 9112 section 3.2)."
        case .repeatedHost: "The request has more than one Host field. Send exactly one (RFC 9112 section 3.2)."
        case .malformedHost:
            "The Host field or the authority of the target is malformed. Send a host, with a port if needed (RFC 9112 section 3.2)."
        case .malformedContentLength:
            "Content-Length is malformed. Send the number of bytes in decimal digits (RFC 9110 section 8.6)."
        case .repeatedContentLength: "Content-Length occurs more than once. Send it only once (RFC 9112 section 6.3)."
        case .ambiguousFraming:
            "The request has both Content-Length and Transfer-Encoding. Send one of them (RFC 9112 section 6.1)."
        case .transferEncodingInOldVersion:
            "Transfer-Encoding requires HTTP/1.1. In an HTTP/1.0 request, send Content-Length instead (RFC 9112 section 6.1)."
        case .malformedTransferEncoding:
            "Transfer-Encoding is malformed. Its only valid value is chunked (RFC 9112 section 6.1)."
        case .unknownTransferCoding: "The transfer coding is not supported. Use chunked, or send Content-Length."
        case .unknownExpectation:
            "The expectation is not supported. Send 100-continue or omit the Expect field (RFC 9110 section 10.1.1)."
        case .contentTooLarge: "The request is too large. Send less text or a smaller file."
        case .malformedChunkSize: "A chunk size is malformed. Send hexadecimal digits and CR LF (RFC 9112 section 7.1)."
        case .malformedChunkExtension: "A chunk extension is malformed. Omit it (RFC 9112 section 7.1.1)."
        case .chunkExtensionsTooLarge: "The chunk extensions are too large. Omit them."
        case .malformedChunkEnd:
            "A chunk exceeds its declared size or does not end with CR LF. Correct the size (RFC 9112 section 7.1)."
        case .headTooSlow: "The request head did not arrive in time. Send it without pauses."
        case .contentTooSlow: "The content did not arrive in time. Send it without long pauses."
        case .plainRequestOnTLSPort: "This port requires HTTPS. Use an https:// URL."
        case .tooMuchUnhandledContent:
            "Too many requests with unfinished content are open. Finish or close some of them, then try again."
        }
    }
}
