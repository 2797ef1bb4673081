import COpenSSL

/// The one owner of OpenSSL's form of a message.
struct ParsedMessage: ~Copyable {
    let pointer: OpaquePointer

    init(_ message: [UInt8]) throws(CMSError) {
        guard !message.isEmpty else { throw .empty }
        var left = 0
        let pointer = message.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            let pointer = d2i_CMS_ContentInfo(nil, &next, buffer.count)
            if let start = buffer.baseAddress, let next { left = buffer.count - (next - start) }
            return pointer
        }
        guard let pointer else {
            throw ParsedMessage.textual(message) ?? .malformed(reason: OpenSSLErrors.drain())
        }
        // Each way out of an initializer that fails half-way has to free by hand: `deinit` does not run.
        let type = OBJ_obj2nid(CMS_get0_type(pointer))
        guard type == NID_pkcs7_signed else {
            let name = OBJ_nid2sn(type).map { String(cString: $0) } ?? "unknown"
            CMS_ContentInfo_free(pointer)
            throw .notSignedData(type: name)
        }
        guard left == 0 else {
            CMS_ContentInfo_free(pointer)
            throw .trailingBytes(count: left)
        }
        self.pointer = pointer
    }

    deinit {
        CMS_ContentInfo_free(pointer)
    }

    /// The error for the two text forms that OpenSSL's tools write by default.
    private static func textual(_ message: [UInt8]) -> CMSError? {
        let head = String(decoding: message.prefix(1024), as: UTF8.self).lowercased()
        if head.contains("-----begin ") { return .isPEM }
        if head.hasPrefix("mime-version:") || head.contains("\ncontent-type:") || head.hasPrefix("content-type:") {
            return .isSMIME
        }
        return nil
    }
}
