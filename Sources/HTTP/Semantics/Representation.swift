package import HTTPTypes

/// Content that many responses share, with prebuilt field lines (RFC 9110 §3.2).
///
/// The event loop writes it without a handler. Each response only copies existing bytes.
package final class Representation: Sendable {
    struct Variant: Sendable {
        let content: [UInt8]
        let isGzip: Bool
        let validators: Validators
        /// The field lines of a 200 response, with their CRLFs.
        let fields: [UInt8]
        /// The field lines of a 304 response: Cache-Control, ETag, Last-Modified, Vary (RFC 9110 §15.4.5).
        let notModifiedFields: [UInt8]
    }

    package struct Selection: Sendable {
        package let status: Int
        /// The status line with its CRLF.
        package let statusLine: [UInt8]
        /// The field lines with their CRLFs, without Date, Server and Connection.
        package let fields: [UInt8]
        /// The content, before `range` is applied.
        package let content: [UInt8]
        /// The range of `content` to send; empty for HEAD and 304.
        package let range: Range<Int>
        package var isGzip = false
    }

    private let plain: Variant
    private let gzip: Variant?
    private let contentType: String
    /// Whether the content is a document without its own Content-Security-Policy.
    package let isPage: Bool

    /// - Parameters:
    ///   - gzip: the gzip-compressed content; nil if compression does not make the content smaller.
    ///   - entityTag: the tag without its quotes: visible ASCII except quotation marks. The gzip variant gets the
    ///     suffix `-gzip`, because a strong tag identifies exact bytes (RFC 9110 §8.8.3.3).
    ///   - fields: additional fields. If they include Content-Security-Policy, the server does not add its document
    ///     fields.
    package init(
        content: [UInt8], gzip: [UInt8]? = nil, contentType: String, entityTag: String, lastModified: Int64,
        cacheControl: String, fields: HTTPFields = [:]
    ) {
        self.contentType = contentType
        isPage = fields[.contentSecurityPolicy] == nil && ResponseSerializer.isPage(contentType)
        func variant(_ content: [UInt8], tag: String, coding: String?) -> Variant {
            var shared = "ETag: \"\(tag)\"\r\n"
            shared += "Last-Modified: \(String(decoding: HTTPDate.bytes(lastModified), as: UTF8.self))\r\n"
            shared += "Cache-Control: \(cacheControl)\r\n"
            if gzip != nil { shared += "Vary: Accept-Encoding\r\n" }
            for field in fields { shared += "\(field.name): \(field.value)\r\n" }
            let start = "Content-Type: \(contentType)\r\nContent-Length: \(content.count)\r\n"
            let form = coding.map { "Content-Encoding: \($0)\r\n" } ?? "Accept-Ranges: bytes\r\n"
            return Variant(
                content: content, isGzip: coding != nil,
                validators: Validators(entityTag: tag, lastModified: lastModified),
                fields: Array((start + form + shared).utf8), notModifiedFields: Array(shared.utf8))
        }
        plain = variant(content, tag: entityTag, coding: nil)
        self.gzip = gzip.map { variant($0, tag: entityTag + "-gzip", coding: "gzip") }
    }

    private static let okay = ResponseSerializer.statusLine(200, "OK")
    private static let notModified = ResponseSerializer.statusLine(304, "Not Modified")
    private static let partial = ResponseSerializer.statusLine(206, "Partial Content")
    private static let failed = ResponseSerializer.statusLine(412, "Precondition Failed")
    private static let unsatisfiable = ResponseSerializer.statusLine(416, "Range Not Satisfiable")
    private static let notAcceptable = ResponseSerializer.statusLine(406, "Not Acceptable")

    /// The length of the uncompressed content in bytes.
    package var count: Int { plain.content.count }

    @inline(__always)
    package func select(for head: RequestHead, now: Int64) -> Selection {
        if !head.isSelective, !head.has(.acceptEncoding) { return whole(plain, head) }
        return head.withFields { selectClosely(head, $0, now: now) }
    }

    private func selectClosely(_ head: RequestHead, _ fields: RequestFields, now: Int64) -> Selection {
        var ranges: ByteRanges =
            head.method == .get && head.has(.range) && plain.validators.allowRange(fields, now: now)
            ? ByteRanges(fields.lines(of: .range), of: count) : .whole
        // A range always refers to the uncompressed content. Offsets into compressed bytes are useless to clients.
        if ContentCoding(fields.lines(of: .acceptEncoding), isGzipAvailable: false) == .none { ranges = .whole }
        var variant = plain
        if ranges == .whole {
            switch ContentCoding(fields.lines(of: .acceptEncoding), isGzipAvailable: gzip != nil) {
            case .gzip: variant = gzip ?? plain
            case .identity: break
            case .none:
                let text = "Accept-Encoding excludes every available coding. Allow identity or gzip."
                return error(Self.notAcceptable, 406, head, text, Array("Vary: Accept-Encoding\r\n".utf8))
            }
        }
        switch variant.validators.evaluate(fields, now: now) {
        case .proceed: break
        case .notModified:
            return Selection(
                status: 304, statusLine: Self.notModified, fields: variant.notModifiedFields, content: [], range: 0..<0)
        case .failed:
            return error(Self.failed, 412, head, "The content has changed. Request it again without the condition.")
        }
        switch ranges {
        case .whole: return whole(variant, head)
        case .part(let part):
            let start = Array("Content-Type: \(contentType)\r\nContent-Length: \(part.count)\r\n".utf8)
            return Selection(
                status: 206, statusLine: Self.partial, fields: start + rangeLine(ranges) + plain.notModifiedFields,
                content: plain.content, range: part)
        case .unsatisfiable:
            let text = "The content is \(count) bytes long. Request a range within this length."
            return error(Self.unsatisfiable, 416, head, text, rangeLine(ranges))
        }
    }

    @inline(__always)
    private func whole(_ variant: Variant, _ head: RequestHead) -> Selection {
        Selection(
            status: 200, statusLine: Self.okay, fields: variant.fields, content: variant.content,
            range: head.method == .head ? 0..<0 : 0..<variant.content.count, isGzip: variant.isGzip)
    }

    private func rangeLine(_ ranges: ByteRanges) -> [UInt8] {
        guard let value = ranges.contentRange(of: count) else { return [] }
        return Array("Content-Range: ".utf8) + value + [0x0D, 0x0A]
    }

    private func error(
        _ statusLine: [UInt8], _ status: Int, _ head: RequestHead, _ sentence: String, _ more: [UInt8] = []
    ) -> Selection {
        let text = Array("\(sentence)\n".utf8)
        let fields =
            "Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(text.count)\r\nCache-Control: no-store\r\n"
        return Selection(
            status: status, statusLine: statusLine, fields: Array(fields.utf8) + more, content: text,
            range: head.method == .head ? 0..<0 : 0..<text.count)
    }
}
