import Foundation
import MotivatorPlatform
import SourceJSON

/// The options of a ceremony: the `publicKey` document of the server, or an object with this member.
package struct PasskeyRequest: Sendable {
    package static let maximumSize = 64 << 10

    package enum Purpose: Sendable { case create, signIn }

    let challenge: String
    let rpID: String?
    /// The user, only for `create`.
    let user: User?
    let offersES256: Bool
    /// The excluded or allowed credential IDs in base64url.
    let credentials: [String]
    let requestsProperties: Bool

    struct User: Sendable {
        let handle: String
        let name: String
    }

    /// Reads options.
    /// - Throws: the error that a browser or a system reports for them.
    package init(_ json: [UInt8], for purpose: Purpose) throws(PasskeyError) {
        let kind: JSONValue.Kind
        do throws(JSONError) { kind = try JSONDocument(json).root.kind } catch {
            throw .malformed("The options are not a publicKey document: \(error.problem)")
        }
        guard kind == .object else { throw .malformed("The options are \(kind.rawValue), not an object") }
        let decoder = JSONDecoder()
        let options: Options
        do {
            options =
                try (try? decoder.decode(Wrapped.self, from: Data(json)))?.publicKey
                ?? decoder.decode(Options.self, from: Data(json))
        } catch {
            throw .malformed(
                "The options are not a valid publicKey document: the JSON "
                    + (DeviceState.reason(error) ?? "is malformed"))
        }
        challenge = try Self.binary(options.challenge, "challenge")
        let descriptors = purpose == .create ? options.excludeCredentials : options.allowCredentials
        var credentials: [String] = []
        for one in descriptors ?? [] where one.type == Self.publicKey {
            credentials.append(try Self.binary(one.id, "a credential"))
        }
        // An empty list would permit every passkey (Web Authentication Level 3 §5.8.3).
        guard purpose == .create || !credentials.isEmpty || descriptors?.isEmpty ?? true else {
            throw .failed(
                "No item of allowCredentials has the type public-key", "Set type to \"public-key\" in each item")
        }
        self.credentials = credentials
        requestsProperties = options.extensions?.credProps ?? false
        guard purpose == .create else {
            (rpID, user, offersES256) = (options.rpId, nil, true)
            return
        }
        guard let user = options.user, let parameters = options.pubKeyCredParams, let rp = options.rp else {
            throw .malformed("The options lack rp, user or pubKeyCredParams")
        }
        let handle = try Self.binary(user.id, "user.id")
        let length = Base64.decode(handle.utf8, .urlSafe)?.count ?? 0
        guard (1...64).contains(length) else { throw .malformed("user.id has \(length) bytes instead of 1 to 64") }
        rpID = rp.id
        self.user = User(handle: handle, name: user.name)
        // Without parameters, clients offer ES256 and RS256 (Web Authentication Level 3, 5.1.3).
        offersES256 = parameters.isEmpty || parameters.contains { $0.type == Self.publicKey && $0.alg == -7 }
    }

    private static let publicKey = "public-key"

    /// Returns a base64url value unchanged, after checking it.
    private static func binary(_ text: String, _ name: String) throws(PasskeyError) -> String {
        guard Base64.decode(text.utf8, .urlSafe) != nil else {
            throw .malformed("The value of \(name) is not base64url without padding", encoding: true)
        }
        return text
    }

    private struct Wrapped: Decodable { let publicKey: Options }

    private struct Options: Decodable {
        struct RP: Decodable { let id: String? }
        struct Account: Decodable { let id, name: String }
        struct Parameter: Decodable {
            let type: String
            let alg: Int
        }
        struct Descriptor: Decodable { let type, id: String }
        struct Extensions: Decodable { let credProps: Bool? }

        let challenge: String
        let rp: RP?
        let rpId: String?
        let user: Account?
        let pubKeyCredParams: [Parameter]?
        let excludeCredentials: [Descriptor]?
        let allowCredentials: [Descriptor]?
        let extensions: Extensions?
    }
}
