import AssociatedDomains
import Certificates
import MotivatorPlatform
import SourceJSON

/// The result of parsing a file, without information about its site.
struct ParsedFile {
    var issues: [Issue] = []
    /// The content, or nil if the file contains no JSON.
    var association: LenientAssociation?
    /// The UTF-8 JSON text that locations refer to: the file itself, or the content of its envelope.
    var text: [UInt8] = []
    /// The name of the text in issues.
    var textSubject: String
    /// Whether the file is signed and the parser can open it.
    var isSigned = false
    /// Whether the file has a signature, perhaps in a form that no device reads.
    var isMeantAsSigned = false

    /// The statements, if the file was read as assetlinks.json.
    var assetLinks: AssetLinksReader?

    /// Returns the name that issues use for the content of a signed file.
    static func contentSubject(_ subject: String) -> String { "\(subject) (signed content)" }

    /// Adds the issues with the content, except issues with values that the parser guessed or that an error truncated.
    mutating func add(_ found: [Issue], _ json: ForgivingJSON) {
        let guesses = Set(json.errors.filter(\.replacesValue).map(\.location))
        issues += found.filter { issue in
            guard let location = issue.location else { return true }
            // An issue with a missing key is located at the key of its service, not at the incomplete object.
            if issue.code == ServiceDiagnostic.noApps.rawValue, !json.incomplete.isEmpty { return false }
            return !guesses.contains(location) && !(issue.isOfMissingContent && json.incomplete.contains(location))
        }
    }
}

extension Checker {
    /// Parses the bytes of an association file: size, envelope, signature, JSON, services.
    ///
    /// - Parameters:
    ///   - bytes: The file. The caller may truncate it one byte after the size limit.
    ///   - subject: The name of the file in issues.
    ///   - domain: The domain for the signer's certificate, or nil if it is unknown.
    func parse(_ bytes: [UInt8], subject: String, domain: String?) -> ParsedFile {
        var file = ParsedFile(textSubject: subject)
        file.issues += sizeIssues(bytes.count, subject)
        let envelope = SiteAssociation.Candidate(bytes).envelope
        file.isMeantAsSigned = envelope != nil
        switch envelope {
        case .none: readJSON(bytes, into: &file)
        case .cms: readSigned(bytes, subject, domain, into: &file)
        case .pem: file.issues.append(Issue(ContainerDiagnostic.pem, in: subject))
        case .smime: file.issues.append(Issue(ContainerDiagnostic.smime, in: subject))
        }
        return file
    }

    private func sizeIssues(_ count: Int, _ subject: String) -> [Issue] {
        let limit = SiteAssociation.maximumSize
        if count > limit {
            let size = count > limit + 1 ? " (\(count) bytes)" : ""
            return [Issue(ContainerDiagnostic.tooLarge, ["limit": "\(limit)", "size": size], in: subject)]
        }
        guard count > limit / 10 * 9 else { return [] }
        return [Issue(ContainerDiagnostic.nearlyTooLarge, ["limit": "\(limit)", "size": "\(count)"], in: subject)]
    }

    private func readSigned(_ bytes: [UInt8], _ subject: String, _ domain: String?, into file: inout ParsedFile) {
        let message: SignedMessage
        do {
            message = try CMS.open(bytes)
        } catch {
            file.issues.append(Issue(error, in: subject))
            return
        }
        file.isSigned = true
        file.issues.append(Issue(SignatureDiagnostic.needless, in: subject))
        file.issues += message.issues(trust: trust, at: time, domain: domain).map { Issue($0, in: subject) }
        if domain == nil { file.issues.append(Issue(SignatureDiagnostic.domainUnknown, in: subject)) }
        file.textSubject = ParsedFile.contentSubject(subject)
        readJSON(message.content, into: &file)
    }

    private func readJSON(_ text: [UInt8], into file: inout ParsedFile) {
        file.text = text
        // No device reads a larger file, so ignore its content.
        guard text.count <= SiteAssociation.maximumSize, let (json, root) = readText(text, into: &file) else { return }
        let (association, issues) = LenientReader.read(root, subject: file.textSubject)
        file.add(issues, json)
        file.association = association
    }

    /// Parses JSON and adds its syntax issues.
    ///
    /// - Returns: The JSON and its value, or nil if the text has no value.
    func readText(_ text: [UInt8], into file: inout ParsedFile) -> (json: ForgivingJSON, root: JSONValue)? {
        let subject = file.textSubject
        let json = ForgivingJSON(text)
        // Locations in a UTF-16 file refer to its text in UTF-8.
        file.text = json.text
        if text.isPropertyList {
            file.issues.append(Issue(JSONDiagnostic.propertyList, in: subject))
            return nil
        }
        if let first = json.errors.first, first.mayBeBinary, first.location.offset == 0, text.prefix(512).contains(0) {
            file.issues.append(Issue(ContainerDiagnostic.neither, in: subject))
            return nil
        }
        for fault in json.errors {
            file.issues.append(
                Issue(
                    JSONDiagnostic(fault), problem: fault.whatIsWrong, fix: fault.fix, in: subject, at: fault.location))
        }
        for key in json.duplicateKeys {
            file.issues.append(
                Issue(
                    JSONDiagnostic.duplicateKey, ["key": key.key.excerpt, "first": "\(key.first)"], in: subject,
                    at: key.second))
        }
        return json.root.map { (json, $0) }
    }
}

extension Issue {
    /// Whether the issue reports missing content that the rest of an incomplete file may contain.
    fileprivate var isOfMissingContent: Bool {
        [ServiceDiagnostic.noService, .appsEmpty].map(\.rawValue).contains(code)
            || [LinkDiagnostic.noDetails, .noApps, .noRules].map(\.rawValue).contains(code)
            || [
                AssetLinksDiagnostic.empty, .relationMissing, .targetMissing, .namespace, .packageMissing,
                .fingerprintMissing,
            ]
            .map(\.rawValue).contains(code)
    }
}

extension [UInt8] {
    /// Whether the bytes are an XML or binary property list.
    fileprivate var isPropertyList: Bool {
        guard !starts(with: Array("bplist".utf8)) else { return true }
        let start = drop { $0 <= 0x20 }.prefix(512)
        return start.starts(with: Array("<?xml".utf8)) && start.contains(Array("plist".utf8))
    }
}

extension JSONError {
    /// Whether the parser replaced a value in the text with another value.
    fileprivate var replacesValue: Bool {
        switch self {
        case .unknownWord, .malformedNumber: true
        case .empty, .byteOrderMark, .otherEncoding, .html, .richText, .invalidUTF8, .cutOff, .extraContent, .tooDeep,
            .trailingComma, .missingComma, .strayComma, .missingColon, .missingValue, .mismatchedBracket, .comment,
            .invisibleCharacter, .unexpected, .typographicQuote, .singleQuote, .unquotedKey, .unclosedString,
            .controlCharacter, .unknownEscape, .shortEscape, .loneSurrogate:
            false
        }
    }

    /// Whether binary data can cause this error.
    fileprivate var mayBeBinary: Bool {
        switch self {
        case .unexpected, .unknownWord, .invalidUTF8, .malformedNumber: true
        case .empty, .byteOrderMark, .otherEncoding, .html, .richText, .cutOff, .extraContent, .tooDeep, .trailingComma,
            .missingComma, .strayComma, .missingColon, .missingValue, .mismatchedBracket, .comment, .invisibleCharacter,
            .typographicQuote, .singleQuote, .unquotedKey, .unclosedString, .controlCharacter, .unknownEscape,
            .shortEscape, .loneSurrogate:
            false
        }
    }
}
