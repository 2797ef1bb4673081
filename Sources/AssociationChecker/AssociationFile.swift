public import AssociatedDomains
public import Certificates
public import MotivatorPlatform
public import SourceJSON
public import UniversalLinks

/// An association file as a device reads it, with its issues in each profile.
///
/// This type is the only reader of the format. Every command uses it, so all commands give the same verdict. The
/// initializer accepts any bytes: it keeps what a device uses, skips what a device ignores, and reports the issues.
public struct AssociationFile: Sendable {
    /// The maximum size of a plain or signed file, in bytes.
    ///
    /// Apple documents 128 KB uncompressed (App Search Programming Guide). Devices accept at most 131,072 bytes.
    public static let maximumSize = 131_072
    /// The maximum number of bytes that commands read: 16 MB. It exceeds the limit of devices, so that an issue can
    /// state the actual size.
    package static let readLimit = 16 << 20

    /// An app as listed in the file.
    public struct App: Sendable, Hashable {
        /// The identifier as written in the file.
        public let text: String
        /// The location in the file.
        public let location: SourceLocation
    }

    /// The bytes as read or received.
    public let bytes: [UInt8]
    /// The bytes without a signature: the file itself, or the content of its envelope.
    public let content: [UInt8]
    /// The UTF-8 JSON text that locations refer to. Empty if the file has no text.
    public let text: [UInt8]
    /// The JSON, or nil if the file contains none.
    public let root: JSONValue?
    /// The apps of each service in file order.
    public let apps: [Service: [App]]
    /// The universal links, if the file has them.
    public let links: UniversalLinks?
    /// The signers' certificates. This array is empty for a plain file.
    public let signers: [Certificate]
    /// Whether the file has a signature, perhaps in a form that no device reads.
    public let claimsSignature: Bool
    /// The issues with the file itself, in the order of the checks.
    let issues: [Issue]
    /// The name of the text in issues.
    let textSubject: String
    /// What explains why the file lists no app, or not the requested app.
    let causes: ServiceReader.Causes

    private let name: String

    /// Reads a file: size, envelope, signature, JSON, services.
    ///
    /// - Parameters:
    ///   - bytes: The file. The caller may truncate it one byte after `maximumSize`.
    ///   - name: The name of the file in issues.
    ///   - domain: The domain that serves the file, or nil if it is unknown.
    ///   - trust: The trust anchors of the signer, or nil for the system's trust anchors.
    ///   - ownRoots: The roots that a signer may have instead, such as the server's own development CA.
    ///   - time: The time when the signer's certificate must be valid.
    public init(
        _ bytes: [UInt8], name: String, domain: String? = nil, trust: [Certificate]? = nil,
        ownRoots: [Certificate] = [], at time: UnixTime
    ) {
        // The cause comes first: a page is not an association file of any size.
        let isPage = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
        var issues = isPage ? [] : AssociationFile.sizeIssues(bytes.count, name)
        let envelope = Envelope(bytes)
        var content = envelope == nil ? bytes : []
        var signers: [Certificate] = []
        var subject = name
        switch envelope {
        case .none: break
        case .cms:
            do throws(CMSIssue) {
                let message = try CMS.open(bytes)
                (content, signers) = (message.content, message.signers)
                subject = AssociationFile.contentSubject(name)
                issues += message.diagnosed(in: name, trust: trust, ownRoots, at: time, domain: domain)
            } catch {
                issues.append(Issue(error, in: name))
            }
        case .pem:
            let isSigned = ["CMS-", "PKCS7-"].contains { bytes.starts(with: "-----BEGIN \($0)".utf8) }
            issues.append(Issue(FileIssue.pem(isSigned: isSigned), in: name))
        case .smime: issues.append(Issue(FileIssue.smime, in: name))
        }
        var services = ServiceReader(subject: subject, host: domain)
        var json: JSONContent?
        var causes = ServiceReader.Causes()
        // No device reads a larger file, so ignore its content.
        if envelope == nil || subject != name, content.count <= AssociationFile.maximumSize || isPage {
            let read = JSONContent(content, subject: subject)
            issues += read.issues
            if let root = read.root {
                services.read(root)
                causes = services.causes
                issues += read.proven(services.issues)
                causes.services = services.causes.services.mapValues(read.proven)
                causes.isPartial = !read.json.isComplete
            }
            json = read
        }
        if envelope == nil { issues.append(Issue(CMSIssue.missing, in: name)) }
        (self.bytes, self.name, self.content, self.signers) = (bytes, name, content, signers)
        (self.issues, claimsSignature, textSubject) = (issues, envelope != nil, subject)
        (text, root) = (json?.text ?? content, json?.root)
        (apps, links, self.causes) = (services.apps, services.links, causes)
    }

    /// Returns a file that shares credentials with apps, formatted as in Apple's reference.
    ///
    /// - Parameter apps: The apps in file order. The file lists a repeated app only once.
    public static func json(webcredentials apps: [AppIdentifier]) -> [UInt8] {
        // An application identifier contains no characters that require escaping in JSON.
        let lines = apps.distinct.map { "      \"\($0)\"" }
        let list = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n    ]"
        return Array("{\n  \"webcredentials\": {\n    \"apps\": \(list)\n  }\n}\n".utf8)
    }

    /// The media type that Apple documents for this form.
    public var mediaType: String { claimsSignature ? "application/pkcs7-mime" : "application/json" }

    /// The services in the file, in Apple's order.
    public var services: [Service] { Service.allCases.filter { apps[$0] != nil } }

    /// Returns whether the file lists an app for a service.
    public func lists(_ app: AppIdentifier, for service: Service) -> Bool {
        apps[service]?.contains { app.isNamed(by: $0.text) } ?? false
    }

    /// Returns the verdict on the file alone, without an app or a site.
    public func verdict(_ profile: Profile) -> Verdict { report.verdict(profile) }

    /// The report on the file alone.
    public var report: Report { report(for: CheckRequest()) }

    package var denial: Issue? { report.denial(.device) }

    /// Returns the reason why an app is not associated for a service, or nil if the file lists the app.
    public func refusal(of app: AppIdentifier, for service: Service) -> Issue? {
        AppEvaluation(file: self, services: [service], apps: [app])?.issues.first { $0.effects.device != nil }
    }

    /// Returns the report on the file for a request without entries.
    package func report(for request: CheckRequest) -> Report {
        Report(
            target: name, issues: issues(for: request, []), apps: request.apps, file: self, texts: [textSubject: text])
    }

    func issues(for request: CheckRequest, _ entries: [AssociatedDomain]) -> [Issue] {
        let services = request.service.map { [$0] } ?? entries.services
        let wanted = services.first ?? .webcredentials
        let own = issues.map { issue in
            var issue = issue
            if case AppIdentifier.Malformed.noPrefix(let text)? = issue.kind,
                let app = request.apps.first(where: { $0.bundleIdentifier == text })
            {
                issue.fix = "Write \"\(app)\"."
            }
            guard issue.needsService else { return issue }
            issue.fix = issue.fix.replacing(Service.webcredentials.member(), with: wanted.member(request.apps.first))
            return issue
        }
        return own + (AppEvaluation(file: self, services: services, apps: request.apps)?.issues ?? [])
    }

    static func contentSubject(_ name: String) -> String { "\(name) (signed content)" }

    package static func sizeIssues(_ count: Int, _ name: String) -> [Issue] {
        let limit = maximumSize
        if count > limit { return [Issue(FileIssue.tooLarge(size: count > limit + 1 ? count : nil), in: name)] }
        guard count > limit / 10 * 9 else { return [] }
        return [Issue(FileIssue.nearlyTooLarge(size: count), in: name)]
    }
}

/// The envelope of a file that is not plain JSON.
enum Envelope: Hashable {
    /// CMS in DER, the signed form that devices read.
    case cms
    /// PEM, which no device reads: CMS, a certificate or a key.
    case pem
    /// S/MIME text, which `openssl smime -sign` writes without `-outform DER`. No device reads it.
    case smime

    /// Recognizes the envelope by the first bytes. Returns nil for plain JSON, which never looks like an envelope.
    init?(_ bytes: [UInt8]) {
        // A DER SEQUENCE with a long-form length, which every signature requires, or BER with an indefinite length. In
        // JSON, no byte above 0x7F follows a digit.
        if bytes.count > 1, bytes[0] == 0x30, (0x80...0x84).contains(bytes[1]) {
            self = .cms
        } else if bytes.starts(with: Array("-----BEGIN ".utf8)) {
            self = .pem
        } else if ["MIME-Version:", "Content-Type:", "Content-Disposition:"].contains(where: {
            bytes.starts(with: Array($0.utf8))
        }) {
            self = .smime
        } else {
            return nil
        }
    }
}

extension SignedMessage {
    /// Returns the issues with the signature. A signer below one of `ownRoots` is as good as a trusted one.
    fileprivate func diagnosed(
        in name: String, trust: [Certificate]?, _ ownRoots: [Certificate], at time: UnixTime, domain: String?
    ) -> [Issue] {
        var found = issues(trust: trust, at: time, domain: domain)
        if !ownRoots.isEmpty, found.contains(where: \.dependsOnTrust) {
            let other = issues(trust: ownRoots, at: time, domain: domain)
            if !other.contains(where: \.dependsOnTrust) { found = other }
        }
        return ([.needless] + found + (domain == nil ? [.domainUnknown] : [])).map { Issue($0, in: name) }
    }
}

extension AppIdentifier {
    /// Returns whether a device recognizes a text in an association file as this app.
    ///
    /// Devices ignore the case of the prefix and compare the rest exactly.
    public func isNamed(by text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count == prefix.utf8.count + 1 + bundleIdentifier.utf8.count else { return false }
        let split = bytes.index(bytes.startIndex, offsetBy: AppIdentifier.prefixLength)
        guard bytes[split] == UInt8(ascii: ".") else { return false }
        return bytes[..<split].elementsEqual(prefix.utf8) { ((0x61...0x7A).contains($0) ? $0 & 0xDF : $0) == $1 }
            && bytes[bytes.index(after: split)...].elementsEqual(bundleIdentifier.utf8)
    }
}

package enum FileIssue: CatalogIssue, Equatable {
    /// A file above the limit, with its size if it was read to the end.
    case tooLarge(size: Int?)
    case nearlyTooLarge(size: Int)
    /// A PEM file with a signature that OpenSSL can convert, or with anything else.
    case pem(isSigned: Bool)
    case smime, assetLinks
    case neither(isGzip: Bool)
    /// Content that does not have its content coding, or whose coding the checker does not know.
    case undecoded(String)

    package static let examples: [FileIssue] = [
        .tooLarge(size: nil), .nearlyTooLarge(size: 131_000), .pem(isSigned: true), .smime, .neither(isGzip: false),
        .assetLinks,
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
        case .pem(let isSigned):
            .init(
                "file-pem", "A signed file is in DER format, not PEM.",
                because: "The device tries JSON first, then DER-encoded CMS. It does not read PEM.", .all(.denial),
                .observed, example: "-----BEGIN PKCS7-----", fixed: "the same signed file in DER",
                problem: "The file is " + (isSigned ? "in PEM format" : "a PEM file, such as a certificate or a key"),
                fix: isSigned
                    ? "Convert the file to DER: openssl cms -cmsout -inform PEM -in FILE -outform DER -out NEW-FILE"
                    : "Serve the JSON of the association file")
        case .smime:
            .init(
                "file-smime-text", "A signed file is in DER format, not S/MIME text.",
                because: "Without -outform DER, openssl smime -sign writes S/MIME text. Devices cannot read it.",
                .all(.denial), .sharedWebCredentials, example: "MIME-Version: 1.0",
                fixed: "the same signed file in DER", problem: "The file is S/MIME text",
                fix: "Sign it with openssl smime -sign -nodetach -outform DER, or with motivator association sign")
        case .neither(let isGzip):
            .init(
                "file-neither-json-nor-cms", "The file is JSON, or DER-encoded CMS that contains JSON.",
                because: "The device reports SWCErrorDomain 104 for any other format.", .all(.denial), .observed,
                example: "an executable or an image", fixed: Self.good,
                problem: isGzip
                    ? "The file is compressed with gzip. A device decompresses it only if the response has "
                        + "Content-Encoding: gzip" : "The file is binary data that is neither JSON nor CMS",
                fix: isGzip
                    ? "Serve the uncompressed file, or send Content-Encoding: gzip to clients that accept gzip"
                    : "Serve the JSON as UTF-8 text")
        case .undecoded(let coding):
            .init(
                Self.neither(isGzip: false).entry.diagnostic,
                problem: "The checker cannot decode the content, which has Content-Encoding: \(coding.excerpt)",
                fix: "Send the file without Content-Encoding to clients that do not send Accept-Encoding")
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
