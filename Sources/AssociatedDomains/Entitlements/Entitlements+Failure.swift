public import MotivatorPlatform
public import SourceJSON

extension Entitlements {
    /// The reason a file is not a property list of entitlements.
    public enum Failure: ExplainedError, Hashable, Sendable {
        case empty
        case tooLarge(size: Int)

        // Another kind of file, according to its first bytes.

        case encoding(name: String)
        case binaryVersion
        /// Entitlements in DER, as in signatures for iOS 15 and later.
        case distinguishedEncoding
        case signatureBlob
        /// A list in the old text format of NeXTSTEP and OpenStep, or an Xcode project.
        case openStep
        case json
        case html
        case richText
        /// A provisioning profile: a list inside a signature (CMS).
        case provisioningProfile
        case executable
        case archive
        case entries(String)
        case neither(beginning: String)

        // A property list with an error.

        /// A list that Foundation cannot parse, with the reason.
        case malformed(SourceLocation?, String)
        case notADictionary(found: String)
        /// A key that occurs twice. Apple does not document which value a device uses.
        case duplicateKey(SourceLocation?, key: String)

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
            case .encoding(let name): "the property list is in \(name.excerpt), not in UTF-8"
            case .binaryVersion: "the binary property list has a version other than 00"
            case .distinguishedEncoding: "the entitlements are in DER, not in a property list"
            case .signatureBlob: "the file is a code signature blob, not a property list"
            case .openStep: "the file is a property list in the old OpenStep text format, not in XML or binary"
            case .json: "the file is JSON, not a property list"
            case .html: "the file is an HTML page, not a property list"
            case .richText: "the file is rich text (RTF), not a property list"
            case .provisioningProfile: "the file is a provisioning profile or another signed message (CMS)"
            case .executable: "the file is an executable, not its entitlements"
            case .archive: "the file is a zip archive, not a property list"
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
            case .empty: "Use the .entitlements file of the app's target"
            case .tooLarge: "Use only the .entitlements file, or the output of codesign -d --entitlements - --xml APP"
            case .encoding: "Save the file as UTF-8, or convert it: plutil -convert xml1 FILE"
            case .binaryVersion, .openStep: "Convert it: plutil -convert xml1 FILE"
            case .distinguishedEncoding, .signatureBlob, .executable:
                "Extract the entitlements as XML from the built app: codesign -d --entitlements - --xml APP"
            case .json: "Use the .entitlements file of the app; check an association file separately"
            case .html: "Use the .entitlements file; an error page or a login page may have been saved instead"
            case .richText: "Save the file as plain text"
            case .provisioningProfile, .archive:
                "Extract the entitlements from the built app: codesign -d --entitlements - --xml APP"
            case .entries: "Use --entitlement for an entry, or put the entry into a property list"
            case .neither: "Use the .entitlements file of the app's target"
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
