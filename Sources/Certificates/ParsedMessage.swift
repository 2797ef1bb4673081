import COpenSSL

/// A message that OpenSSL parsed. It owns its OpenSSL object.
@safe struct ParsedMessage: ~Copyable {
    /// The maximum number of digest algorithms in a message. Signers usually share one algorithm.
    ///
    /// OpenSSL recurses once per algorithm. Thousands of algorithms would overflow a small stack.
    static let digestLimit = 64

    let pointer: OpaquePointer

    init(_ message: [UInt8]) throws(CMSIssue) {
        guard !message.isEmpty else { throw .empty }
        let (pointer, left) = unsafe Bio.decoding(message) { unsafe d2i_CMS_ContentInfo(nil, $0, $1) }
        guard let pointer = unsafe pointer else {
            throw ParsedMessage.textual(message) ?? .malformed(reason: OpenSSLErrors.drain())
        }
        // A failing initializer must free the value, because `deinit` does not run.
        let type = unsafe OBJ_obj2nid(CMS_get0_type(pointer))
        guard type == NID_pkcs7_signed else {
            let name = unsafe OBJ_nid2sn(type).map { unsafe String(cString: $0) } ?? "unknown"
            unsafe CMS_ContentInfo_free(pointer)
            throw .notSignedData(type: name)
        }
        guard left == 0 else {
            unsafe CMS_ContentInfo_free(pointer)
            throw .trailingBytes(count: left)
        }
        let digests = unsafe ParsedMessage.digestCount(pointer)
        guard digests <= ParsedMessage.digestLimit else {
            unsafe CMS_ContentInfo_free(pointer)
            throw .malformed(reason: "it names \(digests) digest algorithms")
        }
        unsafe self.pointer = pointer
    }

    deinit {
        unsafe CMS_ContentInfo_free(pointer)
    }

    /// Returns the error for plain JSON or for the text forms that OpenSSL tools write by default.
    private static func textual(_ message: [UInt8]) -> CMSIssue? {
        let first = message.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .isJSON }
        let head = String(decoding: message.prefix(1024), as: UTF8.self).lowercased()
        if head.contains("-----begin ") { return .isPEM }
        if head.hasPrefix("mime-version:") || head.contains("\ncontent-type:") || head.hasPrefix("content-type:") {
            return .isSMIME
        }
        return nil
    }

    /// Returns the number of digest algorithms (RFC 5652 §5.1), which OpenSSL does not expose.
    private static func digestCount(_ pointer: OpaquePointer) -> Int {
        // Encoding the message again makes every length definite.
        let bytes = unsafe Bio.encoding { unsafe i2d_CMS_ContentInfo(pointer, $0) } ?? []
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            var (next, end): (UnsafePointer<UInt8>?, UnsafePointer<UInt8>) = unsafe (start, start + buffer.count)
            /// Reads a header and returns the length of its content; nil at the end.
            func length() -> Int? {
                var (length, tag, form): (Int, Int32, Int32) = (0, 0, 0)
                guard let start = unsafe next, unsafe start < end else { return nil }
                return unsafe ASN1_get_object(&next, &length, &tag, &form, end - start) & 0x80 == 0 ? length : nil
            }
            func skip() { if let length = length() { unsafe next = next.map { unsafe $0 + length } } }
            func enter() { if let length = length(), let start = unsafe next { unsafe end = start + length } }
            enter()  // ContentInfo
            skip()  // contentType
            enter()  // content
            enter()  // SignedData
            skip()  // version
            enter()  // digestAlgorithms
            var count = 0
            while let length = length() {
                unsafe next = next.map { unsafe $0 + length }
                count += 1
            }
            return count
        }
    }
}
