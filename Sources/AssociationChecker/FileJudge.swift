import AssociatedDomains
import Certificates
import Platform
import SourceJSON

/// Judges the bytes of an association file: size, container, signature, JSON, services.
struct FileJudge {
    /// The trust anchors for signers; nil for the system's.
    let trust: [Certificate]?
    /// When the signer's certificate has to be valid.
    package let time: UnixTime
    /// The domain that the signer's certificate has to be for; nil when it is not known.
    package let domain: String?
    /// What findings call the file.
    package let subject: String

    /// What is known of a file.
    struct Judgement {
        var findings: [Finding] = []
        /// nil when there is no JSON to read.
        var outline: AssociationOutline?
        /// The JSON text in UTF-8, that places are in: of the file itself or what is inside its envelope.
        package var text: [UInt8] = []
        /// Whether it is a signed file that can be opened.
        package var isSigned = false
        /// Whether somebody signed it, though perhaps in a form that no device reads.
        var isMeantAsSigned = false
    }

    func judge(_ bytes: [UInt8]) -> Judgement {
        var judgement = Judgement()
        noteSize(bytes.count, &judgement)
        let envelope = SiteAssociation.Candidate(bytes).envelope
        judgement.isMeantAsSigned = envelope != nil
        switch envelope {
        case .none: readJSON(bytes, &judgement)
        case .cms: readSigned(bytes, &judgement)
        case .pem:
            note(
                ContainerRule.pem, "the file is in PEM form", remedy: "Write it in DER: openssl smime -outform DER",
                &judgement)
        case .smime:
            note(
                ContainerRule.smime, "the file is S/MIME text",
                remedy: "Sign it with: openssl smime -sign -nodetach -outform DER, or motivator association sign",
                &judgement)
        }
        return judgement
    }

    private func noteSize(_ count: Int, _ judgement: inout Judgement) {
        let limit = SiteAssociation.maximumSize
        if count > limit {
            note(
                ContainerRule.tooLarge,
                "the file has more than \(limit) bytes" + (count > limit + 1 ? ": \(count)" : ""),
                remedy: "Use patterns instead of single paths, and leave out comments and indentation", &judgement)
        } else if count > limit / 10 * 9 {
            note(
                ContainerRule.nearlyTooLarge, "the file has \(count) of \(limit) bytes",
                remedy: "Use patterns instead of single paths, and leave out comments and indentation", &judgement)
        }
    }

    private func readSigned(_ bytes: [UInt8], _ judgement: inout Judgement) {
        let message: SignedMessage
        do {
            message = try CMS.open(bytes)
        } catch {
            judgement.findings.append(Finding(error, in: subject))
            return
        }
        judgement.isSigned = true
        note(
            SignatureRule.needless, "the file is signed", remedy: "Serve the JSON as it is, unless iOS 8 matters",
            &judgement)
        for fault in message.faults(trust: trust, at: time, domain: domain) {
            judgement.findings.append(Finding(fault, in: subject))
        }
        if domain == nil {
            note(
                SignatureRule.domainUnknown, "nothing tells which domain the signer's certificate has to be for",
                remedy: "Give --domain, or an entitlement entry", &judgement)
        }
        let own = judgement.findings.count
        readJSON(message.content, &judgement)
        for index in judgement.findings.indices.dropFirst(own) where judgement.findings[index].place != nil {
            judgement.findings[index].message += ", in the JSON inside"
        }
    }

    private func readJSON(_ text: [UInt8], _ judgement: inout Judgement) {
        judgement.text = text
        // No device reads so much; reading on would only cost time.
        guard text.count <= SiteAssociation.maximumSize else { return }
        let json = ForgivingJSON(text)
        // Of a file in UTF-16 it is not its bytes that findings point into.
        judgement.text = json.text
        if let first = json.faults.first, first.isOfNoText, first.location.offset == 0, text.prefix(512).contains(0) {
            note(
                ContainerRule.neither, "the file begins with bytes that are neither JSON nor CMS",
                remedy: "Serve the JSON as text in UTF-8", &judgement)
            return
        }
        for fault in json.faults {
            judgement.findings.append(
                Finding(JSONRule(fault), fault.whatIsWrong, remedy: fault.remedy, in: subject, at: fault.location))
        }
        for key in json.duplicateKeys {
            judgement.findings.append(
                Finding(
                    JSONRule.duplicateKey, "the key \(key.key.excerpt) stands here again, after \(key.first)",
                    remedy: "Remove one of the two, or join what they hold", in: subject, at: key.second))
        }
        guard let root = json.root else { return }
        let reader = OutlineReader(root, subject: subject)
        judgement.outline = reader.outline
        // What was put in the place of a word or a number that JSON does not know was never written.
        let guesses = Set(json.faults.filter(\.isOfValue).map(\.location))
        judgement.findings += reader.findings.filter { finding in
            guard let place = finding.place else { return true }
            // What is missing from an object or array that the JSON error cuts short is no problem of its own.
            return !guesses.contains(place)
                && !(json.incomplete.contains(place) && Self.codesOfMissingParts.contains(finding.code))
        }
    }

    private static let codesOfMissingParts = [
        ServiceRule.noService.rawValue, ServiceRule.appsEmpty.rawValue, LinkRule.noDetails.rawValue,
        LinkRule.noApps.rawValue, LinkRule.noRules.rawValue,
    ]

    private func note(_ rule: some RuleGroup, _ message: String, remedy: String, _ judgement: inout Judgement) {
        judgement.findings.append(Finding(rule, message, remedy: remedy, in: subject))
    }
}

extension JSONFault {
    /// Whether a value stands at its place that is a guess.
    fileprivate var isOfValue: Bool {
        switch self {
        case .unknownWord, .malformedNumber: true
        case .empty, .byteOrderMark, .otherEncoding, .html, .richText, .invalidUTF8, .cutOff, .extraContent, .tooDeep,
            .trailingComma, .missingComma, .strayComma, .missingColon, .missingValue, .mismatchedBracket, .comment,
            .invisibleCharacter, .unexpected, .typographicQuote, .singleQuote, .unquotedKey, .unclosedString,
            .controlCharacter, .unknownEscape, .shortEscape, .loneSurrogate:
            false
        }
    }

    /// Whether it may be what bytes that are no text at all look like.
    fileprivate var isOfNoText: Bool {
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
