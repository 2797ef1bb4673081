import Platform

/// Brackets that do not fit, which only a forgiving parser goes on after.
extension JSONParser {
    package mutating func mismatch(_ byte: UInt8, _ container: Container, from step: Step) throws(JSONFault) -> Step {
        try scanner.report(
            .mismatchedBracket(
                scanner.location, found: Unicode.Scalar(byte), inside: container.construct, opened: container.location))
        return closeOthers(byte, from: step)
    }

    /// Takes a bracket that cannot close the innermost container: either some brackets are missing before it, or it
    /// is of the wrong kind, or there is one too many. What follows tells which.
    mutating func closeOthers(_ byte: UInt8, from step: Step) -> Step {
        scanner.take()
        let fitting = open.lastIndex { $0.end == byte }
        // How many containers each reading leaves open.
        let readings = [fitting, open.count - 1, open.count].compactMap(\.self)
        let plausible = readings.filter { isPlausible(leaving: $0) }
        let balanced = plausible.first { isBalanced(open.prefix($0).map(\.end)) }
        guard let depth = balanced ?? plausible.first ?? fitting else { return step }
        return depth < open.count ? close(leaving: depth) : .comma
    }

    /// Whether what comes next can follow a value in the innermost container that is left.
    private func isPlausible(leaving depth: Int) -> Bool {
        var ahead = scanner
        ahead.isMuted = true
        do throws(JSONFault) {
            try ahead.takeSpace()
            guard depth > 0 else { return ahead.byte == nil }
            let container = open[depth - 1]
            if container.isClosed(by: ahead.byte) { return true }
            guard ahead.byte == UInt8(ascii: ",") else { return false }
            ahead.take()
            try ahead.takeSpace()
            guard let byte = ahead.byte else { return false }
            if container.isObject { return Self.isKey(ahead) }
            return "{[-".utf8.contains(byte) || byte.isDigit || byte.isWordLike || !Self.isKey(ahead)
        } catch {
            return false
        }
    }

    /// Whether the brackets in the rest of the text close what is open, and nothing else.
    ///
    /// - Parameter ends: the brackets that are to close what is open, the outermost first.
    func isBalanced(_ ends: [UInt8]) -> Bool {
        var ends = ends
        var (isInString, isEscaped) = (false, false)
        for byte in scanner.bytes[scanner.offset...] {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "\""): isInString.toggle()
            case .lineFeed, .carriageReturn: isInString = false
            case _ where isInString: break
            case UInt8(ascii: "{"): ends.append(UInt8(ascii: "}"))
            case UInt8(ascii: "["): ends.append(UInt8(ascii: "]"))
            case UInt8(ascii: "}"), UInt8(ascii: "]"): guard ends.popLast() == byte else { return false }
            default: break
            }
        }
        return ends.isEmpty
    }
}
