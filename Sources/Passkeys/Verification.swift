import Certificates
package import MotivatorPlatform

/// A response whose client data has the right type and a genuine challenge. `finish` verifies the rest.
package struct PendingCeremony<Response: Sendable>: Sendable {
    fileprivate let response: Response
    fileprivate let clientData: ClientData
    package let challenge: Challenge
    package let purpose: Purpose
}

// The numbers in parentheses are the steps of WebAuthn Level 3 §7.1.
extension RelyingParty {
    /// Verifies the type and the challenge of a registration.
    package func begin(
        _ response: RegistrationResponse, account: Int64, session: [UInt8], at now: UnixTime
    ) throws(CeremonyError) -> PendingCeremony<RegistrationResponse> {
        let purposes = [false, true].map { Purpose.create(account: account, session: session, isConditional: $0) }
        return try begin(response, response.envelope, type: "webauthn.create", purposes, at: now)
    }

    /// Verifies the rest of a registration.
    /// - Parameters:
    ///   - isUsed: whether a ceremony with this challenge has succeeded.
    ///   - name: the name of the passkey; nil for the default.
    /// - Returns: the passkey. The caller checks that no account has it, and stores it.
    package func finish(
        _ pending: PendingCeremony<RegistrationResponse>, isUsed: Bool, name: String?, at now: UnixTime
    ) throws(CeremonyError) -> Passkey {
        let response = pending.response
        try checkOrigin(pending, isUsed: isUsed)
        // (12, 13)
        let attestation = try AttestationObject(response.attestationObject)
        let data = try AuthenticatorData(attestation.authenticatorData)
        guard let attested = data.attested else {
            throw .credentialMalformed("The authenticator data has no credential: the flag AT is 0. Expected 1.")
        }
        // (25)
        guard attested.credential.count <= Passkey.credentialSizes.upperBound else {
            throw .credentialIDTooLong(attested.credential.count)
        }
        guard attested.credential.count >= Passkey.credentialSizes.lowerBound else {
            throw .credentialMalformed(
                "The credential ID has \(attested.credential.count) bytes. Expected at least 16.")
        }
        guard attested.credential == response.envelope.credential else {
            throw .credentialMalformed("The member \"rawId\" is not the credential ID in the authenticator data.")
        }
        // (14, 15, 16, 17)
        let isConditional =
            if case .create(_, _, let isConditional) = pending.purpose { isConditional } else { false }
        try check(data, requiresUser: !isConditional)
        // (20)
        let key = try COSEKey(attested.publicKey)
        // (21, 22)
        try attestation.verify(key, clientDataHash: Digest.sha256(response.envelope.clientDataJSON))
        // (28)
        guard response.isDiscoverable != false else { throw .notDiscoverable }
        return Passkey(
            credential: attested.credential, rpID: id, publicKey: key.bytes, signCount: data.signCount,
            aaguid: attested.aaguid, isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp), isUserVerified: data.flags.contains(.userVerified),
            transports: response.transports, name: name ?? Passkey.provider(aaguid: attested.aaguid) ?? "Passkey",
            created: now)
    }
}

// The numbers in parentheses are the steps of WebAuthn Level 3 §7.2.
extension RelyingParty {
    /// Verifies the owner, the type and the challenge of a sign-in or confirmation.
    /// - Parameters:
    ///   - purpose: `get` or `confirm`.
    ///   - owner: the account of the passkey with the credential ID for this RP ID; nil if there is none.
    package func begin(
        _ response: AuthenticationResponse, for purpose: Purpose, owner: Int64?, at now: UnixTime
    ) throws(CeremonyError) -> PendingCeremony<AuthenticationResponse> {
        switch purpose {
        case .confirm(let account, _):
            // (5)
            guard owner == account else { throw .passkeyNotAllowed }
        case .get, .create:
            // (6)
            guard response.userHandle != nil else { throw .userHandleMissing }
        }
        guard let owner else { throw .unknownPasskey }
        if let handle = response.userHandle, handle != challenges.userHandle(ofAccount: owner) {
            throw .unknownPasskey
        }
        return try begin(response, response.envelope, type: "webauthn.get", [purpose], at: now)
    }

    /// Verifies the rest of a sign-in or confirmation.
    /// - Parameter isUsed: whether a ceremony with this challenge has succeeded.
    /// - Returns: the authenticator data with the new counter and backup state. The caller stores both.
    package func finish(
        _ pending: PendingCeremony<AuthenticationResponse>, passkey: Passkey, isUsed: Bool
    ) throws(CeremonyError) -> AuthenticatorData {
        let response = pending.response
        try checkOrigin(pending, isUsed: isUsed)
        let data = try AuthenticatorData(response.authenticatorData)
        guard data.attested == nil else {
            throw .credentialMalformed("The authenticator data has a credential: the flag AT is 1. Expected 0.")
        }
        // (15, 16, 17, 18)
        try check(data, requiresUser: true)
        // (19)
        guard data.flags.contains(.backupEligible) == passkey.isBackupEligible else {
            throw .backupEligibilityChanged(stored: passkey.isBackupEligible)
        }
        // (20, 21)
        let key = try COSEKey(bytes: passkey.publicKey)
        let message = response.authenticatorData + Digest.sha256(response.envelope.clientDataJSON)
        guard key.isValid(response.signature, of: message) else { throw .signatureInvalid }
        // (22)
        guard data.signCount > passkey.signCount || (data.signCount, passkey.signCount) == (0, 0) else {
            throw .counterRegression(data.signCount, stored: passkey.signCount)
        }
        return data
    }
}

// The steps that both ceremonies share.
extension RelyingParty {
    private func begin<Response>(
        _ response: Response, _ envelope: Envelope, type: String, _ purposes: [Purpose], at now: UnixTime
    ) throws(CeremonyError) -> PendingCeremony<Response> {
        let clientData = try ClientData(envelope.clientDataJSON)
        guard clientData.type == type else { throw .clientDataType(clientData.type, expected: type) }
        let (challenge, purpose) = try challenges.verify(clientData.challenge, for: purposes, rpID: id, at: now)
        return PendingCeremony(response: response, clientData: clientData, challenge: challenge, purpose: purpose)
    }

    private func checkOrigin<Response>(_ pending: PendingCeremony<Response>, isUsed: Bool) throws(CeremonyError) {
        let clientData = pending.clientData
        guard !isUsed else { throw .challengeUsed }
        guard origins.contains(where: { $0.utf8.elementsEqual(clientData.origin.utf8) }) else {
            throw .originMismatch(clientData.origin, expected: origins)
        }
        guard !clientData.isCrossOrigin, clientData.topOrigin == nil else {
            throw .crossOrigin(topOrigin: clientData.topOrigin)
        }
    }

    private func check(_ data: AuthenticatorData, requiresUser: Bool) throws(CeremonyError) {
        guard data.rpIDHash == Digest.sha256(Array(id.utf8)) else {
            throw .rpIDMismatch(data.rpIDHash, expected: id)
        }
        guard !requiresUser || data.flags.contains(.userPresent) else { throw .userNotPresent }
        guard !requiresUser || data.flags.contains(.userVerified) else { throw .userNotVerified }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw .backupStateInvalid
        }
    }
}
