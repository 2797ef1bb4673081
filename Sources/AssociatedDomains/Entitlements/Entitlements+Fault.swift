import Platform
import SourceJSON

extension Entitlements {
    /// Why a file is no property list of entitlements.
    public enum Fault: ExplainedError, Hashable, Sendable {
        /// Nothing, or nothing but white space.
        case empty
        /// More than `maximumSize` bytes.
        case tooLarge(size: Int)

        // Something else, by its beginning.

        /// XML in an encoding other than UTF-8.
        case encoding(name: String)
        /// A binary list of a version other than 00.
        case binaryVersion
        /// Entitlements in DER, as signatures of iOS 15 and later hold them.
        case distinguishedEncoding
        /// The blob of a code signature, with a header of 8 bytes in front of the list.
        case signatureBlob
        /// A list in the old text format of NeXTSTEP and OPENSTEP, or a project of Xcode.
        case openStep
        case json
        case html
        case richText
        /// A provisioning profile: a list inside of a signature (CMS).
        case provisioningProfile
        case executable
        /// A zip archive, such as an `.ipa`.
        case archive
        /// Entries alone, without a list around them.
        case entries(String)
        /// Anything else.
        case neither(beginning: String)

        // A property list with a mistake.

        case xml(SourceLocation, XMLMistake)
        case binary(offset: Int, BinaryMistake)
        case notADictionary(SourceLocation?, found: String)
        /// Refused because no document says which of the two a device takes.
        case duplicateKey(SourceLocation?, key: String)

        /// Where the fault stands in an XML list, or nil for the file as a whole and in a binary list.
        public var place: SourceLocation? {
            switch self {
            case .empty, .tooLarge, .encoding, .binaryVersion, .distinguishedEncoding, .signatureBlob, .openStep, .json,
                .html, .richText, .provisioningProfile, .executable, .archive, .entries, .neither, .binary:
                nil
            case .xml(let place, _): place
            case .notADictionary(let place, _), .duplicateKey(let place, _): place
            }
        }

        public var problem: String {
            switch self {
            case .empty: "the file of entitlements is empty"
            case .tooLarge(let size):
                "the file of entitlements has \(size) bytes, more than \(Entitlements.maximumSize)"
            case .encoding(let name): "the property list is in \(name.excerpt), not in UTF-8"
            case .binaryVersion: "the binary property list has a version other than 00"
            case .distinguishedEncoding: "the entitlements are in DER, not in a property list"
            case .signatureBlob: "the file is the blob of a code signature, not a property list"
            case .openStep: "the file is in the old text format of property lists (OpenStep), not in XML or binary"
            case .json: "the file is JSON, not a property list"
            case .html: "the file is an HTML page, not a property list"
            case .richText: "the file is rich text (RTF), not a property list"
            case .provisioningProfile: "the file is a provisioning profile or another signed message (CMS)"
            case .executable: "the file is an executable, not its entitlements"
            case .archive: "the file is a zip archive, not a property list"
            case .entries(let text): "the file begins with the entry \(text.excerpt), not with a property list"
            case .neither(let beginning):
                "the file is no property list, neither XML nor binary; it begins with \(beginning.excerpt)"
            case .xml(let place, let mistake): "\(place): \(mistake.problem)"
            case .binary(let offset, let mistake): "byte \(offset): \(mistake.rawValue)"
            case .notADictionary(let place, let found):
                "\(place.map { "\($0): " } ?? "")the property list is \(found), not a dictionary"
            case .duplicateKey(let place, let key):
                "\(place.map { "\($0): " } ?? "")the key \(key.excerpt) stands in the list a second time"
            }
        }

        public var remedy: String {
            switch self {
            case .empty: "Give the .entitlements file of the app's target"
            case .tooLarge: "Give the .entitlements file alone, or the output of codesign -d --entitlements - --xml APP"
            case .encoding: "Save the file as UTF-8, or convert it: plutil -convert xml1 FILE"
            case .binaryVersion, .openStep: "Convert it: plutil -convert xml1 FILE"
            case .distinguishedEncoding, .signatureBlob, .executable:
                "Take the entitlements as XML from the built app: codesign -d --entitlements - --xml APP"
            case .json:
                "Give the .entitlements file of the app; an association file is checked as a file of the domain"
            case .html:
                "Give the .entitlements file itself; an error page or a login page may have been saved in its place"
            case .richText: "Save the file as plain text"
            case .provisioningProfile, .archive:
                "Take the entitlements from the built app: codesign -d --entitlements - --xml APP"
            case .entries: "Give the entry itself (--entitlement), or a property list with it"
            case .neither: "Give the .entitlements file of the app's target"
            case .xml(_, let mistake): mistake.remedy
            case .binary: "Take the file from its source again, or convert it: plutil -convert xml1 FILE"
            case .notADictionary: "Put the key \"\(Entitlements.key)\" and its array into a <dict>"
            case .duplicateKey: "Remove one of the two, or join what they hold"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
