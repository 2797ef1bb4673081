/// A response as a client sees it.
struct Answer: Sendable, Equatable {
    var status: Int
    /// Names in lower case, in their order.
    var fields: [Field] = []
    var content: [UInt8] = []

    struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    var text: String { String(decoding: content, as: UTF8.self) }
    var closes: Bool { self["connection"] == "close" }

    /// The values of a field, joined as they may be; nil without one.
    subscript(_ name: String) -> String? {
        let values = fields.filter { $0.name == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}

extension Answer {
    /// Removes the next response from the start of what was received.
    ///
    /// - Parameters:
    ///   - bytes: what was received; the bytes of the response are removed when it is complete.
    ///   - isHead: whether the request was HEAD.
    /// - Returns: nil while it is incomplete.
    /// - Throws: `Malformed`.
    static func take(from bytes: inout [UInt8], isHead: Bool) throws(Malformed) -> Answer? {
        guard let end = bytes.firstEnd(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<(end - 4)], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3))
        else { throw Malformed(what: "the status line \(lines.first ?? "")") }
        var answer = Answer(status: status)
        for line in lines.dropFirst() { answer.fields.append(try Field(line)) }
        let hasNone = isHead || status < 200 || status == 204 || status == 304
        guard let length = hasNone ? 0 : answer["content-length"].flatMap({ Int($0) }) else {
            throw Malformed(what: "no Content-Length in \(lines)")
        }
        guard bytes.count >= end + length else { return nil }
        answer.content = Array(bytes[end..<end + length])
        bytes.removeFirst(end + length)
        return answer
    }

    struct Malformed: Error { let what: String }
}

extension Answer.Field {
    init(_ line: some StringProtocol) throws(Answer.Malformed) {
        guard let colon = line.firstRange(of: ": ") else { throw Answer.Malformed(what: "the field line \(line)") }
        self.init(name: line[..<colon.lowerBound].lowercased(), value: String(line[colon.upperBound...]))
    }
}

extension [UInt8] {
    /// The end of the first occurrence of some bytes.
    fileprivate func firstEnd(of wanted: [UInt8]) -> Int? {
        guard count >= wanted.count else { return nil }
        return (wanted.count...count).first { end in
            self[end - 1] == wanted[wanted.count - 1] && self[(end - wanted.count)..<end].elementsEqual(wanted)
        }
    }
}
