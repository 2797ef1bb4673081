/// How a message marks the end of its content (RFC 9112 §6.3).
package enum Framing: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
    /// The content ends when the connection closes. Only a response can use this framing.
    case untilClose
}

/// A reader for the content of requests and responses (RFC 9112 §6).
struct BodyReader: Sendable {
    private(set) var content: [UInt8] = []
    private var framing = Framing.none
    /// The number of decoded content bytes that have arrived, including discarded bytes.
    private(set) var received = 0
    /// The number of content bytes that have not arrived, if the length is known.
    private(set) var left = 0
    /// The maximum size of the content in bytes.
    private(set) var limit = 0
    /// The number of bytes that the reader may still keep, or discard if `isDiscarding` is true.
    private var allowance = 0
    private var isDiscarding = false
    private var chunks = ChunkedDecoder()

    mutating func limit(to limit: Int) {
        (self.limit, allowance) = (limit, max(limit - content.count, 0))
    }

    mutating func start(_ framing: Framing) {
        self.framing = framing
        switch framing {
        case .none, .untilClose: left = 0
        case .length(let count): left = count
        case .chunked: chunks = ChunkedDecoder()
        }
    }

    /// Discards the content of the previous message.
    /// - Parameter limit: the maximum content size of the next message in bytes.
    mutating func reset(limit: Int) {
        if !content.isEmpty { content = [] }
        (received, isDiscarding) = (0, false)
        (self.limit, allowance) = (limit, limit)
    }

    /// Discards the content, including the bytes that have not arrived.
    /// - Parameter limit: the maximum number of bytes to discard from now on.
    mutating func discard(limit: Int) {
        content = []
        isDiscarding = true
        allowance = limit
    }

    mutating func take() -> [UInt8] {
        let taken = content
        content = []
        return taken
    }

    /// Reads the content that has arrived.
    /// - Returns: whether the content is complete.
    /// - Throws: `contentTooLarge` after keeping the bytes within the limit, or the first error in the chunks.
    mutating func read(_ input: inout InputBuffer, _ limits: Limits) throws(Rejection) -> Bool {
        switch framing {
        case .none: return true
        case .length:
            let count = min(left, input.count)
            try keep(count, of: &input)
            left -= count
            return left == 0
        case .untilClose:
            try keep(input.count, of: &input)
            return false
        case .chunked: return try readChunks(&input, limits)
        }
    }

    private mutating func readChunks(_ input: inout InputBuffer, _ limits: Limits) throws(Rejection) -> Bool {
        while true {
            let piece = try input.withBytes { bytes throws(Rejection) in try chunks.next(bytes, limits) }
            switch piece {
            case .needMore: return false
            case .skip(let count): input.consume(count)
            case .data(let count): try keep(count, of: &input)
            case .end(let count):
                input.consume(count)
                return true
            }
        }
    }

    private mutating func keep(_ count: Int, of input: inout InputBuffer) throws(Rejection) {
        let kept = min(count, allowance)
        if !isDiscarding { input.withBytes { content.append(contentsOf: $0.part(0..<kept)) } }
        allowance -= kept
        received += kept
        guard kept == count else { throw .contentTooLarge }
        input.consume(count)
    }
}

/// The framing fields of a head: Content-Length and Transfer-Encoding (RFC 9112 §6.1, §6.2).
struct FramingFields: Sendable {
    var contentLength: Int?
    private(set) var hasTransferEncoding = false
    private var isChunked = false

    /// Adds a Transfer-Encoding field line. Together, all lines must contain exactly one coding, `chunked`.
    mutating func addTransferEncoding(_ value: FieldBytes, isHTTP10: Bool) throws(Rejection) {
        guard !isHTTP10 else { throw .transferEncodingInOldVersion }
        guard contentLength == nil else { throw .ambiguousFraming }
        hasTransferEncoding = true
        for coding in ListMembers(value) {
            // No coding may follow `chunked`, not even a second `chunked`.
            guard coding.isToken, !isChunked else { throw .malformedTransferEncoding }
            guard coding.equalsIgnoringCase("chunked") else { throw .unknownTransferCoding }
            isChunked = true
        }
    }

    /// Returns the framing; nil if the head has neither field.
    func result() throws(Rejection) -> Framing? {
        if isChunked { return .chunked }
        guard !hasTransferEncoding else { throw .malformedTransferEncoding }
        return contentLength.map { $0 == 0 ? .none : .length($0) }
    }
}
