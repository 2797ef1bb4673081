import Accounts
import MotivatorHTTP
import Passkeys

extension Operations {
    private static let id = Operation.Member(
        name: "id", meaning: "The credential ID in base64url.", example: "TD3Ut7eXhbXRk0w1l8S1Pg")
    private static let name = Operation.Member(
        name: "name", meaning: "The name of the passkey.", example: "Work phone", minimum: 1,
        maximum: UserName.maximumLength)
    private static let challenge = #""challenge": "YW4tZXhhbXBsZS1jaGFsbGVuZ2Utb2YtMzItYnl0ZXM", "timeout": 300000"#
    private static let createOptions = publicKey(
        #""rp": {"id": "ultra-motivator.test"}, "user": {"id": "xGl8bZ3nPnA0", "name": "antoine"}, \#(challenge)"#)
    private static let getOptions = publicKey(
        #""rpId": "ultra-motivator.test", "userVerification": "required", \#(challenge)"#)
    private static let created = credential(
        #""clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", "attestationObject": "o2NmbXRkbm9uZQ""#)
    private static let signed = credential(
        #""clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0", "authenticatorData": "xGl8", "signature": "MEUC""#)

    private static func publicKey(_ example: String) -> Operation.Member {
        .init(
            name: "publicKey", meaning: "The options for navigator.credentials, as JSON.", example: "{\(example)}",
            type: "object")
    }

    private static func credential(_ response: String) -> Operation.Member {
        .init(
            name: "credential", meaning: "The PublicKeyCredential as JSON: the result of its method toJSON().",
            example: #"{"id": "\#(id.example)", "type": "public-key", "response": {\#(response)}}"#, type: "object")
    }

    private static let passkey: [Operation.Member] = [
        id, name,
        .init(name: "rp_id", meaning: "The RP ID, a domain.", example: "ultra-motivator.test"),
        .init(name: "algorithm", meaning: "The COSE algorithm of the key.", example: "-7", type: "integer"),
        .init(name: "created", meaning: "The time in seconds since 1970.", example: "1795586400", type: "integer"),
        .init(
            name: "last_used", meaning: "The time of the last sign-in; null before the first.", example: "null",
            type: "integer|null"),
        .init(name: "backup_eligible", meaning: "Whether the passkey can be synced.", example: "true", type: "boolean"),
        .init(name: "backed_up", meaning: "Whether the passkey is synced.", example: "true", type: "boolean"),
        .init(name: "transports", meaning: "How clients reach the authenticator.", example: "[]", type: "array"),
        .init(
            name: "aaguid", meaning: "The model of the authenticator, as it claims.",
            example: "8446ccb9-ab1d-b374-750b-2367ff6f3a1f"),
    ]

    private static let available = errors(.unavailable, .busy) + [Explanation.passkeysNotAvailable("")]
    private static let session = available + errors(.notSignedIn)
    private static let object = content + [.notJSON]
    private static let confirmation = errors(.passkey(.confirmationRequired))

    /// The errors that each ceremony can report, with the statuses of its call.
    private static func refusals(_ errors: [CeremonyError], _ ceremony: Accounts.Ceremony) -> [Explanation] {
        let shared: [CeremonyError] = [
            .credentialMalformed(""), .clientDataMalformed(""), .clientDataType("", expected: ""), .challengeInvalid,
            .challengeExpired(seconds: 0), .challengeUsed, .originMismatch("", expected: []),
            .crossOrigin(topOrigin: nil), .cborInvalid("", CBORError(.notMap, at: 0)),
            .rpIDMismatch([], expected: ""), .userNotPresent, .userNotVerified, .backupStateInvalid,
        ]
        return (shared + errors).map { Explanation.ceremony($0, ceremony) }
            + Self.errors(.throttled(retryAfter: 0))
    }

    private static let authentication: [CeremonyError] = [
        .unknownPasskey, .backupEligibilityChanged(stored: true), .signatureInvalid, .counterRegression(0, stored: 0),
    ]
    private static let registration: [CeremonyError] = [
        .credentialIDTooLong(0), .algorithmNotAllowed(nil), .publicKeyInvalid(""), .attestationNotSupported(""),
        .attestationInvalid(""), .notDiscoverable, .passkeyExists, .passkeyLimit(0),
    ]

    static func passkeys(_ api: PasskeyAPI) -> [Operation] {
        let mediation = Operation.Member(
            name: "mediation", meaning: "The mediation of the request. Only \"conditional\" is allowed.",
            example: "conditional", isOptional: true)
        var optionalName = name
        optionalName.isOptional = true
        return [
            Operation(
                id: "passkey-options", path: "/api/passkeys/options", summary: "Start adding a passkey",
                description: "Returns the options for navigator.credentials.create(). Requires a session in which a "
                    + "password or a passkey was verified within 10 minutes; with mediation, a password within 5.",
                needsToken: true, request: [mediation], response: [createOptions],
                errors: object + session + confirmation + errors(.passkey(.passkeyLimit)) + [.mediationUnknown],
                respond: api.options),
            Operation(
                id: "passkey-add", path: "/api/passkeys", summary: "Add a passkey",
                description: "Verifies a registration, and stores the passkey.", needsToken: true,
                request: [created, optionalName], status: 201, response: passkey,
                errors: object + session + names + refusals(registration, .addition),
                contentLimit: PasskeyAPI.contentLimit, respond: api.add),
            Operation(
                id: "passkeys", method: .get, path: "/api/passkeys", summary: "List the passkeys",
                description: "Returns the passkeys of the account for this host. The signal methods need the same "
                    + "values.",
                needsToken: true,
                response: [
                    .init(name: "rp_id", meaning: "The RP ID, a domain.", example: "ultra-motivator.test"),
                    .init(
                        name: "user_id", meaning: "The user handle in base64url.",
                        example: "xGl8bZ3nPnA0bX3bS5Yk0wUo7qv0m2b9dQ1rJt8VhEc"),
                    .init(name: "passkeys", meaning: "The passkeys.", example: "[]", type: "array"),
                ],
                errors: session, respond: api.list),
            Operation(
                id: "passkey-rename", path: "/api/passkeys/rename", summary: "Rename a passkey",
                description: "The name is only for display.", needsToken: true, request: [id, name],
                response: passkey, errors: object + session + names + errors(.passkey(.passkeyNotFound)),
                respond: api.rename),
            Operation(
                id: "passkey-remove", method: .delete, path: "/api/passkeys", summary: "Remove a passkey",
                description: "The device keeps its copy.", needsToken: true,
                request: [id], errors: object + session + confirmation + errors(.passkey(.passkeyNotFound)),
                respond: api.remove),
        ]
    }

    static func passkeySignIns(_ api: PasskeyAPI) -> [Operation] {
        [
            Operation(
                id: "passkey-signin-options", path: "/api/signin/passkey/options",
                summary: "Start a sign-in with a passkey",
                description: "Returns the options for navigator.credentials.get(). They name no account.", request: [],
                response: [getOptions], errors: object + available, respond: api.signInOptions),
            Operation(
                id: "passkey-signin", path: "/api/signin/passkey", summary: "Sign in with a passkey",
                description: "Verifies a signature, and starts a session.", request: [signed],
                response: [knownName, token],
                errors: object + available + refusals(authentication + [.userHandleMissing], .signIn),
                contentLimit: PasskeyAPI.contentLimit, respond: api.signIn),
            Operation(
                id: "confirm", path: "/api/confirm", summary: "Verify the password again",
                description: "Adding and removing passkeys require this.", needsToken: true,
                request: [existingPassword], errors: object + attempt + errors(.notSignedIn),
                respond: api.confirmPassword),
            Operation(
                id: "passkey-confirm-options", path: "/api/confirm/passkey/options",
                summary: "Start verifying a passkey again",
                description: "Returns the options for navigator.credentials.get(), with the passkeys of the account.",
                needsToken: true, request: [], response: [getOptions], errors: object + session,
                respond: api.confirmationOptions),
            Operation(
                id: "passkey-confirm", path: "/api/confirm/passkey", summary: "Verify a passkey again",
                description: "Verifies a signature of one of the account's passkeys.", needsToken: true,
                request: [signed],
                errors: object + session + refusals(authentication + [.passkeyNotAllowed], .confirmation),
                contentLimit: PasskeyAPI.contentLimit, respond: api.confirm),
        ]
    }
}
