package import MotivatorPlatform

/// The reason why a ceremony failed, as an app and as a page get it.
package struct PasskeyError: ExplainedError, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The user canceled the prompt, or the device has no passkey.
        case canceled
        /// The device has a passkey that the options exclude.
        case excluded
        /// The association does not let the app use the RP ID, or the page may not use it.
        case security
        case malformed
        /// A value of the options is not base64url.
        case encoding
        case failed
    }

    package let kind: Kind
    /// The text of the system.
    package let reason: String
    package let fix: String

    private static let prefix = "The operation couldn’t be completed. "

    private init(_ kind: Kind, _ reason: String, _ fix: String) {
        (self.kind, self.reason, self.fix) = (kind, reason, fix)
    }

    static func canceled(_ fix: String) -> PasskeyError {
        PasskeyError(.canceled, prefix + "(com.apple.AuthenticationServices.AuthorizationError error 1001.)", fix)
    }

    static let excluded = PasskeyError(
        .excluded, "The device already has a passkey for this account",
        "Sign in with the existing passkey, or delete it from the device")

    static func security(_ reason: String, _ fix: String) -> PasskeyError { PasskeyError(.security, reason, fix) }
    static func failed(_ reason: String, _ fix: String) -> PasskeyError { PasskeyError(.failed, reason, fix) }

    /// A page does not learn about the algorithms of the authenticator (Web Authentication Level 3, 5.1.3).
    static let unsupported = PasskeyError(
        .failed, "The options offer no ES256 key (alg -7)",
        "Add {\"type\": \"public-key\", \"alg\": -7} to pubKeyCredParams")

    package static func malformed(_ reason: String, encoding: Bool = false) -> PasskeyError {
        PasskeyError(
            encoding ? .encoding : .malformed, reason,
            "Correct the options, which are the publicKey document of the server")
    }

    /// Apple's code and name in ASAuthorizationError, and the name of the error that a page gets.
    private var row: (code: Int32, appName: String, webName: String) {
        switch kind {
        case .canceled: (1001, "canceled", "NotAllowedError")
        case .excluded: (1006, "matchedExcludedCredential", "InvalidStateError")
        case .security: (1004, "failed", "SecurityError")
        case .malformed: (1004, "failed", "TypeError")
        case .encoding: (1004, "failed", "EncodingError")
        case .failed: (1004, "failed", "NotAllowedError")
        }
    }

    package var code: Int32 { row.code }
    package var webName: String { row.webName }
    package var problem: String { reason }
    package var exitCode: ExitCode { .no }

    package func json(for caller: PasskeyCaller) -> JSONNode {
        switch caller {
        case .app:
            [
                "domain": "ASAuthorizationError", "code": .number(Int(code)),
                "name": .text("ASAuthorizationError.\(row.appName)"), "reason": .text(reason),
                "localized_description": .text(reason.hasPrefix(Self.prefix) ? reason : Self.prefix + reason),
                "fix": .text(fix),
            ]
        case .page: ["name": .text(webName), "reason": .text(reason), "fix": .text(fix)]
        }
    }

    package func line(for caller: PasskeyCaller) -> String {
        let name =
            switch caller {
            case .app: "ASAuthorizationError \(code) \(row.appName)"
            case .page: webName
            }
        return "\(name): \(reason.hasSuffix(".") || reason.hasSuffix(".)") ? reason : reason + ".") \(fix)."
    }
}
