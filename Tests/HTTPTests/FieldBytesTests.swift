import Testing

@testable import MotivatorHTTP

@Suite("Bytes with bounds") struct FieldBytesTests {
    private static let bytes = Array("0123456789".utf8)

    @Test("Bytes, slices and parts hold what the buffer holds")
    func access() {
        Self.bytes.withFieldBytes { bytes in
            #expect(bytes.count == 10 && !bytes.isEmpty && bytes.first == 0x30 && bytes.last == 0x39)
            #expect(bytes[9] == 0x39)
            #expect(Array(bytes) == Self.bytes && bytes.elementsEqual(Self.bytes))
            let slice = bytes[3..<6]
            #expect(slice.startIndex == 3 && slice[3] == 0x33 && Array(slice) == Array("345".utf8))
            #expect(Array(FieldBytes(rebasing: slice)) == Array("345".utf8))
            let part = bytes.part(3..<6)
            #expect(part.count == 3 && part[0] == 0x33 && part[2] == 0x35)
            #expect(Array(part.part(1..<2)) == Array("4".utf8))
            #expect(bytes.part(10..<10).isEmpty && bytes.part(0..<10).count == 10)
            #expect(bytes.firstIndex(of: 0x35) == 5 && bytes.lastIndex(of: 0x41) == nil)
            #expect(bytes.split(separator: 0x34).map { Array($0) } == [Array("0123".utf8), Array("56789".utf8)])
            #expect(String(decoding: bytes, as: UTF8.self) == "0123456789")
        }
        [UInt8]().withFieldBytes { bytes in
            #expect(bytes.isEmpty && bytes.first == nil && bytes.part(0..<0).count == 0)
            #expect(bytes.first(0x0A, in: 0..<0) == nil)
        }
    }

    @Test("Parts of buffers are rebased")
    func rebasing() {
        var bytes = Self.bytes
        bytes.withUnsafeMutableBufferPointer { buffer in
            #expect(Array(FieldBytes(rebasing: buffer[..<3])) == Array("012".utf8))
            #expect(Array(FieldBytes(rebasing: buffer[7...])) == Array("789".utf8))
        }
    }

    @Test("A byte is found at or after a position")
    func lineFeeds() {
        Array("a\nb\n".utf8).withFieldBytes { bytes in
            #expect([0, 1, 2, 4].map { bytes.first(0x0A, in: $0..<4) } == [1, 1, 3, nil])
            // The search ignores the bytes after a part.
            #expect(bytes.part(0..<1).first(0x0A, in: 0..<1) == nil)
        }
    }
}

// The checks are preconditions. Only `-Ounchecked` removes them.
extension FieldBytesTests {
    @Test("An index after the end stops the process")
    func indexAfterEnd() async {
        await #expect(processExitsWith: .failure) {
            Self.bytes.withFieldBytes { bytes in print(bytes[bytes.count]) }
        }
    }

    @Test("A negative index stops the process")
    func negativeIndex() async {
        await #expect(processExitsWith: .failure) {
            Self.bytes.withFieldBytes { bytes in print(bytes.part(5..<10)[-1]) }
        }
    }

    @Test("An index of the buffer that is outside of a part stops the process")
    func indexOutsidePart() async {
        await #expect(processExitsWith: .failure) {
            Self.bytes.withFieldBytes { bytes in print(bytes.part(0..<5)[5]) }
        }
    }

    @Test("A range after the end stops the process")
    func rangeAfterEnd() async {
        await #expect(processExitsWith: .failure) {
            Self.bytes.withFieldBytes { bytes in print(bytes.part(0..<5).part(3..<6).count) }
        }
        await #expect(processExitsWith: .failure) {
            Self.bytes.withFieldBytes { bytes in print(bytes.part(0..<5)[3..<6].count) }
        }
    }

    @Test("A negative range stops the process")
    func negativeRange() async {
        await #expect(processExitsWith: .failure) {
            Self.bytes.withFieldBytes { bytes in print(bytes.part(5..<10).part(-1..<2).count) }
        }
    }

    @Test("A slice of a buffer that is longer than the buffer stops the process")
    func longSlice() async {
        await #expect(processExitsWith: .failure) {
            var bytes = Self.bytes
            bytes.withUnsafeMutableBufferPointer { buffer in
                let slice = Slice(base: UnsafeMutableBufferPointer(rebasing: buffer[..<5]), bounds: 0..<10)
                print(FieldBytes(rebasing: slice).count)
            }
        }
    }

    @Test("A search from a negative position stops the process")
    func negativeSearch() async {
        await #expect(processExitsWith: .failure) {
            Self.bytes.withFieldBytes { bytes in print(bytes.first(0x0A, in: -1..<10) ?? 0) }
        }
    }

    @Test("Consuming more than there is stops the process")
    func overconsumption() async {
        await #expect(processExitsWith: .failure) {
            var input = InputBuffer()
            Self.bytes.withFieldBytes { input.append($0) }
            input.consume(11)
        }
    }
}
