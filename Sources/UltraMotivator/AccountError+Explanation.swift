import Accounts

/// An `AccountError` as shown to users and API clients.
struct Explanation: Sendable {
    /// The form field that an error belongs to.
    enum Subject: Sendable { case name, newPassword, password, none }

    /// The HTTP status.
    let status: Int
    /// The API's stable error code.
    let code: String
    /// The problem and the fix.
    var sentence: String
    let subject: Subject
    /// The seconds to wait before the next attempt.
    var retryAfter: Int?
}

extension AccountError {
    var explanation: Explanation {
        switch self {
        case .refusedName(let fault): fault.explanation
        case .refusedPassword(let fault): fault.explanation
        case .nameTaken:
            Explanation(
                status: 409, code: "name_taken", sentence: "That user name is taken. Choose another name.",
                subject: .name)
        case .wrongNameOrPassword:
            Explanation(
                status: 401, code: "wrong_name_or_password",
                sentence: "The user name or the password is wrong. Check both and try again.", subject: .password)
        case .notSignedIn:
            Explanation(
                status: 401, code: "not_signed_in", sentence: "You are not signed in. Sign in first.",
                subject: .none)
        case .throttled(let seconds):
            Explanation(
                status: 429, code: "throttled",
                sentence: "Too many attempts with this account or from this address. "
                    + "Wait \(Self.duration(seconds)) and try again.",
                subject: .none, retryAfter: seconds)
        case .busy(let seconds):
            Explanation(
                status: 503, code: "busy",
                sentence: "Too many sign-ins are in progress. Try again in \(Self.duration(seconds)).",
                subject: .none, retryAfter: seconds)
        case .unavailable:
            Explanation(
                status: 503, code: "unavailable",
                sentence: "Accounts are temporarily unavailable. Try again in a minute.", subject: .none,
                retryAfter: 60)
        }
    }

    private static func duration(_ seconds: Int) -> String {
        switch seconds {
        case ...1: "1 second"
        case ..<120: "\(seconds) seconds"
        case ...7200: "\((seconds + 59) / 60) minutes"
        case _: "\((seconds + 3599) / 3600) hours"
        }
    }
}

extension UserName.Failure {
    fileprivate var explanation: Explanation {
        switch self {
        case .empty:
            Explanation(status: 422, code: "name_empty", sentence: "Enter a user name.", subject: .name)
        case .tooLong(let count):
            Explanation(
                status: 422, code: "name_too_long",
                sentence:
                    "The user name is \(count) characters long. Use at most \(UserName.maximumLength) characters.",
                subject: .name)
        case .controlCharacter(let position):
            Explanation(
                status: 422, code: "name_control_character",
                sentence: "Character \(position) of the user name is a control character. Remove it.", subject: .name)
        case .extraSpace:
            Explanation(
                status: 422, code: "name_extra_space",
                sentence: "The user name begins or ends with a space, or has two spaces in a row. Remove the space.",
                subject: .name)
        case .invisibleCharacter(let position):
            Explanation(
                status: 422, code: "name_invisible_character",
                sentence: "Character \(position) of the user name is invisible. Remove it.", subject: .name)
        case .variantCharacter(let position):
            Explanation(
                status: 422, code: "name_variant_character",
                sentence:
                    "Character \(position) of the user name is a variant of a plain character. Type the plain form.",
                subject: .name)
        case .mixedScripts:
            Explanation(
                status: 422, code: "name_mixed_scripts",
                sentence: "The user name mixes scripts. Use one script.",
                subject: .name)
        case .looksLatin:
            Explanation(
                status: 422, code: "name_looks_latin",
                sentence:
                    "The letters in the user name look like Latin letters. Type the name in Latin letters, "
                    + "or add a letter that does not look Latin.", subject: .name)
        }
    }
}

extension PasswordPolicy.Failure {
    fileprivate var explanation: Explanation {
        switch self {
        case .tooShort(let minimum):
            Explanation(
                status: 422, code: "password_too_short",
                sentence: "The password is too short. Use at least \(minimum) characters, for example a few words.",
                subject: .newPassword)
        case .tooLong(let maximum):
            Explanation(
                status: 422, code: "password_too_long",
                sentence: "The password is too long. Use at most \(maximum) bytes.", subject: .newPassword)
        case .common:
            Explanation(
                status: 422, code: "password_common",
                sentence: "This is one of the most common passwords. Choose a password that is hard to guess.",
                subject: .newPassword)
        case .isUserName:
            Explanation(
                status: 422, code: "password_is_name",
                sentence: "The password is the user name, or the user name with only digits or punctuation added. "
                    + "Choose a password that is hard to guess.", subject: .newPassword)
        case .isSiteName(let word):
            Explanation(
                status: 422, code: "password_is_site_name",
                sentence:
                    "The password is \"\(word)\", a word from this site's name, or this word with only digits or punctuation added. "
                    + "Choose a password that is hard to guess.", subject: .newPassword)
        }
    }
}
