import Certificates
import MotivatorPlatform
import Passkeys
import SourceJSON
import Testing

@testable import UltraMotivator

/// A client of the API with an authenticator in software, which has one passkey with ES256.
struct PasskeyClient {
    private let caller: Caller
    private let key: PrivateKey
    var credential = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    var origin = "https://one.test"
    /// The RP ID in the authenticator data; nil for that of the options.
    var rpID: String?
    var flags: AuthenticatorData.Flags = [.userPresent, .userVerified, .backupEligible]
    var signCount: UInt32 = 0
    var extensions: CBOR?
    /// The user handle of the account that has the passkey.
    var userHandle = ""

    init(_ caller: Caller) throws {
        self.caller = caller
        key = try .generate(.p256)
    }

    /// Calls the API with an object, and returns the reply.
    func call(_ path: String, _ members: JSONNode = [:], token: String? = nil) async throws -> Reply {
        try await caller.call(path, String(decoding: members.bytes(), as: UTF8.self), token: token)
    }

    /// Returns the options of a ceremony.
    func options(_ path: String, _ members: JSONNode = [:], token: String? = nil) async throws -> JSONObject {
        let reply = try await call(path, members, token: token)
        let object = try JSONDocument(reply.content).root.object?["publicKey"]?.object
        return try #require(object, "\(path): \(reply.status) \(reply.text)")
    }

    func creationOptions(_ token: String, _ members: JSONNode = [:]) async throws -> JSONObject {
        try await options("/api/passkeys/options", members, token: token)
    }

    func signInOptions() async throws -> JSONObject { try await options("/api/signin/passkey/options") }

    /// Creates the passkey with options, and sends it. Remembers the user handle.
    mutating func register(_ options: JSONObject, token: String) async throws -> Reply {
        userHandle = options["user"]?.object?["id"]?.string ?? ""
        return try await call("/api/passkeys", ["credential": try registration(options)], token: token)
    }

    /// Adds the passkey to the account of a session.
    mutating func add(to token: String) async throws {
        let reply = try await register(try await creationOptions(token), token: token)
        try #require(reply.status == 201, "\(reply.text)")
    }

    /// Signs in with new options.
    func signIn() async throws -> Reply {
        try await call("/api/signin/passkey", ["credential": try assertion(try await signInOptions())])
    }

    func registration(_ options: JSONObject) throws -> JSONNode {
        let point = try #require(key.publicPoint)
        let publicKey = COSEKey.es256(x: Array(point[1...32]), y: Array(point[33...]))
        let attested = AuthenticatorData.Attested(
            aaguid: [UInt8](repeating: 0, count: 16), credential: credential, publicKey: publicKey)
        let attestation = AttestationObject.none(data(options["rp"]?.object?["id"]?.string, attested)).encoded
        return response([
            "clientDataJSON": .base64url(clientData("webauthn.create", options)),
            "attestationObject": .base64url(attestation),
        ])
    }

    func assertion(_ options: JSONObject) throws -> JSONNode {
        let client = clientData("webauthn.get", options)
        let data = data(options["rpId"]?.string, nil).encoded
        let signature = try #require(key.signature(of: data + Digest.sha256(client)))
        return response([
            "clientDataJSON": .base64url(client), "authenticatorData": .base64url(data),
            "signature": .base64url(signature), "userHandle": .text(userHandle),
        ])
    }

    private func data(_ name: String?, _ attested: AuthenticatorData.Attested?) -> AuthenticatorData {
        AuthenticatorData(
            rpIDHash: Digest.sha256(Array((rpID ?? name ?? "").utf8)), flags: flags, signCount: signCount,
            attested: attested, extensions: extensions)
    }

    private func clientData(_ type: String, _ options: JSONObject) -> [UInt8] {
        let members: JSONNode = [
            "type": .text(type), "challenge": .optional(options["challenge"]?.string), "origin": .text(origin),
        ]
        return members.line()
    }

    private func response(_ members: JSONNode) -> JSONNode {
        ["id": .base64url(credential), "rawId": .base64url(credential), "type": "public-key", "response": members]
    }
}

extension Reply {
    /// The code of an error.
    var code: String? { members?["code"] }
}

extension JSONValue {
    /// The number, if it is a small integer.
    var integer: Int? { if case .number(let text) = content { Int(text) } else { nil } }
}
