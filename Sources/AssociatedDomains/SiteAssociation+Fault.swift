import Platform
import SourceJSON

extension SiteAssociation {
    /// Why a file is no well-formed association file.
    public enum Fault: ExplainedError, Hashable, Sendable {
        /// More than `maximumSize` bytes.
        case tooLarge(size: Int)
        /// Wrapped in a signature or an encoding of one, where plain JSON has to be.
        case enveloped(Envelope)
        case json(JSONFault)
        /// Refused because the grammar allows it but no document says which of the two a device takes.
        case duplicateKey(JSONDocument.DuplicateKey)
        /// A value of a kind that cannot hold what belongs there; the path is like `applinks.details[0].appIDs`, and
        /// empty for the whole file.
        case wrongKind(SourceLocation, path: String, found: JSONValue.Kind, expected: String)
        case identifier(SourceLocation, path: String, AppIdentifier.Malformed)

        /// Where the fault stands, or nil for one of the file as a whole.
        public var place: SourceLocation? {
            switch self {
            case .tooLarge, .enveloped: nil
            case .json(let fault): fault.location
            case .duplicateKey(let key): key.second
            case .wrongKind(let place, _, _, _), .identifier(let place, _, _): place
            }
        }

        public var problem: String {
            switch self {
            case .tooLarge(let size):
                "the association file has \(size) bytes, more than the \(SiteAssociation.maximumSize) that devices take"
            case .enveloped(.cms): "the association file is signed (CMS), where plain JSON has to be"
            case .enveloped(.pem): "the association file is in PEM, which no device reads"
            case .enveloped(.smime): "the association file is S/MIME text, which no device reads"
            case .json(let fault): fault.problem
            case .duplicateKey(let key):
                "\(key.second): the key \(key.key.excerpt) stands here again, after \(key.first)"
            case .wrongKind(let place, "", let found, let expected):
                "\(place): the association file is \(found.rawValue), not \(expected)"
            case .wrongKind(let place, let path, let found, let expected):
                "\(place): \(path) is \(found.rawValue), not \(expected)"
            case .identifier(let place, let path, let malformed): "\(place): \(malformed.problem) (in \(path))"
            }
        }

        public var fix: String {
            switch self {
            case .tooLarge: "Make the file smaller: patterns instead of single paths, no comments, no indentation"
            case .enveloped(.cms): "Give the JSON that was signed"
            case .enveloped:
                "Give the JSON that was signed; a signed file has to be DER: openssl smime -sign -nodetach -outform DER"
            case .json(let fault): fault.fix
            case .duplicateKey: "Remove one of the two, or join what they hold"
            case .wrongKind(_, "", _, _): "Put the services into an object: {\"webcredentials\":{\"apps\":[]}}"
            case .wrongKind(_, _, _, let expected): "Put \(expected) there"
            case .identifier(_, _, let malformed): malformed.fix
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
