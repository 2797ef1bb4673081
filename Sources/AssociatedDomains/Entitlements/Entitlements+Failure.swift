public import MotivatorPlatform
public import SourceJSON

extension Entitlements {
    /// The reason a file is not a property list of entitlements.
    public enum Failure: ExplainedError, Hashable, Sendable {
        case empty
        case tooLarge(size: Int)
        /// Another kind of file, according to its first bytes.
        case other(FileKind)
        /// A file that begins with an entry.
        case entries(String)
        case neither(beginning: String)
        /// A list that Foundation cannot parse, with the reason. The location is nil in a binary list.
        case malformed(SourceLocation?, String)
        case notADictionary(found: String)
        /// A key that occurs twice. Apple does not document which value a device uses.
        case duplicateKey(SourceLocation?, key: String)

        /// A kind of file that people confuse with entitlements, as worded in messages.
        public enum FileKind: String, Sendable {
            case utf16 = "text in UTF-16"
            case signatureBlob = "a code signature blob"
            case json = "JSON"
            case html = "an HTML page"
            case richText = "rich text (RTF)"
            /// A list inside a signature (CMS).
            case provisioningProfile = "a provisioning profile or another signed message (CMS)"
            case executable = "an executable"
            case archive = "a zip archive"
        }

        /// The location of the error in an XML list, or nil for the whole file or a binary list.
        public var location: SourceLocation? {
            if case .malformed(let location, _) = self { return location }
            if case .duplicateKey(let location, _) = self { return location }
            return nil
        }

        public var problem: String {
            switch self {
            case .empty: "the entitlements file is empty"
            case .tooLarge(let size):
                "the entitlements file is \(size) bytes long; the limit is \(Entitlements.maximumSize)"
            case .other(let kind): "the file is \(kind.rawValue), not an XML or binary property list"
            case .entries(let text): "the file begins with the entry \(text.excerpt), not with a property list"
            case .neither(let beginning):
                "the file is not an XML or binary property list; it begins with \(beginning.excerpt)"
            case .malformed(let location, let reason):
                "\(location.map { "\($0): " } ?? "")the property list is not valid: \(reason)"
            case .notADictionary(let found): "the property list is \(found), not a dictionary"
            case .duplicateKey(let location, let key):
                "\(location.map { "\($0): " } ?? "")the key \(key.excerpt) occurs twice in the list"
            }
        }

        public var fix: String {
            switch self {
            case .empty, .neither, .other(.html): "Use the .entitlements file of the app's target"
            case .tooLarge: "Use only the .entitlements file, or the output of codesign -d --entitlements - --xml APP"
            case .other(.utf16), .other(.richText): "Save the file as plain text in UTF-8"
            case .other(.signatureBlob), .other(.executable), .other(.provisioningProfile), .other(.archive):
                "Extract the entitlements as XML from the built app: codesign -d --entitlements - --xml APP"
            case .other(.json): "Use the .entitlements file of the app; check an association file separately"
            case .entries: "Use --entitlement for an entry, or put the entry into a property list"
            case .malformed: "Correct the list, or convert it: plutil -convert xml1 FILE"
            case .notADictionary: "Put the key \"\(Entitlements.key)\" and its array into a <dict>"
            case .duplicateKey: "Remove one of the two keys, or merge their values"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}

/// The form of an entitlements file, according to its first bytes.
enum EntitlementsForm {
    case xml, binary

    private static let beginnings: [(bytes: [UInt8], kind: Entitlements.Failure.FileKind)] = [
        ([0xFA, 0xDE, 0x71, 0x71], .signatureBlob), ([0xFA, 0xDE, 0x71, 0x72], .signatureBlob),
        ([0xCF, 0xFA, 0xED, 0xFE], .executable), ([0xCE, 0xFA, 0xED, 0xFE], .executable),
        ([0xFE, 0xED, 0xFA, 0xCF], .executable), ([0xFE, 0xED, 0xFA, 0xCE], .executable),
        ([0xCA, 0xFE, 0xBA, 0xBE], .executable), (Array("PK\u{3}\u{4}".utf8), .archive),
        ([0xFF, 0xFE], .utf16), ([0xFE, 0xFF], .utf16), ([0x3C, 0], .utf16), ([0, 0x3C], .utf16),
        (Array("{\\rtf".utf8), .richText),
    ]

    init(_ bytes: [UInt8]) throws(Entitlements.Failure) {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let start = text.firstIndex(where: { !" \t\r\n".utf8.contains($0) }) else { throw .empty }
        if bytes.starts(with: "bplist".utf8) {
            self = .binary
            return
        }
        if bytes[0] == 0x30, bytes.count > 1, (0x80...0x84).contains(bytes[1]) { throw .other(.provisioningProfile) }
        if let kind = Self.beginnings.first(where: { bytes.starts(with: $0.bytes) })?.kind { throw .other(kind) }
        let content = String(decoding: bytes[start...].prefix(4_096), as: UTF8.self)
        if content.hasPrefix("<") {
            let beginning = HostText.lowered(String(content.prefix(64)))
            if beginning.contains("<!doctype html") || beginning.contains("<html") { throw .other(.html) }
            self = .xml
            return
        }
        // Lists in the old OpenStep format also begin with a bracket.
        if content.hasPrefix("{") || content.hasPrefix("["), !content.contains(" = ") { throw .other(.json) }
        let word = content.unicodeScalars.prefix { !$0.properties.isWhitespace }.text
        throw AssociatedDomain.hasService(word) ? .entries(word) : .neither(beginning: word)
    }
}
