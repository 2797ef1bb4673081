import Platform
import SourceJSON

/// Counts lines and columns up to offsets that mostly grow, so that all of them together cost one pass.
struct PlaceFinder {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 1
    private var column = 1

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The place of an offset from 0 to the number of bytes; one before the last one asked for starts over.
    package mutating func place(at wanted: Int) -> SourceLocation {
        if wanted < offset { (offset, line, column) = (0, 1, 1) }
        while offset < min(wanted, bytes.count) {
            let byte = bytes[offset]
            offset += 1
            if byte == .lineFeed || byte == .carriageReturn {
                // CR LF is one line end, which its LF completes.
                let isFirstOfPair = byte == .carriageReturn && offset < bytes.count && bytes[offset] == .lineFeed
                if !isFirstOfPair { (line, column) = (line + 1, 1) }
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return SourceLocation(line: line, column: column, offset: wanted)
    }
}
