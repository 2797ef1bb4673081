public import MotivatorPlatform
public import SourceJSON

extension SiteAssociation {
    /// The reason a file is not a well-formed association file.
    public enum Failure: ExplainedError, Hashable, Sendable {
        /// A file larger than `maximumSize` bytes.
        case tooLarge(size: Int)
        /// A signed file where plain JSON is required.
        case enveloped(Envelope)
        case json(JSONError)
        /// A key that occurs twice. The grammar allows it, but Apple does not document which value a device uses.
        case duplicateKey(JSONDocument.DuplicateKey)
        /// A value of the wrong kind. The path, such as `applinks.details[0].appIDs`, is empty for the whole file.
        case wrongKind(SourceLocation, path: String, found: JSONValue.Kind, expected: String)
        case identifier(SourceLocation, path: String, AppIdentifier.Malformed)

        /// The location of the error, or nil if it concerns the whole file.
        public var location: SourceLocation? {
            switch self {
            case .tooLarge, .enveloped: nil
            case .json(let fault): fault.location
            case .duplicateKey(let key): key.second
            case .wrongKind(let location, _, _, _), .identifier(let location, _, _): location
            }
        }

        public var problem: String {
            switch self {
            case .tooLarge(let size):
                "the association file is \(size) bytes long; the limit is \(SiteAssociation.maximumSize)"
            case .enveloped(.cms): "the association file is signed (CMS), but plain JSON is required"
            case .enveloped(.pem): "the association file is in PEM, which no device reads"
            case .enveloped(.smime): "the association file is S/MIME text, which no device reads"
            case .json(let fault): fault.problem
            case .duplicateKey(let key):
                "\(key.second): the key \(key.key.excerpt) occurs again, after \(key.first)"
            case .wrongKind(let location, "", let found, let expected):
                "\(location): the association file is \(found.rawValue), not \(expected)"
            case .wrongKind(let location, let path, let found, let expected):
                "\(location): \(path) is \(found.rawValue), not \(expected)"
            case .identifier(let location, let path, let malformed): "\(location): \(malformed.problem) (in \(path))"
            }
        }

        public var fix: String {
            switch self {
            case .tooLarge: "Use patterns instead of individual paths, and remove comments and indentation"
            case .enveloped(.cms): "Use the JSON that was signed"
            case .enveloped:
                "Use the JSON that was signed; a signed file must be DER: openssl smime -sign -nodetach -outform DER"
            case .json(let fault): fault.fix
            case .duplicateKey: "Remove one of the two keys, or merge their values"
            case .wrongKind(_, "", _, _): "Put the services into an object: {\"webcredentials\":{\"apps\":[]}}"
            case .wrongKind(_, _, _, let expected): "Replace it with \(expected)"
            case .identifier(_, _, let malformed): malformed.fix
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
