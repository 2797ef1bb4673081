/// The file as a whole: its size and its form.
enum ContainerRule: String, RuleGroup {
    case tooLarge = "file-too-large"
    case nearlyTooLarge = "file-nearly-too-large"
    case pem = "file-pem"
    case smime = "file-smime-text"
    case neither = "file-neither-json-nor-cms"

    package var entry: Rule.Entry {
        switch self {
        case .tooLarge:
            .init(
                "The file has at most 131,072 bytes, uncompressed, signed or not.",
                because: "A device stops reading and ends with NSURLErrorDomain -1103; nothing of the file counts.",
                .all(.denial), .sizeLimit)
        case .nearlyTooLarge:
            .init(
                "The file stays clear of the limit of 131,072 bytes.",
                because: "The next app or path may be one too many, and then the whole file is void.",
                .all(.note), .sizeLimit)
        case .pem:
            .init(
                "A signed file is in DER form, not in PEM form.",
                because: "A device takes JSON first and then CMS in DER; text around base64 is neither.",
                .all(.denial), .observed)
        case .smime:
            .init(
                "A signed file is in DER form, not S/MIME text.",
                because: "openssl smime -sign writes mail unless it is told -outform DER, and no device reads mail.",
                .all(.denial), .sharedWebCredentials)
        case .neither:
            .init(
                "The file is JSON, or CMS in DER form around JSON.",
                because: "A device that finds neither ends with SWCErrorDomain 104.", .all(.denial), .observed)
        }
    }
}
