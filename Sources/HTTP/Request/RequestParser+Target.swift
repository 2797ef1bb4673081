extension RequestParser {
    /// Parses the four forms of a request target (RFC 9112 §3.2).
    mutating func parseTarget(_ bytes: FieldBytes, _ target: Range<Int>) throws(Rejection) {
        let part = bytes.part(target)
        if head.method == .connect {
            // authority-form: the port is required and not empty (RFC 9110 §9.3.6).
            guard let host = HostSyntax.host(in: part), host.upperBound + 1 < part.count else {
                throw .targetFormNotForMethod
            }
            head.pathRange = .init(target)
            return
        }
        if part.isExactly("*") {
            guard head.method == .options else { throw .targetFormNotForMethod }
            head.isAsterisk = true
            head.pathRange = .init(target)
            return
        }
        if part[0] == UInt8(ascii: "/") {
            try parsePathAndQuery(bytes, target)
            return
        }
        try parseAbsoluteForm(bytes, target)
    }

    /// Parses `http://authority/path?query`. The authority takes precedence over Host (RFC 9112 §3.2.2).
    private mutating func parseAbsoluteForm(_ bytes: FieldBytes, _ target: Range<Int>) throws(Rejection) {
        let part = bytes.part(target)
        let scheme: Int
        if part.count > 7, part.part(0..<7).equalsIgnoringCase("http://") {
            scheme = 7
        } else if part.count > 8, part.part(0..<8).equalsIgnoringCase("https://") {
            scheme = 8
        } else {
            throw .malformedTarget
        }
        let start = target.lowerBound + scheme
        let end = bytes[start..<target.upperBound].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        let authority = start..<(end ?? target.upperBound)
        guard let host = HostSyntax.host(in: bytes.part(authority)) else { throw .malformedHost }
        head.hostRange = .init(authority.lowerBound..<authority.lowerBound + host.count)
        try parsePathAndQuery(bytes, authority.upperBound..<target.upperBound)
        if head.pathRange.count == 0 {
            // An empty path means "/" (RFC 9110 §4.2.3). The path range then refers to the slash before the authority.
            head.pathRange = .init(start - 1..<start)
            head.isAsterisk = head.method == .options && head.queryRange == nil
        }
    }

    @inline(__always)
    private mutating func parsePathAndQuery(_ bytes: FieldBytes, _ range: Range<Int>) throws(Rejection) {
        var question: Int?
        var index = range.lowerBound
        while true {
            index = bytes.end(of: ByteClass.plainTarget, in: index..<range.upperBound)
            guard index < range.upperBound else { break }
            let byte = bytes[index]
            guard ByteClass.has(byte, ByteClass.target) else { throw .malformedTarget }
            if byte == UInt8(ascii: "%") {
                guard index + 2 < range.upperBound, ByteClass.has(bytes[index + 1], ByteClass.hex),
                    ByteClass.has(bytes[index + 2], ByteClass.hex),
                    bytes[index + 1] != UInt8(ascii: "0") || bytes[index + 2] != UInt8(ascii: "0")
                else { throw .malformedTarget }
                index += 2
            } else if byte == UInt8(ascii: "?"), question == nil {
                question = index
            }
            index += 1
        }
        head.pathRange = .init(range.lowerBound..<(question ?? range.upperBound))
        head.queryRange = question.map { .init($0 + 1..<range.upperBound) }
    }
}

/// The syntax of `uri-host [":" port]` (RFC 9110 §4.2, RFC 3986 §3.2), without user information.
package enum HostSyntax {
    /// Finds the host in an authority.
    /// - Returns: the range of the host with its brackets; nil if the syntax is invalid, the host is empty, or the port
    ///   exceeds 65,535.
    @inline(__always)
    package static func host(in bytes: FieldBytes) -> Range<Int>? {
        guard let first = bytes.first else { return nil }
        var end = 0
        if first == UInt8(ascii: "[") {
            guard let close = bytes.firstIndex(of: UInt8(ascii: "]")), bytes.part(1..<close).isIPv6Address else {
                return nil
            }
            end = close + 1
        } else {
            end = bytes.end(of: ByteClass.regName, in: 0..<bytes.count)
            guard end == bytes.count || bytes[end] == UInt8(ascii: ":") else { return nil }
            var start = 0
            while let percent = bytes.first(UInt8(ascii: "%"), in: start..<end) {
                guard percent + 2 < end, ByteClass.has(bytes[percent + 1], ByteClass.hex),
                    ByteClass.has(bytes[percent + 2], ByteClass.hex)
                else { return nil }
                start = percent + 3
            }
        }
        guard end > 0 else { return nil }
        if end < bytes.count {
            guard bytes[end] == UInt8(ascii: ":") else { return nil }
            let port = bytes.part(end + 1..<bytes.count)
            // "host:" is valid: an empty port means the default port (RFC 3986 §3.2.3).
            guard port.isEmpty || (port.count <= 5 && (port.decimal ?? .max) <= 65_535) else { return nil }
        }
        return 0..<end
    }
}
