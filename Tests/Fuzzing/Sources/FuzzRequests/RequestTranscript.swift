import FuzzSupport
import MotivatorHTTP

/// The parser's results for an input.
struct RequestTranscript {
    /// The results that must not depend on the pieces.
    struct Summary: Equatable {
        var digest = Digest()
        var messages = 0
        var rejection: Rejection?
        /// The parser's state after the last byte, unless it rejected the bytes.
        var isBetweenMessages = false
    }

    private(set) var summary = Summary()
    private var parser: RequestParser

    init(_ limits: Limits) {
        parser = RequestParser(limits: limits)
    }

    /// Parses a piece.
    ///
    /// - Returns: Whether the parser needs more pieces.
    mutating func read(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        parser.append(FieldBytes(piece))
        while true {
            switch parser.next() {
            case .needMore: return true
            case .head: noteHead()
            case .message:
                summary.messages += 1
                summary.digest.add(parser.takeContent())
            case .failure(let rejection):
                summary.rejection = rejection
                return false
            }
        }
    }

    /// Ends the input. A rejected connection stays rejected.
    mutating func finish(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let rejection = summary.rejection else {
            summary.isBetweenMessages = parser.isBetweenMessages
            return
        }
        require(parser.next() == .failure(rejection), "a failure does not persist")
        parser.append(FieldBytes(bytes))
        require(parser.next() == .failure(rejection), "more bytes change a failure")
    }

    private mutating func noteHead() {
        let head = parser.head
        summary.digest.add(
            Int(head.method.rawValue) << 16 | Int(head.version.rawValue) << 8 | (head.isAsterisk ? 1 : 0)
                | (head.expectsContinue ? 2 : 0) | (head.keepsAlive ? 4 : 0))
        switch head.framing {
        case .none: summary.digest.add(-1)
        case .chunked: summary.digest.add(-2)
        case .length(let length): summary.digest.add(length)
        case .untilClose: fatalError("a request must not extend to the end of the connection")
        }
        head.withPath { path in
            require(
                !path.isEmpty && path.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a path contains an invalid byte")
            summary.digest.add(Array(path))
        }
        head.withHost { host in
            require(host != nil || head.version == .http10, "an HTTP/1.1 request has no host")
            if let host { summary.digest.add(Array(host)) }
        }
        head.withFields { fields in
            for field in KnownField.allCases where head.has(field) {
                for value in fields.lines(of: field) {
                    require(
                        value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a value has a control character")
                    summary.digest.add(Array(value))
                }
            }
        }
        // Comparing text is slow, so the digest selects every sixteenth head.
        guard summary.digest.value & 15 == 0 else { return }
        summary.digest.add(head.methodText)
        summary.digest.add(head.targetText)
        summary.digest.add(head.versionText)
        summary.digest.add(head.queryText ?? "-")
        for line in head.fieldLines {
            require(!line.name.isEmpty, "a field has no name")
            summary.digest.add(line.name)
            summary.digest.add(line.value)
        }
    }
}
