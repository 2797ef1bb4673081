package import AssociatedDomains

package enum FileIssue: CatalogIssue, Equatable {
    /// A file above the limit, with its size if it was read to the end.
    case tooLarge(size: Int?)
    case nearlyTooLarge(size: Int)
    case pem, smime, neither, assetLinks

    package static let title = "The file as a whole"
    package static let examples: [FileIssue] = [
        .tooLarge(size: nil), .nearlyTooLarge(size: 131_000), .pem, .smime, .neither, .assetLinks,
    ]
    private static let shorten = "Use patterns instead of individual paths, and remove comments and indentation"

    package var entry: CatalogEntry {
        switch self {
        case .tooLarge(let size):
            .init(
                "file-too-large", "The uncompressed file, signed or not, is at most 131,072 bytes.",
                because: "The device stops reading a larger file (NSURLErrorDomain -1103) and ignores it.",
                .all(.denial), .sizeLimit, example: "a file of 131,073 bytes with comments",
                fixed: "the same file without comments",
                problem: "The file is larger than \(AssociationFile.maximumSize) bytes"
                    + (size.map { " (\($0) bytes)" } ?? ""), fix: Self.shorten)
        case .nearlyTooLarge(let size):
            .init(
                "file-nearly-too-large", "The file is well below the limit of 131,072 bytes.",
                because: "One more app or path can push the file over the limit. The device then ignores the file.",
                .all(.note), .sizeLimit, example: "a file of 131,000 bytes with comments",
                fixed: "the same file without comments",
                problem: "The file is \(size) bytes. The limit is \(AssociationFile.maximumSize) bytes",
                fix: Self.shorten)
        case .pem:
            .init(
                "file-pem", "A signed file is in DER format, not PEM.",
                because: "The device tries JSON first, then DER-encoded CMS. It does not read PEM.", .all(.denial),
                .observed, example: "-----BEGIN PKCS7-----", fixed: "the same signed file in DER",
                problem: "The file is in PEM format",
                fix: "Convert the file to DER: openssl pkcs7 -in FILE -outform DER -out NEW-FILE")
        case .smime:
            .init(
                "file-smime-text", "A signed file is in DER format, not S/MIME text.",
                because: "Without -outform DER, openssl smime -sign writes S/MIME text. Devices cannot read it.",
                .all(.denial), .sharedWebCredentials, example: "MIME-Version: 1.0",
                fixed: "the same signed file in DER",
                problem: "The file is S/MIME text",
                fix: "Sign it with openssl smime -sign -nodetach -outform DER, or with motivator association sign")
        case .neither:
            .init(
                "file-neither-json-nor-cms", "The file is JSON, or DER-encoded CMS that contains JSON.",
                because: "The device reports SWCErrorDomain 104 for any other format.", .all(.denial), .observed,
                example: "an executable or an image", fixed: Self.good,
                problem: "The file is binary data that is neither JSON nor CMS", fix: "Serve the JSON as UTF-8 text")
        case .assetLinks:
            .init(
                "file-assetlinks", "The file is an apple-app-site-association file.",
                because: "assetlinks.json is the Android format. Apple devices do not read it.", .all(.denial),
                .supporting, example: #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{}}]"#,
                fixed: Self.good,
                problem: "This is an assetlinks.json file for Android, not an association file for Apple devices",
                fix: "Serve it at /.well-known/assetlinks.json, and serve an association file at "
                    + "/.well-known/apple-app-site-association")
        }
    }
}

extension CatalogIssue {
    /// Many examples are this file with a mistake.
    static var good: String { #"{"webcredentials":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"# }
}
