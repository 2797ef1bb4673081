import MotivatorHTTP
import MotivatorPlatform

package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: the values in order, with a name where the value alone is unclear.
    case text
    /// For programs: one flat JSON object per line.
    case json

    /// Formats an event.
    /// - Parameters:
    ///   - message: a sentence from the server, which may contain quoted external values.
    ///   - more: external values.
    /// - Returns: the line in printable ASCII, with its line break.
    package func event(_ level: String, _ message: String, _ more: [(name: String, value: String)] = []) -> [UInt8] {
        let line = LineBuffer()
        LogField("level", self).append(level, to: line)
        LogField("message", self).append(sentence: message, to: line)
        for (name, value) in more { LogField(name, self).append(value, to: line) }
        return start + field("time", Timestamp.text(Clock.system.now())).dropFirst() + line.bytes + end
    }

    var start: [UInt8] { self == .json ? Array("{".utf8) : [] }

    var end: [UInt8] { Array((self == .json ? "}\n" : "\n").utf8) }

    /// Formats a field with an external value, preceded by its separator.
    func field(_ name: String, _ value: String) -> [UInt8] {
        let line = LineBuffer()
        LogField(name, self).append(value, to: line)
        return line.bytes
    }
}

/// A log field in one format. The initializer formats the separator and name once.
struct LogField {
    /// The fields that people recognize without a name.
    private static let unnamed: Set<String> = [
        "time", "client", "host", "method", "target", "status", "tls", "level", "message",
    ]
    private static let quote = UInt8(ascii: "\"")

    private let prefix: [UInt8]
    private let missing: [UInt8]
    private let format: LogFormat

    init(_ name: String, _ format: LogFormat) {
        self.format = format
        switch format {
        case .text:
            let isUnnamed = Self.unnamed.contains(name)
            prefix = Array((isUnnamed ? " " : " \(name)=").utf8)
            missing = Array((isUnnamed ? " -" : "").utf8)
        case .json:
            prefix = Array(",\"\(name)\":".utf8)
            missing = Array(",\"\(name)\":null".utf8)
        }
    }

    @inline(__always)
    func appendMissing(to line: LineBuffer) {
        line.append(missing)
    }

    @inline(__always)
    func append(_ number: Int, to line: LineBuffer) {
        line.append(prefix)
        line.append(decimal: number)
    }

    func append(_ isTrue: Bool, to line: LineBuffer) {
        line.append(prefix)
        line.append(isTrue ? "true" : "false")
    }

    func append(_ value: String, to line: LineBuffer) {
        Array(value.utf8).withFieldBytes { append($0, to: line) }
    }

    /// Appends the field with an external value. The text format does not quote single words.
    @inline(__always)
    func append(_ value: FieldBytes, to line: LineBuffer) {
        line.append(prefix)
        let (isPlain, hasSpace) = value.quotability
        guard isPlain else {
            line.append(Self.ascii(JSONText.quote(String(decoding: value, as: UTF8.self))))
            return
        }
        // Quotes distinguish the value "-" from the dash for a missing value.
        let isDash = value.count == 1 && value[0] == UInt8(ascii: "-")
        let isQuoted = format == .json || hasSpace || value.isEmpty || isDash
        if isQuoted { line.append(Self.quote) }
        line.append(value)
        if isQuoted { line.append(Self.quote) }
    }

    func append(sentence: String, to line: LineBuffer) {
        line.append(prefix)
        let quoted = Self.ascii(JSONText.quote(sentence))
        switch format {
        case .json: line.append(quoted)
        case .text: line.append(String(quoted.dropFirst().dropLast()).replacing("\\\"", with: "\""))
        }
    }

    /// Escapes non-ASCII characters. A terminal may interpret them or display misleading letters.
    private static func ascii(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x7F }) else { return text }
        return text.utf16.map { unit in
            guard unit >= 0x7F else { return String(UnicodeScalar(UInt8(unit))) }
            return "\\u" + unit.hexadecimal(width: 4)
        }.joined()
    }
}
