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
