import MotivatorPlatform

/// The first check of a ceremony that failed.
package enum CeremonyError: Error, Equatable {
    /// The sentence names the member and the rule.
    case credentialMalformed(String)
    case clientDataMalformed(String)
    case clientDataType(String, expected: String)
    case challengeInvalid
    case challengeExpired(seconds: Int)
    case challengeUsed
    case originMismatch(String, expected: [String])
    case crossOrigin(topOrigin: String?)
    /// The part of the response that contains the CBOR.
    case cborInvalid(String, CBORError)
    case credentialIDTooLong(Int)
    case rpIDMismatch([UInt8], expected: String)
    case userNotPresent, userNotVerified, backupStateInvalid
    /// The number; nil if the key has none.
    case algorithmNotAllowed(Int?)
    case publicKeyInvalid(String)
    case attestationNotSupported(String)
    case attestationInvalid(String)
    case notDiscoverable, passkeyExists
    case passkeyLimit(Int)
    case passkeyNotAllowed, userHandleMissing, unknownPasskey
    case backupEligibilityChanged(stored: Bool)
    case signatureInvalid
    case counterRegression(UInt32, stored: UInt32)

    /// The HTTP status of an error.
    package enum Status: Sendable {
        /// 400: the request is malformed.
        case malformed
        /// 401 at sign-in and confirmation, 422 at registration.
        case refused
        /// 409: the request contradicts what is stored.
        case conflict
    }

    package var status: Status { row.status }
    package var code: String { row.code }
    package var sentence: String { row.sentence }

    private var row: (status: Status, code: String, sentence: String) {
        func refused(_ code: String, _ sentence: String) -> (Status, String, String) { (.refused, code, sentence) }
        return switch self {
        case .credentialMalformed(let sentence): (.malformed, "credential_malformed", sentence)
        case .clientDataMalformed(let sentence): (.malformed, "client_data_malformed", sentence)
        case .cborInvalid(let part, let error):
            (
                .malformed, "cbor_invalid",
                "The CBOR of the \(part) is not canonical at offset \(error.offset): \(error.rule.rawValue). "
                    + "Expected the form of CTAP 2.1, section 8."
            )
        case .clientDataType(let type, let expected):
            refused("client_data_type", "The client data has the type \(type.excerpt). Expected \(expected.quoted).")
        case .challengeInvalid:
            refused(
                "challenge_invalid",
                "The challenge is not from this server for this ceremony and session. Request new options.")
        case .challengeExpired(let seconds):
            refused("challenge_expired", "The challenge expired \(seconds) s ago. Request new options.")
        case .challengeUsed: refused("challenge_used", "The challenge has been used. Request new options.")
        case .originMismatch(let origin, let expected):
            refused(
                "origin_mismatch",
                "The origin \(origin.excerpt) is not accepted. Expected "
                    + expected.map(\.quoted).joined(separator: " or ") + ".")
        case .crossOrigin(let topOrigin):
            refused(
                "cross_origin",
                "The page is in a frame of \(topOrigin?.excerpt ?? "another origin"). "
                    + "Expected a page that is not framed.")
        case .credentialIDTooLong(let count):
            refused("credential_id_too_long", "The credential ID has \(count) bytes. Expected 1,023 at most.")
        case .rpIDMismatch(let hash, let expected):
            refused(
                "rp_id_mismatch",
                "The passkey is for the RP ID with the hash \(hash.hexadecimal). Expected the RP ID "
                    + "\(expected.quoted).")
        case .userNotPresent: refused("user_not_present", "The flag UP (user present) is 0. Expected 1.")
        case .userNotVerified: refused("user_not_verified", "The flag UV (user verified) is 0. Expected 1.")
        case .backupStateInvalid:
            refused("backup_state_invalid", "The flag BS (backed up) is 1 and BE (backup eligible) is 0. Expected 0.")
        case .algorithmNotAllowed(let number):
            refused(
                "algorithm_not_allowed",
                "The public key has \(number.map { "the algorithm \($0)" } ?? "no algorithm"). "
                    + "Expected \(COSEKey.Algorithm.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")).")
        case .publicKeyInvalid(let reason):
            refused("public_key_invalid", "The public key is invalid: \(reason). Expected the form of WebAuthn 6.5.1.")
        case .attestationNotSupported(let format):
            refused(
                "attestation_not_supported",
                "The attestation format \(format.excerpt) is not supported. Expected \"none\" or \"packed\".")
        case .attestationInvalid(let reason):
            refused("attestation_invalid", "The attestation statement is invalid: \(reason).")
        case .notDiscoverable:
            refused("not_discoverable", "The output credProps.rk is false. Expected a discoverable passkey.")
        case .passkeyExists: (.conflict, "passkey_exists", "This passkey is already registered. Sign in with it.")
        case .passkeyLimit(let limit):
            (.conflict, "passkey_limit", "The account has \(limit) passkeys, the maximum. Remove one first.")
        case .passkeyNotAllowed:
            refused(
                "passkey_not_allowed",
                "This passkey does not belong to the signed-in account. Use one of its passkeys.")
        case .userHandleMissing:
            refused("user_handle_missing", "The member \"userHandle\" is missing. Use a discoverable passkey.")
        case .unknownPasskey:
            refused("unknown_passkey", "The server does not know this passkey. Remove it from the device.")
        case .backupEligibilityChanged(let stored):
            refused(
                "backup_eligibility_changed",
                "The flag BE (backup eligible) is \(stored ? 0 : 1). Expected \(stored ? 1 : 0), as at registration.")
        case .signatureInvalid:
            refused(
                "signature_invalid",
                "The signature does not match the public key. "
                    + "Expected a signature of the authenticator data and the hash of the client data.")
        case .counterRegression(let count, let stored):
            refused(
                "counter_regression",
                "The signature counter is \(count). Expected more than \(stored). "
                    + "The passkey may have been copied: sign in with your password.")
        }
    }
}
