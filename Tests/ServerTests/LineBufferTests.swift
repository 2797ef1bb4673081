import MotivatorHTTP
import Testing

@testable import MotivatorServer

@Suite("Buffer of log lines") struct LineBufferTests {
    @Test("Numbers are decimal", arguments: [0, 9, 10, 99, 100, -1, -10, 12_345, Int.max, Int.min])
    func decimal(_ number: Int) {
        let buffer = LineBuffer(capacity: 1)
        buffer.append("n=")
        buffer.append(decimal: number)
        buffer.append(UInt8(ascii: ";"))
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == "n=\(number);")
    }

    @Test("The buffer grows with its content, and starts again when it is emptied")
    func growth() {
        let buffer = LineBuffer(capacity: 1)
        var expected: [UInt8] = []
        for length in 0..<100 {
            let part = (0..<length).map { UInt8($0) }
            buffer.append(part)
            part.withFieldBytes { buffer.append($0) }
            expected += part + part
        }
        #expect(buffer.bytes == expected)
        buffer.removeAll()
        #expect(buffer.count == 0)
        buffer.append([1, 2])
        #expect(buffer.bytes == [1, 2])
    }
}
