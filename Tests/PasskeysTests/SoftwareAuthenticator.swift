import COpenSSL
import Certificates
import MotivatorPlatform
import SourceJSON
import Testing

@testable import Passkeys

/// A private key for passkeys. Each test makes its own.
final class PasskeyKey {
    let algorithm: COSEKey.Algorithm
    private let pointer: OpaquePointer

    init(_ algorithm: COSEKey.Algorithm) throws {
        let type =
            switch algorithm {
            case .es256: EVP_PKEY_EC
            case .edDSA: EVP_PKEY_ED25519
            case .rs256: EVP_PKEY_RSA
            }
        let context = EVP_PKEY_CTX_new_id(type, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            algorithm != .es256 || EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &pointer) == 1, let pointer
        else { throw CertificateError.cannotGenerate(kind: "\(algorithm)", reason: OpenSSLErrors.drain()) }
        (self.algorithm, self.pointer) = (algorithm, pointer)
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The SubjectPublicKeyInfo.
    private var der: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(i2d_PUBKEY(pointer, nil)))
        bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            i2d_PUBKEY(pointer, &next)
        }
        return bytes
    }

    var cose: CBOR {
        switch algorithm {
        case .es256: COSEKey.es256(x: der.suffix(64).dropLast(32), y: der.suffix(32))
        case .edDSA:
            .map([
                .init(CBOR(1), CBOR(1)), .init(CBOR(3), CBOR(-8)), .init(CBOR(-1), CBOR(6)),
                .init(CBOR(-2), .bytes(der.suffix(32))),
            ])
        case .rs256:
            // The modulus of 256 bytes is before the exponent: its tag, its length, and 01 00 01.
            .map([
                .init(CBOR(1), CBOR(3)), .init(CBOR(3), CBOR(-257)),
                .init(CBOR(-1), .bytes(der.dropLast(5).suffix(256))), .init(CBOR(-2), .bytes([1, 0, 1])),
            ])
        }
    }

    func sign(_ message: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = 512
        var signature = [UInt8](repeating: 0, count: count)
        EVP_DigestSignInit(context, nil, algorithm == .edDSA ? nil : EVP_sha256(), nil, pointer)
        EVP_DigestSign(context, &signature, &count, message, message.count)
        return Array(signature.prefix(count))
    }
}

/// A JSON value that tests can change.
indirect enum Draft: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
    case text(String)
    case raw(String)
    case object([String: Draft])

    init(stringLiteral text: String) { self = .text(text) }
    init(booleanLiteral truth: Bool) { self = .raw("\(truth)") }

    var json: String {
        switch self {
        case .text(let text): JSONText.quote(text)
        case .raw(let json): json
        case .object(let members):
            "{" + members.map { "\(JSONText.quote($0)):\($1.json)" }.sorted().joined(separator: ",") + "}"
        }
    }
}

/// A ceremony between an authenticator in software and the relying party. Each property can be changed before the
/// response is verified.
struct Ceremony {
    static let now: UnixTime = 1_800_000_000
    static let account: Int64 = 7
    static let session = [UInt8](repeating: 9, count: 32)
    static let host = "ultra-motivator.test"
    static let origin = "https://ultra-motivator.test:8443"
    static let secret = [UInt8](repeating: 1, count: 32)

    let key: PasskeyKey
    var rp: RelyingParty
    var now = Self.now
    var isUsed = false
    var credential = (0..<32).map { _ in UInt8.random(in: 0...255) }
    /// The members of the client data, in text form so that tests can break it.
    var clientData: [String: Draft]
    /// Changes the client data after it was encoded, and before it is signed.
    var changeClientData: ([UInt8]) -> [UInt8] = { $0 }
    var data: AuthenticatorData
    /// Changes the authenticator data after it was encoded, and before it is signed.
    var changeData: ([UInt8]) -> [UInt8] = { $0 }
    /// Changes the attestation object.
    var attest: (_ data: [UInt8], _ hash: [UInt8]) -> CBOR = { data, _ in Ceremony.object("none", .map([]), data) }
    var changeAttestation: ([UInt8]) -> [UInt8] = { $0 }
    var changeSignature: ([UInt8]) -> [UInt8] = { $0 }
    /// Members that replace those of the response; nil removes a member.
    var response: [String: Draft?] = [:]
    var envelope: [String: Draft?] = [:]
    var known: (passkey: Passkey, account: Int64)?
    var purpose: Purpose

    /// A registration, or a sign-in with the result of one.
    init(
        _ algorithm: COSEKey.Algorithm = .es256, _ purpose: Purpose = Self.creation, signedInWith first: Ceremony? = nil
    ) throws {
        var settings = PasskeySettings()
        settings.domains = [Self.host]
        rp = try #require(settings.relyingParty(host: Self.host, port: 8443, secret: Self.secret))
        self.purpose = purpose
        key = try first?.key ?? PasskeyKey(algorithm)
        let isCreation = first == nil
        clientData = [
            "type": isCreation ? "webauthn.create" : "webauthn.get", "origin": .text(Self.origin),
            "challenge": .text(Base64.encode(rp.challenges.issue(for: purpose, rpID: rp.id, at: Self.now), .urlSafe)),
            "crossOrigin": false,
        ]
        let flags: AuthenticatorData.Flags = [.userPresent, .userVerified, .backupEligible, .backedUp]
        data = AuthenticatorData(rpIDHash: Digest.sha256(Array(Self.host.utf8)), flags: flags)
        guard let first else {
            data = AuthenticatorData(
                rpIDHash: data.rpIDHash, flags: flags,
                attested: .init(
                    aaguid: [UInt8](repeating: 0xAA, count: 16), credential: credential, publicKey: key.cose))
            return
        }
        credential = first.credential
        let passkey = try first.register()
        known = (passkey, Self.account)
        response["userHandle"] = .text(
            Base64.encode(rp.challenges.userHandle(ofAccount: Self.account), .urlSafe))
    }

    static let creation = Purpose.create(account: account, session: session, isConditional: false)
    static let conditional = Purpose.create(account: account, session: session, isConditional: true)
    static let confirmation = Purpose.confirm(account: account, session: session)

    static func signIn(_ algorithm: COSEKey.Algorithm = .es256, _ purpose: Purpose = .get) throws -> Ceremony {
        try Ceremony(algorithm, purpose, signedInWith: Ceremony(algorithm))
    }

    static func object(_ format: String, _ statement: CBOR, _ data: [UInt8]) -> CBOR {
        .map([
            .init(.text("fmt"), .text(format)), .init(.text("attStmt"), statement),
            .init(.text("authData"), .bytes(data)),
        ])
    }

    private var clientDataBytes: [UInt8] { changeClientData(Array(Draft.object(clientData).json.utf8)) }

    private func credential(_ members: [String: Draft]) throws -> JSONObject {
        let response = members.merging(["clientDataJSON": .text(Base64.encode(clientDataBytes, .urlSafe))]) { $1 }
            .merging(self.response.compactMapValues(\.self)) { $1 }
            .filter { self.response[$0.key].map { $0 != nil } ?? true }
        let id = Draft.text(Base64.encode(credential, .urlSafe))
        let object: [String: Draft] = ["id": id, "rawId": id, "type": "public-key", "response": .object(response)]
        let whole = object.merging(envelope.compactMapValues(\.self)) { $1 }
            .filter { envelope[$0.key].map { $0 != nil } ?? true }
        return try #require(try JSONDocument(Array(Draft.object(whole).json.utf8)).root.object)
    }

    /// The response of the registration.
    func registration() throws -> JSONObject {
        let data = changeData(data.encoded)
        let attestation = changeAttestation(attest(data, Digest.sha256(clientDataBytes)).encoded)
        return try credential(["attestationObject": .text(Base64.encode(attestation, .urlSafe))])
    }

    func register(name: String? = nil) throws -> Passkey {
        let response = try RegistrationResponse(try registration())
        let pending = try rp.begin(response, account: Self.account, session: Self.session, at: now)
        return try rp.finish(pending, isUsed: isUsed, name: name, at: now)
    }

    /// The response of the sign-in.
    func assertion() throws -> JSONObject {
        let data = changeData(data.encoded)
        let signature = changeSignature(key.sign(data + Digest.sha256(clientDataBytes)))
        return try credential([
            "authenticatorData": .text(Base64.encode(data, .urlSafe)),
            "signature": .text(Base64.encode(signature, .urlSafe)),
        ])
    }

    func authenticate() throws -> AuthenticatorData {
        let response = try AuthenticationResponse(try assertion())
        let pending = try rp.begin(response, for: purpose, owner: known?.account, at: now)
        return try rp.finish(pending, passkey: try #require(known).passkey, isUsed: isUsed)
    }
}
