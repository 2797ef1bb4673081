extension APIRefusal {
    /// The codes of the API.
    public enum Reason: String, CaseIterable, Sendable {
        case nameEmpty = "name_empty"
        case nameTooLong = "name_too_long"
        case nameControlCharacter = "name_control_character"
        case nameInvisibleCharacter = "name_invisible_character"
        case nameVariantCharacter = "name_variant_character"
        case nameMixedScripts = "name_mixed_scripts"
        case nameLooksLatin = "name_looks_latin"
        case nameTaken = "name_taken"
        case passwordTooShort = "password_too_short"
        case passwordTooLong = "password_too_long"
        case passwordCommon = "password_common"
        case passwordIsName = "password_is_name"
        case passwordIsSiteName = "password_is_site_name"
        case wrongNameOrPassword = "wrong_name_or_password"
        case notSignedIn = "not_signed_in"
        case throttled
        case busy
        case unavailable
        case crossSite = "cross_site"
        case unsupportedMediaType = "unsupported_media_type"
        case malformedJSON = "malformed_json"
        case missingMember = "missing_member"

        /// What a reason is about, as far as an app tells its user apart.
        enum Subject { case nameTaken, name, newPassword, credential, session, wait, program }

        var subject: Subject {
            switch self {
            case .nameTaken: .nameTaken
            case .nameEmpty, .nameTooLong, .nameControlCharacter, .nameInvisibleCharacter, .nameVariantCharacter,
                .nameMixedScripts, .nameLooksLatin:
                .name
            case .passwordTooShort, .passwordTooLong, .passwordCommon, .passwordIsName, .passwordIsSiteName:
                .newPassword
            case .wrongNameOrPassword: .credential
            case .notSignedIn: .session
            case .throttled, .busy, .unavailable: .wait
            case .crossSite, .unsupportedMediaType, .malformedJSON, .missingMember: .program
            }
        }
    }

    /// What the refusal is about; a bare status that tells to wait does so without a code, too.
    var subject: Reason.Subject { reason?.subject ?? (isTemporary ? .wait : .program) }
}
