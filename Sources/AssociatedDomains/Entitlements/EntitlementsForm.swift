import SourceJSON

/// The form of an entitlements file, according to its first bytes.
enum EntitlementsForm {
    case xml, binary

    init(_ bytes: [UInt8]) throws(Entitlements.Failure) {
        func begins(_ magic: [UInt8]) -> Bool { bytes.starts(with: magic) }
        func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }

        guard let start = bytes.firstIndex(where: { !" \t\r\n".utf8.contains($0) }) else { throw .empty }
        if begins("bplist") {
            guard begins("bplist00") else { throw .binaryVersion }
            self = .binary
            return
        }
        if begins([0xFA, 0xDE, 0x71, 0x71]) || begins([0xFA, 0xDE, 0x71, 0x72]) { throw .signatureBlob }
        if begins([0x70]), bytes.count > 1, bytes[1] >= 0x80 || Int(bytes[1]) == bytes.count - 2 {
            throw .distinguishedEncoding
        }
        if begins([0x30]), bytes.count > 1, (0x80...0x84).contains(bytes[1]) { throw .provisioningProfile }
        let executables: [[UInt8]] = [
            [0xCF, 0xFA, 0xED, 0xFE], [0xCE, 0xFA, 0xED, 0xFE], [0xFE, 0xED, 0xFA, 0xCF], [0xFE, 0xED, 0xFA, 0xCE],
            [0xCA, 0xFE, 0xBA, 0xBE],
        ]
        if executables.contains(where: begins) { throw .executable }
        if begins("PK\u{3}\u{4}") { throw .archive }
        if begins([0xFF, 0xFE]) || begins([0xFE, 0xFF]) || begins([0x3C, 0]) || begins([0, 0x3C]) {
            throw .encoding(name: "UTF-16")
        }
        if begins("{\\rtf") { throw .richText }

        let isMarked = begins([0xEF, 0xBB, 0xBF])
        let text = isMarked ? bytes[3...] : bytes[start...]
        guard let first = text.first(where: { !" \t\r\n".utf8.contains($0) }) else { throw .empty }
        if first == UInt8(ascii: "<") {
            let beginning = HostText.lowered(String(decoding: text.prefix(64), as: UTF8.self))
            let isPage = beginning.contains("<!doctype html") || beginning.contains("<html")
            if isPage { throw .html }
            self = .xml
            return
        }
        throw EntitlementsForm.textError(Array(text), first: first)
    }

    private static func textError(_ text: [UInt8], first: UInt8) -> Entitlements.Failure {
        let content = String(decoding: text.prefix(4_096), as: UTF8.self)
        if content.hasPrefix("// !$*UTF8*$!") { return .openStep }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "(") {
            if (try? JSONDocument(text)) != nil { return .json }
            let isOpenStep = first == UInt8(ascii: "(") || content.contains(" = ") || content.contains("=\"")
            return isOpenStep ? .openStep : .json
        }
        let word = content.unicodeScalars.prefix { !$0.properties.isWhitespace }.text
        return AssociatedDomain.hasService(word) ? .entries(word) : .neither(beginning: word)
    }
}
