import AssociatedDomains
import MotivatorPlatform
import Testing

@Suite("Entitlements in the signature of an executable")
struct ExecutableTests {
    private static let builder = ExecutableBuilder(entries: "webcredentials:example.com", "applinks:example.com")

    private static func read(_ bytes: [UInt8]) throws(BuiltAppError) -> Entitlements {
        try BuiltApp.entitlements(in: ArrayBytes(bytes: bytes))
    }

    /// An executable whose signature has as many blobs as permitted.
    private static var crowded: ExecutableBuilder {
        var crowded = builder
        for slot in crowded.blobs.count..<64 { crowded.blobs.append((0x1000 + slot, 0xFADE_0C02, [1])) }
        return crowded
    }

    private static let other = ExecutableBuilder(entries: "webcredentials:other.test").bytes

    private static var narrow: ExecutableBuilder {
        var narrow = builder
        narrow.isWide = false
        return narrow
    }

    @Test(
        "Each form of an executable has the same entitlements",
        arguments: [
            ("64 bits", builder.bytes), ("32 bits", narrow.bytes),
            ("universal", ExecutableBuilder.universal([builder.bytes, narrow.bytes])),
            ("universal, with other entitlements in the second", ExecutableBuilder.universal([builder.bytes, other])),
            ("16 architectures", ExecutableBuilder.universal([builder.bytes]).replacing(at: 4, big(16))),
            ("64 blobs in the signature", crowded.bytes),
            ("with bytes after the signature", builder.bytes + [0, 0, 0, 0]),
        ])
    func forms(name: String, bytes: [UInt8]) throws {
        let list = try Self.read(bytes)
        #expect(list.entries.map(\.text) == ["webcredentials:example.com", "applinks:example.com"], "\(name)")
        #expect(list.applicationIdentifier == "D3KQX62K1A.com.example.DemoApp")
        #expect(list.issues.isEmpty)
        // A line number inside a binary file does not help a reader.
        #expect(list.entries.allSatisfy { $0.location == nil })
    }

    @Test("The issues in the list are reported, without a location")
    func issues() throws {
        let list = try Self.read(ExecutableBuilder(entries: "applinks:a.com", "applinks:a.com").bytes)
        #expect(list.issues.map(\.kind) == [.duplicate])
        #expect(list.issues.allSatisfy { $0.location == nil })
    }

    @Test("An executable without entitlements has its own error")
    func none() {
        var builder = Self.builder
        builder.isSigned = false
        #expect(throws: BuiltAppError.unsigned(name: "the file")) { try Self.read(builder.bytes) }
        builder = Self.builder
        builder.blobs.removeAll { $0.slot == 5 }
        #expect(throws: BuiltAppError.noEntitlements(name: "the file")) { try Self.read(builder.bytes) }
        builder.blobs = []
        #expect(throws: BuiltAppError.noEntitlements(name: "the file")) { try Self.read(builder.bytes) }
    }

    private static let index = ExecutableBuilder.index
    private static let blob = index + 3 * 8 + 22

    /// Numbers to replace, with the field names from cs_blobs.h and loader.h.
    private static let damage: [(name: String, offset: Int, bytes: [UInt8])] = [
        ("sizeofcmds is larger than the file", 20, little(0xFFFF)),
        ("sizeofcmds is larger than the limit", 20, little(0x7FFF_FFFF)),
        ("cmdsize is 0", 36, little(0)),
        ("cmdsize is larger than the commands", 36, little(0x1000)),
        ("cmdsize of the signature is 8", 60, little(8)),
        ("dataoff is larger than the file", 64, little(0x7FFF_FFFF)),
        ("dataoff and datasize are 0xFFFFFFFF", 64, little(0xFFFF_FFFF) + little(0xFFFF_FFFF)),
        ("datasize is larger than the rest", 68, little(0xFFFF)),
        ("datasize is too small for a header", 68, little(8)),
        ("datasize is too small for the index", 68, little(20)),
        ("another magic of the signature", ExecutableBuilder.signature, big(0xFADE_0C01)),
        ("more blobs than the limit", ExecutableBuilder.signature + 8, big(65)),
        ("0xFFFFFFFF blobs", ExecutableBuilder.signature + 8, big(0xFFFF_FFFF)),
        ("a blob in the index", index + 12, big(12)),
        ("a blob outside the signature", index + 12, big(0xFFFF_FFF0)),
        ("a blob with another magic", blob, big(0xFADE_7172)),
        ("a length smaller than its header", blob + 4, big(7)),
        ("a length of 0", blob + 4, big(0)),
        ("a length larger than the signature", blob + 4, big(0xFFFF)),
    ]

    @Test("A damaged executable is rejected", arguments: damage.indices)
    func damaged(index: Int) throws {
        let test = Self.damage[index]
        let fault = try #require(throws: BuiltAppError.self) {
            try Self.read(Self.builder.bytes.replacing(at: test.offset, test.bytes))
        }
        guard case .malformedExecutable = fault else {
            Issue.record("\(test.name): \(fault)")
            return
        }
        #expect(fault.exitCode == .badInput && !fault.problem.hasSuffix(".") && !fault.fix.hasSuffix("."))
    }

    @Test(
        "A universal executable with damaged offsets is rejected",
        arguments: [
            ("no architecture", 4, big(0)), ("17 architectures", 4, big(17)), ("a Java class", 4, big(65)),
            ("an offset after the end", 16, big(0x7FFF_FFFF)), ("a size after the end", 20, big(0x7FFF_FFFF)),
            ("an empty architecture", 20, big(0)), ("an architecture in the header", 16, big(0)),
        ])
    func universal(name: String, offset: Int, bytes: [UInt8]) {
        let universal = ExecutableBuilder.universal([Self.builder.bytes])
        #expect(throws: BuiltAppError.self, "\(name)") { try Self.read(universal.replacing(at: offset, bytes)) }
    }

    @Test("Entitlements above the limit are rejected")
    func large() {
        let content = [UInt8](repeating: 0x20, count: Entitlements.maximumSize + 1)
        let fault = BuiltAppError.tooLarge(
            name: "the entitlements of the file", size: content.count, limit: Entitlements.maximumSize)
        #expect(throws: fault) { try Self.read(ExecutableBuilder(content).bytes) }
    }

    @Test("No prefix and no changed byte is fatal")
    func robust() {
        let bytes = Self.builder.bytes
        // The reader ignores the DER blob after the list.
        let needed = bytes.count - 10
        for length in 0..<needed {
            #expect(throws: BuiltAppError.self) { try Self.read(Array(bytes.prefix(length))) }
        }
        for offset in bytes.indices {
            for value in [0, 0x7F, 0x80, 0xFF] as [UInt8] { _ = try? Self.read(bytes.replacing(at: offset, [value])) }
        }
    }
}
