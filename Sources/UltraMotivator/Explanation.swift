import Accounts
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import Passkeys

/// An error as shown to users and API clients.
struct Explanation: Error {
    /// The form field that an error belongs to.
    enum Subject: Sendable { case name, newPassword, password, none }

    let status: Int
    let code: String
    /// The problem and the fix.
    var sentence: String
    let subject: Subject
    /// The errors in the other fields of the form.
    var others: [Explanation] = []
    /// The seconds to wait before the next attempt.
    var retryAfter: Int?

    init(
        _ status: Int, _ code: String, about subject: Subject = .none, _ sentence: String, retryAfter: Int? = nil
    ) {
        (self.status, self.code, self.subject) = (status, code, subject)
        (self.sentence, self.retryAfter) = (sentence, retryAfter)
    }

    /// Performs an operation on accounts, and explains its error.
    static func of<Value>(
        _ body: @autoclosure () async throws(AccountError) -> Value
    ) async throws(Explanation) -> Value {
        do throws(AccountError) { return try await body() } catch { throw error.explanation }
    }

    /// Returns an error response with Cache-Control and, depending on its status, Retry-After and WWW-Authenticate.
    func completing(_ response: Response, challenge: String) -> Response {
        var response = response
        if let retryAfter { response.fields[.retryAfter] = String(retryAfter) }
        if response.status == .unauthorized { response.fields[.wwwAuthenticate] = challenge }
        response.fields[.cacheControl] = "no-store"
        return response
    }

    static let notSignedIn = AccountError.notSignedIn.explanation
    static let crossSite = Explanation(403, "cross_site", SameOrigin.refusal)
    static let notJSON = Explanation(
        415, "unsupported_media_type",
        "The Content-Type is not JSON. Send the content with Content-Type: application/json.")
    static let mediationUnknown = Explanation(
        422, "mediation_unknown", "The mediation is unknown. Send \"conditional\", or omit the member.")

    static func malformed(_ sentence: String) -> Explanation { Explanation(400, "malformed_json", sentence) }

    /// A required member is missing or has another kind.
    static func missing(_ name: String, _ kind: String = "a string") -> Explanation {
        Explanation(400, "missing_member", "The member \"\(name)\" is missing or not \(kind). Send it as \(kind).")
    }

    static func passkeysNotAvailable(_ host: String) -> Explanation {
        Explanation(
            404, "passkeys_not_available",
            "The host \(host.excerpt) has no passkeys. Use localhost or a host of --domain.")
    }

    static func ceremony(_ error: CeremonyError, _ ceremony: Accounts.Ceremony) -> Explanation {
        let status =
            switch error.status {
            case .malformed: 400
            case .conflict: 409
            case .refused: ceremony == .addition ? 422 : 401
            }
        return Explanation(status, error.code, error.sentence)
    }

    /// Returns a time to wait in words.
    static func duration(_ seconds: Int) -> String {
        switch seconds {
        case ...1: "1 second"
        case ..<120: "\(seconds) seconds"
        case ...7200: "\((seconds + 59) / 60) minutes"
        case _: "\((seconds + 3599) / 3600) hours"
        }
    }
}

extension AccountError {
    var explanation: Explanation {
        switch self {
        case .refusedName(let fault): fault.explanation()
        case .refusedPassword(let fault): fault.explanation
        case .nameTaken: Explanation(409, "name_taken", about: .name, "That user name is taken. Choose another name.")
        case .wrongNameOrPassword:
            Explanation(
                401, "wrong_name_or_password", about: .password,
                "The user name or the password is wrong. Check both and try again.")
        case .notSignedIn: Explanation(401, "not_signed_in", "You are not signed in. Sign in first.")
        case .throttled(let seconds):
            Explanation(
                429, "throttled",
                "Too many attempts with this account or from this address. "
                    + "Wait \(Explanation.duration(seconds)) and try again.", retryAfter: seconds)
        case .busy:
            Explanation(503, "busy", "Too many sign-ins are in progress. Try again in a few seconds.", retryAfter: 3)
        case .passkey(let refusal): refusal.explanation
        case .unavailable:
            Explanation(
                503, "unavailable", "Accounts are temporarily unavailable. Try again in a minute.", retryAfter: 60)
        }
    }
}

extension PasskeyRefusal {
    /// The explanation for the management of passkeys. A sign-in responds with other statuses.
    var explanation: Explanation {
        switch self {
        case .confirmationRequired:
            Explanation(403, rawValue, "Confirm with your password or a passkey first, then try again.")
        case .passkeyNotFound:
            Explanation(404, rawValue, "The account has no passkey with this ID. Reload the list of passkeys.")
        case .passkeyExists:
            Explanation(409, rawValue, "This passkey is already registered. Use another authenticator.")
        case .passkeyLimit:
            Explanation(
                409, rawValue,
                "The account has \(PasskeyStatements.mostPerAccount) passkeys, the maximum. Remove a passkey first.")
        case .challengeUsed:
            Explanation(422, rawValue, "The challenge has already been used. Request new options and try again.")
        case .unknownPasskey:
            Explanation(401, rawValue, "This passkey is unknown. Sign in with your password or another passkey.")
        case .counterRegression:
            Explanation(
                401, rawValue,
                "The passkey's counter did not increase, so the passkey may have been copied. "
                    + "Sign in with your password.")
        }
    }
}

extension UserName.Failure {
    /// - Parameter noun: the kind of name.
    func explanation(of noun: String = "user name") -> Explanation {
        switch self {
        case .empty: Explanation(422, "name_empty", about: .name, "Enter a \(noun).")
        case .tooLong(let count):
            Explanation(
                422, "name_too_long", about: .name,
                "The \(noun) is \(count) characters long. Use at most \(UserName.maximumLength) characters.")
        case .controlCharacter(let position):
            Explanation(
                422, "name_control_character", about: .name,
                "Character \(position) of the \(noun) is a control character. Remove it.")
        case .extraSpace:
            Explanation(
                422, "name_extra_space", about: .name,
                "The \(noun) begins or ends with a space, or has two spaces in a row. Remove the space.")
        case .invisibleCharacter(let position):
            Explanation(
                422, "name_invisible_character", about: .name,
                "Character \(position) of the \(noun) is invisible. Remove it.")
        case .variantCharacter(let position):
            Explanation(
                422, "name_variant_character", about: .name,
                "Character \(position) of the \(noun) is a variant of a plain character. Type the plain form.")
        case .mixedScripts:
            Explanation(422, "name_mixed_scripts", about: .name, "The \(noun) mixes scripts. Use one script.")
        case .looksLatin:
            Explanation(
                422, "name_looks_latin", about: .name,
                "The letters in the \(noun) look like Latin letters. Type the name in Latin letters, "
                    + "or add a letter that does not look Latin.")
        }
    }
}

extension PasswordPolicy.Failure {
    fileprivate var explanation: Explanation {
        switch self {
        case .tooShort(let minimum):
            Explanation(
                422, "password_too_short", about: .newPassword,
                "The password is too short. Use at least \(minimum) characters, for example a few words.")
        case .tooLong(let maximum):
            Explanation(
                422, "password_too_long", about: .newPassword, "The password is too long. Use at most \(maximum) bytes."
            )
        case .common:
            Explanation(
                422, "password_common", about: .newPassword,
                "This is one of the most common passwords. Choose a password that is hard to guess.")
        case .isUserName:
            Explanation(
                422, "password_is_name", about: .newPassword,
                "The password is the user name, or the user name with only digits or punctuation added. "
                    + "Choose a password that is hard to guess.")
        case .isSiteName(let word):
            Explanation(
                422, "password_is_site_name", about: .newPassword,
                "The password is \"\(word)\", a word from this site's name, or this word with only digits or punctuation added. "
                    + "Choose a password that is hard to guess.")
        }
    }
}
