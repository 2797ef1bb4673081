func little(_ value: Int, _ size: Int = 4) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

func big(_ value: Int) -> [UInt8] { little(value).reversed() }

extension [UInt8] {
    /// Returns a copy with the bytes at an offset replaced.
    func replacing(at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
        Array(self[..<offset] + bytes + self[(offset + bytes.count)...])
    }
}

/// A Mach-O executable with a code signature, as `mach-o/loader.h` and `cs_blobs.h` describe them.
struct ExecutableBuilder {
    /// The slots of the signature: the number, magic and content of each blob.
    var blobs: [(slot: Int, magic: Int, content: [UInt8])]
    var isWide = true
    var isSigned = true

    static let commands = 32
    static let signature = 128
    static let index = signature + 12

    init(_ entitlements: [UInt8]) {
        blobs = [
            (0, 0xFADE_0C02, Array("code directory".utf8)), (5, 0xFADE_7171, entitlements),
            (7, 0xFADE_7172, [0x70, 0]),
        ]
    }

    /// Creates an entitlement with these entries and an application identifier.
    init(entries: String...) {
        self.init(ExecutableBuilder.list(entries))
    }

    static func list(_ entries: [String]) -> [UInt8] {
        EntitlementsTests.list(
            "<array>\(entries.map { "<string>\($0)</string>" }.joined())</array>",
            and: "<key>application-identifier</key><string>D3KQX62K1A.com.example.DemoApp</string>")
    }

    private var superblob: [UInt8] {
        var (index, content): ([UInt8], [UInt8]) = ([], [])
        for blob in blobs {
            index += big(blob.slot) + big(12 + 8 * blobs.count + content.count)
            content += big(blob.magic) + big(8 + blob.content.count) + blob.content
        }
        let size = 12 + index.count + content.count
        return big(0xFADE_0CC0) + big(size) + big(blobs.count) + index + content
    }

    var bytes: [UInt8] {
        let superblob = superblob
        let uuid = little(0x1B) + little(24) + [UInt8](repeating: 7, count: 16)
        let signature = little(0x1D) + little(16) + little(ExecutableBuilder.signature) + little(superblob.count)
        let commands = isSigned ? uuid + signature : uuid
        var header = little(isWide ? 0xFEED_FACF : 0xFEED_FACE) + little(0x0100_000C) + little(0) + little(2)
        header += little(isSigned ? 2 : 1) + little(commands.count) + little(0) + (isWide ? little(0) : [])
        let image = header + commands
        return image + [UInt8](repeating: 0, count: ExecutableBuilder.signature - image.count) + superblob
    }

    static func universal(_ images: [[UInt8]]) -> [UInt8] {
        var header = big(0xCAFE_BABE) + big(images.count)
        var content: [UInt8] = []
        for image in images {
            header += big(0x0100_000C) + big(0) + big(4_096 + content.count) + big(image.count) + big(14)
            content += image
        }
        return header + [UInt8](repeating: 0, count: 4_096 - header.count) + content
    }
}

/// A zip archive of stored entries and of entries in uncompressed deflate blocks (RFC 1951, 3.2.4).
struct ZipBuilder {
    struct Entry {
        let name: String
        var content: [UInt8]
        var method = 8
        var flags = 0
        /// Replaces the actual size.
        var size: Int?
        /// Replaces the name in the entry's own header.
        var otherName: String?
        /// The extra field of the entry's own header, for example its times.
        var extra: [UInt8] = []
        /// The extra field and the comment of the entry in the list.
        var listExtra: [UInt8] = []
        var comment = ""
        /// Whether the sizes are not in the entry's own header but after its content, as streaming programs write them.
        var isStreamed = false

        init(_ name: String, _ content: [UInt8], method: Int = 8) {
            (self.name, self.content, self.method) = (name, content, method)
        }

        init(_ name: String, _ content: String) { self.init(name, Array(content.utf8)) }

        fileprivate var packed: [UInt8] {
            guard method == 8 else { return content }
            var (packed, index): ([UInt8], Int) = ([], 0)
            repeat {
                let block = content[index..<min(index + 0xFFFF, content.count)]
                index = block.endIndex
                packed += [index == content.count ? 1 : 0]
                packed += little(block.count, 2) + little(~block.count, 2) + block
            } while index < content.count
            return packed
        }
    }

    var entries: [Entry]
    var comment = ""

    static let endSize = 22

    /// Returns a signed app.
    static func app(_ executable: [UInt8], _ others: [Entry] = []) -> ZipBuilder {
        ZipBuilder(
            entries: [
                Entry("Payload/", [], method: 0),
                Entry("Payload/Demo.app/Info.plist", information("Demo")),
                Entry("Payload/Demo.app/PlugIns/Share.appex/Info.plist", information("Share")),
                Entry("Payload/Demo.app/Demo", executable),
            ] + others)
    }

    static func information(_ executable: String) -> String {
        "<plist><dict><key>CFBundleExecutable</key><string>\(executable)</string></dict></plist>"
    }

    var bytes: [UInt8] {
        var (content, list): ([UInt8], [UInt8]) = ([], [])
        for entry in entries {
            let packed = entry.packed
            let sizes = little(packed.count) + little(entry.size ?? entry.content.count)
            let flags = entry.isStreamed ? entry.flags | 8 : entry.flags
            let common = little(20, 2) + little(flags, 2) + little(entry.method, 2) + little(0) + little(0)
            let (name, comment) = (Array(entry.name.utf8), Array(entry.comment.utf8))
            list += little(0x0201_4B50) + little(20, 2) + common + sizes + little(name.count, 2)
            list += little(entry.listExtra.count, 2) + little(comment.count, 2)
            list += little(0, 2) + little(0, 2) + little(0) + little(content.count)
            list += name + entry.listExtra + comment
            let own = entry.otherName.map { Array($0.utf8) } ?? name
            let ownSizes = entry.isStreamed ? [UInt8](repeating: 0, count: sizes.count) : sizes
            content += little(0x0403_4B50) + common + ownSizes + little(own.count, 2)
            content += little(entry.extra.count, 2) + own
            content += entry.extra + packed
            if entry.isStreamed { content += little(0x0807_4B50) + little(0) + sizes }
        }
        let count = little(entries.count, 2)
        let end = little(0x0605_4B50) + little(0) + count + count + little(list.count) + little(content.count)
        return content + list + end + little(comment.utf8.count, 2) + Array(comment.utf8)
    }
}
