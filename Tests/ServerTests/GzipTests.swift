import CZlib
import Testing

@testable import MotivatorServer

@Suite("Compression") struct GzipTests {
    @Test("Compressed content is smaller, and decompresses to the same bytes", arguments: [1 << 10, 1 << 16, 3 << 20])
    func roundTrip(_ count: Int) throws {
        let content = Array("small steps count. ".utf8)
        let repeated = (0..<count).map { content[$0 % content.count] }
        let packed = try #require(Gzip.compress(repeated))
        #expect(packed.count < count / 4)
        #expect(Array(packed.prefix(3)) == [0x1F, 0x8B, 8], "RFC 1952 §2.3.1")
        #expect(try Self.unpack(packed, count: count) == repeated)
    }

    @Test("Content that would not get smaller is not compressed", arguments: [[], [7], numbered(4_096)])
    func incompressible(_ content: [UInt8]) {
        #expect(Gzip.compress(content) == nil)
    }

    @Test(
        "Small and very large content is not compressed",
        arguments: [(0, false), (1_024, false), (1_025, true), (8 << 20, true), ((8 << 20) + 1, false)])
    func sizes(_ count: Int, _ pays: Bool) {
        #expect(Gzip.pays(count) == pays)
    }

    struct Broken: Error { let status: Int32 }

    /// Decompresses with zlib, which accepts only a complete gzip member.
    static func unpack(_ packed: [UInt8], count: Int) throws -> [UInt8] {
        var stream = z_stream()
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw Broken(status: Z_VERSION_ERROR)
        }
        defer { inflateEnd(&stream) }
        var source = packed
        var status = Z_OK
        let content = [UInt8](unsafeUninitializedCapacity: count + 1) { output, filled in
            source.withUnsafeMutableBufferPointer { input in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                status = inflate(&stream, Z_FINISH)
                filled = Int(stream.total_out)
            }
        }
        guard status == Z_STREAM_END else { throw Broken(status: status) }
        return content
    }
}
