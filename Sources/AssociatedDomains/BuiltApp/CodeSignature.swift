/// Finds the entitlements in the code signature of a Mach-O executable.
///
/// The structures are defined in Apple's headers `mach-o/fat.h`, `mach-o/loader.h` and `cs_blobs.h`. Each offset and
/// size is checked against the file before use.
struct CodeSignature {
    /// The maximum number of architectures. Apps have one to three. In a Java class file, which begins with the
    /// same bytes, this number is at least 45.
    static let maximumArchitectures = 16

    /// The maximum size of the load commands, in bytes. Large apps use less than 50,000.
    static let maximumCommandSize = 1 << 20

    /// The maximum number of blobs in a signature. `codesign` writes up to nine.
    static let maximumBlobs = 64

    /// Returns the entitlements of the first architecture as an XML property list.
    static func entitlements(in source: any ByteSource, name: String) throws(BuiltAppError) -> [UInt8] {
        do throws(BuiltAppError) {
            return try CodeSignature(source: source, name: name).entitlements()
        } catch .truncated(let offset, let count, let size) {
            throw .malformedExecutable(
                name: name, reason: "it refers to \(count) bytes at offset \(offset), but is only \(size) bytes long")
        }
    }

    private let source: any ByteSource
    private let name: String

    private func entitlements() throws(BuiltAppError) -> [UInt8] {
        guard source.size >= 4 else { throw .notAnExecutable(name: name) }
        let magic = try source.read(at: 0, count: 4)
        var image = SlicedBytes(base: source, start: 0, size: source.size)
        var beginning = magic
        if magic.bigEndian(at: 0, size: 4) == 0xCAFE_BABE {
            let (start, size) = try firstArchitecture()
            (image, beginning) = (SlicedBytes(base: source, start: start, size: size), [])
        }
        let (offset, length) = try signature(of: image, beginning: beginning)
        return try blob(in: SlicedBytes(base: image, start: offset, size: length))
    }

    /// Returns the location of the first architecture of a universal executable.
    private func firstArchitecture() throws(BuiltAppError) -> (start: Int, size: Int) {
        let count = try source.read(at: 4, count: 4).bigEndian(at: 0, size: 4)
        guard (1...CodeSignature.maximumArchitectures).contains(count) else { throw .notAnExecutable(name: name) }
        let first = try source.read(at: 8, count: 20)
        let (start, size) = (first.bigEndian(at: 8, size: 4), first.bigEndian(at: 12, size: 4))
        try source.require(start, size)
        return (start, size)
    }

    /// Returns the location of the signature in an architecture, from its load commands.
    private func signature(
        of image: SlicedBytes, beginning: [UInt8]
    ) throws(BuiltAppError) -> (offset: Int, length: Int) {
        guard image.size >= 28 else { throw .notAnExecutable(name: name) }
        var header = beginning + (try image.read(at: beginning.count, count: 28 - beginning.count))
        switch header.littleEndian(at: 0, size: 4) {
        case 0xFEED_FACE: break
        case 0xFEED_FACF: header += try image.read(at: 28, count: 4)
        case _: throw .notAnExecutable(name: name)
        }
        let size = header.littleEndian(at: 20, size: 4)
        guard size <= CodeSignature.maximumCommandSize else {
            throw malformed(
                "its load commands are \(size) bytes long; the limit is \(CodeSignature.maximumCommandSize)")
        }
        let commands = try image.read(at: header.count, count: size)
        var index = 0
        while commands.count - index >= 8 {
            let length = commands.littleEndian(at: index + 4, size: 4)
            guard length >= 8, length <= commands.count - index else { throw malformed("a load command is damaged") }
            // LC_CODE_SIGNATURE
            if commands.littleEndian(at: index, size: 4) == 0x1D {
                guard length >= 16 else { throw malformed("a load command is damaged") }
                let offset = commands.littleEndian(at: index + 8, size: 4)
                let length = commands.littleEndian(at: index + 12, size: 4)
                try image.require(offset, length)
                return (offset, length)
            }
            index += length
        }
        throw .unsigned(name: name)
    }

    /// Returns the content of the blob with the XML entitlements.
    private func blob(in signature: SlicedBytes) throws(BuiltAppError) -> [UInt8] {
        let header = try signature.read(at: 0, count: 12)
        guard header.bigEndian(at: 0, size: 4) == 0xFADE_0CC0 else { throw malformed("its signature is damaged") }
        let count = header.bigEndian(at: 8, size: 4)
        guard count <= CodeSignature.maximumBlobs else {
            throw malformed("its signature has \(count) parts; the limit is \(CodeSignature.maximumBlobs)")
        }
        let index = try signature.read(at: 12, count: 8 * count)
        let offsets = stride(from: 0, to: index.count, by: 8).filter { index.bigEndian(at: $0, size: 4) == 5 }
            .map { index.bigEndian(at: $0 + 4, size: 4) }
        guard let offset = offsets.first else { throw .noEntitlements(name: name) }
        guard offset >= 12 + index.count else { throw malformed("its signature is damaged") }
        let start = try signature.read(at: offset, count: 8)
        guard start.bigEndian(at: 0, size: 4) == 0xFADE_7171 else { throw malformed("its signature is damaged") }
        let length = start.bigEndian(at: 4, size: 4) - 8
        guard length >= 0 else { throw malformed("its signature is damaged") }
        guard length <= Entitlements.maximumSize else {
            throw .tooLarge(name: "the entitlements of \(name)", size: length, limit: Entitlements.maximumSize)
        }
        return try signature.read(at: offset + 8, count: length)
    }

    private func malformed(_ reason: String) -> BuiltAppError { .malformedExecutable(name: name, reason: reason) }
}
