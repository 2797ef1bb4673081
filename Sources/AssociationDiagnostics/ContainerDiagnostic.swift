/// Diagnostics about the size and the format of the file.
package enum ContainerDiagnostic: String, DiagnosticGroup {
    case tooLarge = "file-too-large"
    case nearlyTooLarge = "file-nearly-too-large"
    case pem = "file-pem"
    case smime = "file-smime-text"
    case neither = "file-neither-json-nor-cms"
    case assetLinks = "file-assetlinks"

    private static let shorten =
        "Use patterns instead of individual paths, and remove comments and indentation."

    package var row: Diagnostic.Row {
        switch self {
        case .tooLarge:
            .init(
                "The uncompressed file, signed or not, is at most 131,072 bytes.",
                because: "The device stops reading a larger file (NSURLErrorDomain -1103) and ignores it.",
                .all(.denial), .sizeLimit, message: "The file is larger than {limit} bytes{size}.", fix: Self.shorten,
                example: "a file of 131,073 bytes")
        case .nearlyTooLarge:
            .init(
                "The file is well below the limit of 131,072 bytes.",
                because: "One more app or path can push the file over the limit. The device then ignores the file.",
                .all(.note), .sizeLimit, message: "The file is {size} bytes. The limit is {limit} bytes.",
                fix: Self.shorten, example: "a file of 131,000 bytes")
        case .pem:
            .init(
                "A signed file is in DER format, not PEM.",
                because: "The device tries JSON first, then DER-encoded CMS. It does not read PEM.", .all(.denial),
                .observed, message: "The file is in PEM format.",
                fix: "Convert the file to DER: openssl smime -outform DER.",
                example: "-----BEGIN PKCS7-----")
        case .smime:
            .init(
                "A signed file is in DER format, not S/MIME text.",
                because: "Without -outform DER, openssl smime -sign writes S/MIME text. Devices cannot read it.",
                .all(.denial), .sharedWebCredentials, message: "The file is S/MIME text.",
                fix: "Sign it with openssl smime -sign -nodetach -outform DER, or with motivator association sign.",
                example: "MIME-Version: 1.0")
        case .neither:
            .init(
                "The file is JSON, or DER-encoded CMS that contains JSON.",
                because: "The device reports SWCErrorDomain 104 for any other format.", .all(.denial), .observed,
                message: "The file is binary data that is neither JSON nor CMS.",
                fix: "Serve the JSON as UTF-8 text.", example: "an executable or an image")
        case .assetLinks:
            .init(
                "The file is an apple-app-site-association file.",
                because: "assetlinks.json is the Android format. Apple devices do not read it.", .all(.denial),
                .supporting,
                message: "This is an assetlinks.json file for Android, not an association file for Apple devices.",
                fix: "Serve it at /.well-known/assetlinks.json, and serve an association file at "
                    + "/.well-known/apple-app-site-association.",
                example: #"[{"relation":["delegate_permission/common.handle_all_urls"],"target":{}}]"#)
        }
    }
}
