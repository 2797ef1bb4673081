import MotivatorHTTP
import MotivatorPlatform

package enum LogFormat: String, Sendable, CaseIterable {
    /// For people: the values in order, with a name where the value alone is unclear.
    case text
    /// For programs: one flat JSON object per line.
    case json

    /// Formats a line.
    /// - Returns: the line in printable ASCII, with its line break.
    func line(_ parts: [(name: String, value: LogValue)]) -> [UInt8] {
        start + fields(parts).dropFirst() + end
    }

    package func event(_ level: String, _ message: String, _ more: [(name: String, value: LogValue)] = []) -> [UInt8] {
        line(
            [
                ("time", .text(Timestamp.text(Clock.system.now()))), ("level", .text(level)),
                ("message", .sentence(message)),
            ] + more)
    }

    var start: [UInt8] { self == .json ? Array("{".utf8) : [] }

    var end: [UInt8] { Array((self == .json ? "}\n" : "\n").utf8) }

    /// Formats fields, each preceded by its separator.
    func fields(_ parts: [(name: String, value: LogValue)]) -> [UInt8] {
        let line = LineBuffer()
        for part in parts {
            let field = LogField(part.name, self)
            switch part.value {
            case .text(let text?): field.append(text, to: line)
            case .text(nil): field.appendMissing(to: line)
            case .sentence(let text): field.append(sentence: text, to: line)
            }
        }
        return line.bytes
    }
}

package enum LogValue: Sendable {
    /// External text, or nil.
    case text(String?)
    /// A sentence from the server, which may contain quoted external values.
    case sentence(String)
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

    @inline(__always)
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
