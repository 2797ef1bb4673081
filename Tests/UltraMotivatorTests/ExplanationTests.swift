import Accounts
import Certificates
import MotivatorPlatform
import Passkeys
import TestSupport
import Testing

@testable import UltraMotivator

@Suite("Explanations of errors and problems") struct ExplanationTests {
    static let errors: [(AccountError, Int, String, Explanation.Subject)] = [
        (.nameTaken, 409, "name_taken", .name), (.wrongNameOrPassword, 401, "wrong_name_or_password", .password),
        (.notSignedIn, 401, "not_signed_in", .none), (.throttled(retryAfter: 3), 429, "throttled", .none),
        (.busy, 503, "busy", .none), (.unavailable, 503, "unavailable", .none),
        (.refusedName(.empty), 422, "name_empty", .name),
        (.refusedName(.tooLong(codePoints: 65)), 422, "name_too_long", .name),
        (.refusedName(.controlCharacter(at: 2)), 422, "name_control_character", .name),
        (.refusedName(.extraSpace), 422, "name_extra_space", .name),
        (.refusedName(.invisibleCharacter(at: 2)), 422, "name_invisible_character", .name),
        (.refusedName(.variantCharacter(at: 2)), 422, "name_variant_character", .name),
        (.refusedName(.mixedScripts), 422, "name_mixed_scripts", .name),
        (.refusedName(.looksLatin), 422, "name_looks_latin", .name),
        (.refusedPassword(.tooShort(minimum: 8)), 422, "password_too_short", .newPassword),
        (.refusedPassword(.tooLong(maximumBytes: 1024)), 422, "password_too_long", .newPassword),
        (.refusedPassword(.common), 422, "password_common", .newPassword),
        (.refusedPassword(.isUserName), 422, "password_is_name", .newPassword),
        (.refusedPassword(.isSiteName(word: "x")), 422, "password_is_site_name", .newPassword),
    ]

    @Test("Each error of accounts has a status, a code and a field", arguments: errors)
    func error(_ error: AccountError, _ status: Int, _ code: String, _ subject: Explanation.Subject) {
        let explanation = error.explanation
        #expect(explanation.status == status && explanation.code == code && explanation.subject == subject)
        #expect(explanation.retryAfter == (code == "unavailable" ? 60 : [429, 503].contains(status) ? 3 : nil))
    }

    @Test("Each refused change of passkeys has a status, and the code of the refusal")
    func passkeys() {
        let statuses: [PasskeyRefusal: Int] = [
            .confirmationRequired: 403, .passkeyNotFound: 404, .passkeyExists: 409, .passkeyLimit: 409,
            .challengeUsed: 422, .unknownPasskey: 401, .counterRegression: 401,
        ]
        for refusal in PasskeyRefusal.allCases {
            let explanation = AccountError.passkey(refusal).explanation
            #expect(explanation.status == statuses[refusal] && explanation.code == refusal.rawValue, "\(refusal)")
        }
    }

    @Test("A refused ceremony has status 422 when a passkey is added, and 401 otherwise")
    func ceremonies() {
        let errors: [(CeremonyError, addition: Int, others: Int)] = [
            (.credentialMalformed("x"), 400, 400), (.passkeyExists, 409, 409), (.passkeyLimit(20), 409, 409),
            (.challengeInvalid, 422, 401), (.originMismatch("x", expected: []), 422, 401),
        ]
        for (error, addition, others) in errors {
            #expect(Explanation.ceremony(error, .addition).status == addition, "\(error)")
            for ceremony in [Accounts.Ceremony.signIn, .confirmation] {
                let explanation = Explanation.ceremony(error, ceremony)
                #expect(explanation.status == others && explanation.code == error.code, "\(error)")
            }
        }
    }

    @Test("A sentence has the values of its error")
    func values() {
        let sentences: [(AccountError, String)] = [
            (.refusedName(.tooLong(codePoints: 70)), "is 70 characters long. Use at most 64 characters."),
            (.refusedName(.controlCharacter(at: 7)), "Character 7 "),
            (.refusedName(.invisibleCharacter(at: 8)), "Character 8 "),
            (.refusedName(.variantCharacter(at: 9)), "Character 9 "),
            (.refusedPassword(.tooShort(minimum: 15)), "at least 15 characters"),
            (.refusedPassword(.tooLong(maximumBytes: 1024)), "at most 1024 bytes"),
            (.refusedPassword(.isSiteName(word: "Motivator")), "\"Motivator\", a word from this site's name"),
        ]
        for (error, part) in sentences { #expect(error.explanation.sentence.contains(part), "\(part)") }
    }

    @Test(
        "A wait is in seconds, minutes or hours, and never shorter than it is",
        arguments: [
            (0, "1 second"), (1, "1 second"), (2, "2 seconds"), (119, "119 seconds"), (120, "2 minutes"),
            (121, "3 minutes"), (3600, "60 minutes"), (7200, "120 minutes"), (7201, "3 hours"), (86_400, "24 hours"),
        ])
    func wait(_ seconds: Int, _ text: String) {
        let sentence = AccountError.throttled(retryAfter: seconds).explanation.sentence
        #expect(sentence.contains(" \(text) and"), "\(sentence)")
    }

    private static let day: UnixTime = 86_400
    private static let start: UnixTime = 1_767_225_600
    private static let end = start + 90 * day

    @Test(
        "A certificate is a problem before its first second, in its last 14 days, and after its last second",
        arguments: [
            (start - 1, .notYetValid(host: "a.test", from: start)), (start, nil), (end - 14 * day, nil),
            (end - 14 * day + 1, .expiresSoon(host: "a.test", at: end)),
            (end, .expiresSoon(host: "a.test", at: end)), (end + 1, .expired(host: "a.test", at: end)),
        ] as [(UnixTime, ServedContentIssue?)])
    func validity(_ now: UnixTime, _ problem: ServedContentIssue?) throws {
        let key = try PrivateKey.generate(.p256)
        var draft = try CertificateDraft.server(
            [SubjectName("a.test")], kind: .p256, notBefore: Self.start, notAfter: Self.end)
        draft.extensions.removeAll { $0.name == "authorityKeyIdentifier" }
        let certificate = try draft.signed(for: key, issuer: nil, issuerKey: key)
        let problems = ServedContentIssue.problems(of: certificate, for: "a.test", at: now)
        #expect(problems == [problem].compactMap(\.self))
        let other = ServedContentIssue.problems(of: certificate, for: "b.test", at: now)
        #expect(other == [.otherHost(host: "b.test", names: ["a.test"])] + problems.map { $0.moved(to: "b.test") })
        // A problem of the certificate is not reported again for the file that it signs.
        let file = try CMS.sign(
            Array("{}".utf8), identity: Identity(certificate: certificate, key: key, chain: []))
        let signed = try ServedContentIssue.problems(ofSigned: file, for: "a.test", at: now)
        #expect(signed.isEmpty)
    }
}

extension ServedContentIssue {
    /// Returns the same problem for another host.
    fileprivate func moved(to host: String) -> ServedContentIssue {
        switch self {
        case .otherHost(_, let names): .otherHost(host: host, names: names)
        case .notYetValid(_, let from): .notYetValid(host: host, from: from)
        case .expired(_, let at): .expired(host: host, at: at)
        case .expiresSoon(_, let at): .expiresSoon(host: host, at: at)
        case .signer(_, let issue): .signer(host: host, issue)
        case .file(let issue): .file(issue)
        }
    }
}
