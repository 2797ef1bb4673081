import AssociatedDomains
import MotivatorPlatform
import Testing

@Suite("Entitlements of an app in an IPA file")
struct ArchiveTests {
    typealias Entry = ZipBuilder.Entry

    private static let executable = ExecutableBuilder(entries: "webcredentials:example.com").bytes

    private static func read(_ bytes: [UInt8]) throws(BuiltAppError) -> Entitlements {
        try BuiltApp.entitlements(in: ArrayBytes(bytes: bytes))
    }

    private static var stored: ZipBuilder {
        var stored = ZipBuilder.app(executable)
        for index in stored.entries.indices { stored.entries[index].method = 0 }
        return stored
    }

    /// Info-ZIP and Xcode write the times of a file into its own header.
    private static var timed: ZipBuilder {
        var timed = ZipBuilder.app(executable)
        for index in timed.entries.indices { timed.entries[index].extra = Array("UT".utf8) + [5, 0, 1, 1, 2, 3, 4] }
        return timed
    }

    /// The list may have other extra fields than the headers, and a comment for each entry (APPNOTE.TXT, 4.3.12).
    private static var annotated: ZipBuilder {
        var annotated = ZipBuilder.app(executable)
        for index in annotated.entries.indices {
            annotated.entries[index].listExtra = Array("ux".utf8) + [3, 0, 1, 2, 3]
            annotated.entries[index].comment = "entry \(index)"
        }
        return annotated
    }

    /// A program that cannot seek writes the sizes after the content (APPNOTE.TXT, 4.4.4, bit 3).
    private static var streamed: ZipBuilder {
        var streamed = ZipBuilder.app(executable)
        for index in streamed.entries.indices { streamed.entries[index].isStreamed = true }
        return streamed
    }

    private static var longestComment: ZipBuilder {
        var commented = ZipBuilder.app(executable)
        commented.comment = String(repeating: "x", count: 0xFFFF)
        return commented
    }

    private static var commented: ZipBuilder {
        var commented = ZipBuilder.app(executable)
        commented.comment = String(repeating: "PK\u{5}\u{6}", count: 1_000)
        return commented
    }

    /// An executable that is large enough for several decompression steps.
    private static let large = ExecutableBuilder.universal(
        [[UInt8](repeating: 0, count: 300_000) + executable]
    ).replacing(at: 16, big(4_096 + 300_000) + big(executable.count))

    @Test(
        "The executable is found",
        arguments: [
            ("compressed", ZipBuilder.app(executable)), ("stored", stored), ("with a comment", commented),
            ("with extra fields", timed), ("with extra fields and comments in the list", annotated),
            ("with the sizes after the content", streamed), ("with the longest comment", longestComment),
            ("a large executable", ZipBuilder.app(large)),
        ] as [(String, ZipBuilder)])
    func found(name: String, archive: ZipBuilder) throws {
        let list = try Self.read(archive.bytes)
        #expect(list.entries.map(\.text) == ["webcredentials:example.com"], "\(name)")
        #expect(list.issues.isEmpty)
    }

    private static func changed(_ change: (inout ZipBuilder) -> Void) -> [UInt8] {
        var archive = ZipBuilder.app(executable)
        change(&archive)
        return archive.bytes
    }

    private static func information(_ text: String) -> [UInt8] {
        changed { $0.entries[1] = Entry("Payload/Demo.app/Info.plist", text) }
    }

    /// Returns an archive with bytes of the end record replaced.
    private static func end(_ offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        let archive = ZipBuilder.app(executable).bytes
        return archive.replacing(at: archive.count - ZipBuilder.endSize + offset, bytes)
    }

    private static let demo = "Payload/Demo.app/Demo"

    struct Case: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let isExpected: @Sendable (BuiltAppError) -> Bool
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ isExpected: @escaping @Sendable (BuiltAppError) -> Bool) {
            (self.name, self.bytes, self.isExpected) = (name, bytes, isExpected)
        }

        init(_ name: String, _ bytes: [UInt8], _ fault: BuiltAppError) { self.init(name, bytes) { $0 == fault } }
    }

    @Test("Each unsuitable archive has its own error", arguments: archives + entries + lists)
    func rejected(_ test: Case) throws {
        let fault = try #require(throws: BuiltAppError.self) { try Self.read(test.bytes) }
        #expect(test.isExpected(fault), "\(fault)")
        #expect(!fault.problem.hasSuffix(".") && !fault.fix.hasSuffix("."))
        #expect(!fault.fix.isEmpty && fault.exitCode == .badInput && fault.description.utf8.count < 500)
        #expect(!fault.description.contains("\n"))
    }

    private static let archives: [Case] = [
        Case("no entry", ZipBuilder(entries: []).bytes, .noAppInArchive),
        Case("a document", ZipBuilder(entries: [Entry("word/document.xml", "")]).bytes, .noAppInArchive),
        Case("an app outside Payload", ZipBuilder(entries: [Entry("Demo.app/Info.plist", "")]).bytes, .noAppInArchive),
        Case(
            "a path that leads elsewhere", ZipBuilder(entries: [Entry("Payload/../x.app/Info.plist", "")]).bytes,
            .noAppInArchive),
        Case(
            "two apps", changed { $0.entries.append(Entry("Payload/B.app/Info.plist", "")) },
            .severalApps(["Payload/B.app/", "Payload/Demo.app/"])),
        Case("an executable twice", changed { $0.entries.append($0.entries[3]) }) { fault in
            fault == .damagedEntry(name: demo, reason: "several entries have this name")
        },
        Case("no executable", changed { $0.entries.remove(at: 3) }, .missingFile(name: "Demo")),
        Case(
            "the longest name of an executable", information(ZipBuilder.information(longestName)),
            .missingFile(name: longestName)),
        Case("ZIP64", end(8, [0xFF, 0xFF, 0xFF, 0xFF]), .zip64),
        Case("ZIP64 offsets", end(16, little(0xFFFF_FFFF)), .zip64),
        Case("a part of an archive", end(4, [1])) { $0 == .notAnArchive(reason: "it is one part of a split archive") },
        Case("a list outside the file", end(16, little(0x7FFF_FFFF)), isNotAnArchive),
        Case("a list larger than the limit", end(12, little(0x7FFF_FFFF)), isNotAnArchive),
        Case("more entries than the list has", end(8, [9, 0, 9, 0]), isNotAnArchive),
        Case("a list at another offset", end(16, little(1)), isNotAnArchive),
        Case("bytes after the end", ZipBuilder.app(executable).bytes + [0], isNotAnArchive),
    ]

    private static let longestName = String(repeating: "x", count: 255)

    @Sendable private static func isNotAnArchive(_ fault: BuiltAppError) -> Bool {
        if case .notAnArchive = fault { true } else { false }
    }

    @Sendable private static func isDamaged(_ fault: BuiltAppError) -> Bool {
        if case .damagedEntry(demo, _) = fault { true } else { false }
    }

    private static let entries: [Case] = [
        Case("an encrypted entry", changed { $0.entries[3].flags = 1 }, .encryptedEntry(name: demo)),
        Case("another method", changed { $0.entries[3].method = 14 }, .compression(name: demo, method: 14)),
        Case("another name in the header", changed { $0.entries[3].otherName = "Payload/Demo.app/Other" }, isDamaged),
        Case("a false ratio", changed { $0.entries[3].size = 1 << 25 }, isDamaged),
        Case("shorter than its size", changed { $0.entries[3] = short }, isDamaged),
        Case(
            "larger than the limit", changed { $0.entries[3].size = 1 << 31 },
            .tooLarge(name: demo, size: 1 << 31, limit: 1 << 30)),
        Case(
            "a large Info.plist", information(String(repeating: " ", count: Entitlements.maximumSize + 1)),
            .tooLarge(
                name: "Payload/Demo.app/Info.plist", size: Entitlements.maximumSize + 1,
                limit: Entitlements.maximumSize)),
        Case(
            "stored with two sizes", changed { $0.entries[3] = Entry(demo, executable, method: 0).sized(1) }, isDamaged),
        Case(
            "no executable format", changed { $0.entries[3] = Entry(demo, "#!/bin/sh") }, .notAnExecutable(name: "Demo")
        ),
        Case("an empty executable", changed { $0.entries[3] = Entry(demo, "") }, .notAnExecutable(name: "Demo")),
        Case("no list in the signature", changed { $0.entries[3] = Entry(demo, ExecutableBuilder([]).bytes) }) {
            fault in
            fault == .list(.empty)
        },
    ]

    /// An entry that is too short for the signature in its header.
    private static let short = Entry(demo, Array(executable.prefix(100))).sized(executable.count)

    private static let lists: [Case] =
        [
            Case("no property list", information("{}")) { fault in
                if case .information("Info.plist", _) = fault { true } else { false }
            },
            Case("no name of the executable", information("<plist><dict/></plist>")) { fault in
                if case .information("Info.plist", let reason) = fault { reason.contains("is missing") } else { false }
            },
        ]
        + ["../Demo", "..", ".", "", "a/b", "/etc/passwd", String(repeating: "x", count: 256)].map { name in
            Case("the executable \(name.prefix(12))", information(ZipBuilder.information(name))) { fault in
                if case .information("Info.plist", let reason) = fault {
                    reason.hasSuffix("not a file name")
                } else {
                    false
                }
            }
        }

    @Test("No prefix and no changed byte is fatal")
    func robust() {
        let bytes = ZipBuilder.app(Self.executable).bytes
        for length in bytes.indices {
            #expect(throws: BuiltAppError.self) { try Self.read(Array(bytes.prefix(length))) }
        }
        for offset in bytes.indices {
            for value in [0, 0x7F, 0x80, 0xFF] as [UInt8] { _ = try? Self.read(bytes.replacing(at: offset, [value])) }
        }
    }
}

extension ZipBuilder.Entry {
    /// Returns the entry with an incorrect size.
    fileprivate func sized(_ size: Int) -> Self {
        var entry = self
        entry.size = size
        return entry
    }
}
