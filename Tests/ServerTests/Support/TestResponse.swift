/// A response as a client sees it.
struct TestResponse: Sendable, Equatable {
    var status: Int
    /// The fields in order, with lowercase names.
    var fields: [Field] = []
    var content: [UInt8] = []

    struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    var text: String { String(decoding: content, as: UTF8.self) }
    var closes: Bool { self["connection"] == "close" }

    /// Returns the joined values of a field, or nil if the field is absent.
    subscript(_ name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension TestResponse {
    /// Removes the next response from the received bytes.
    ///
    /// - Parameters:
    ///   - bytes: The received bytes. The function removes a complete response from them.
    ///   - isHead: Whether the request was HEAD.
    /// - Returns: The response, or nil if it is incomplete.
    /// - Throws: `Malformed`.
    static func take(from bytes: inout [UInt8], isHead: Bool) throws(Malformed) -> TestResponse? {
        guard let end = bytes.firstEnd(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<(end - 4)], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3))
        else { throw Malformed(what: "the status line \(lines.first ?? "")") }
        var response = TestResponse(status: status)
        for line in lines.dropFirst() { response.fields.append(try Field(line)) }
        let hasNone = isHead || status < 200 || status == 204 || status == 304
        guard let length = hasNone ? 0 : response["content-length"].flatMap({ Int($0) }) else {
            throw Malformed(what: "no Content-Length in \(lines)")
        }
        guard bytes.count >= end + length else { return nil }
        response.content = Array(bytes[end..<end + length])
        bytes.removeFirst(end + length)
        return response
    }

    struct Malformed: Error { let what: String }
}

extension TestResponse.Field {
    init(_ line: some StringProtocol) throws(TestResponse.Malformed) {
        guard let colon = line.firstRange(of: ": ") else {
            throw TestResponse.Malformed(what: "the field line \(line)")
        }
        self.init(name: line[..<colon.lowerBound].lowercased(), value: String(line[colon.upperBound...]))
    }
}

extension [UInt8] {
    /// Returns the index after the first occurrence of a byte sequence.
    fileprivate func firstEnd(of wanted: [UInt8]) -> Int? {
        guard count >= wanted.count else { return nil }
        return (wanted.count...count).first { end in
            self[end - 1] == wanted[wanted.count - 1] && self[(end - wanted.count)..<end].elementsEqual(wanted)
        }
    }
}
