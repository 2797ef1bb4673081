import MotivatorPlatform
package import SourceJSON

/// The result of `navigator.credentials.create()` in JSON (WebAuthn Level 3 §5.1), with the form of its members checked.
package struct RegistrationResponse: Sendable {
    let envelope: Envelope
    let attestationObject: [UInt8]
    let transports: [String]
    /// The extension output `credProps.rk`; nil if the client did not report it.
    let isDiscoverable: Bool?

    package init(_ credential: JSONObject) throws(CeremonyError) {
        envelope = try Envelope(credential)
        attestationObject = try envelope.bytes("attestationObject", 1...16 << 10)
        let texts = envelope.response["transports"].map { $0.array?.map(\.string) ?? [nil] } ?? []
        transports = texts.compactMap(\.self).filter {
            (1...32).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        }
        guard transports.count == texts.count, transports.count <= 8 else {
            throw .credentialMalformed(
                "The member \"transports\" is invalid. Expected at most 8 strings of 1 to 32 ASCII characters.")
        }
        isDiscoverable = credential["clientExtensionResults"]?.object?["credProps"]?.object?["rk"]?.boolean
    }
}

/// The result of `navigator.credentials.get()` in JSON, with the form of its members checked.
package struct AuthenticationResponse: Sendable {
    let envelope: Envelope
    let authenticatorData: [UInt8]
    let signature: [UInt8]
    let userHandle: [UInt8]?

    package var credential: [UInt8] { envelope.credential }

    package init(_ credential: JSONObject) throws(CeremonyError) {
        envelope = try Envelope(credential)
        authenticatorData = try envelope.bytes("authenticatorData", 1...4 << 10)
        signature = try envelope.bytes("signature", 1...1024)
        userHandle = envelope.response["userHandle"] == nil ? nil : try envelope.bytes("userHandle", 1...64)
    }
}

struct Envelope: Sendable {
    let credential: [UInt8]
    let clientDataJSON: [UInt8]
    let response: JSONObject

    init(_ object: JSONObject) throws(CeremonyError) {
        guard let response = object["response"]?.object else {
            throw .credentialMalformed("The member \"response\" is missing or not an object.")
        }
        self.response = response
        // The content limit of the request bounds the ID. A registration reports a long ID by its own code.
        credential = try Self.bytes("rawId", object["rawId"], 0...32 << 10)
        guard object["id"]?.string == object["rawId"]?.string else {
            throw .credentialMalformed("The members \"id\" and \"rawId\" differ. Expected the same text.")
        }
        guard object["type"]?.string == "public-key" else {
            throw .credentialMalformed("The member \"type\" is missing or wrong. Expected \"public-key\".")
        }
        if let results = object["clientExtensionResults"], results.object == nil {
            throw .credentialMalformed("The member \"clientExtensionResults\" is \(results.kind.rawValue).")
        }
        if let attachment = object["authenticatorAttachment"], attachment.string == nil {
            throw .credentialMalformed("The member \"authenticatorAttachment\" is \(attachment.kind.rawValue).")
        }
        clientDataJSON = try Self.bytes("clientDataJSON", response["clientDataJSON"], 1...8 << 10)
    }

    func bytes(_ name: String, _ counts: ClosedRange<Int>) throws(CeremonyError) -> [UInt8] {
        try Self.bytes(name, response[name], counts)
    }

    private static func bytes(
        _ name: String, _ value: JSONValue?, _ counts: ClosedRange<Int>
    ) throws(CeremonyError) -> [UInt8] {
        guard let text = value?.string?.utf8 else {
            throw .credentialMalformed("The member \(name.quoted) is missing or not a string. Expected base64url.")
        }
        guard counts.contains(text.count * 3 / 4) else {
            throw .credentialMalformed(
                "The member \(name.quoted) has \(text.count * 3 / 4) bytes. "
                    + "Expected \(counts.lowerBound) to \(counts.upperBound).")
        }
        guard let bytes = Base64.decode(text, .urlSafe) else {
            throw .credentialMalformed(
                "The member \(name.quoted) is not base64url without padding (RFC 4648, section 5).")
        }
        return bytes
    }
}

/// What the client reports about a ceremony (WebAuthn Level 3 §5.8.1). Other members are ignored.
struct ClientData {
    let type: String
    let challenge: String
    let origin: String
    let isCrossOrigin: Bool
    let topOrigin: String?

    init(_ json: [UInt8]) throws(CeremonyError) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(json.starts(with: mark) ? Array(json.dropFirst(mark.count)) : json)
        } catch { throw .clientDataMalformed("The client data is invalid JSON at \(error.location).") }
        if let twice = document.duplicateKeys.first {
            throw .clientDataMalformed("The client data repeats the member \(twice.key.excerpt) at \(twice.second).")
        }
        guard let object = document.root.object else {
            throw .clientDataMalformed("The client data is \(document.root.kind.rawValue). Expected an object.")
        }
        func text(_ name: String) throws(CeremonyError) -> String {
            guard let text = object[name]?.string else {
                throw .clientDataMalformed("The member \(name.quoted) of the client data is missing or not a string.")
            }
            return text
        }
        type = try text("type")
        challenge = try text("challenge")
        origin = try text("origin")
        if let value = object["crossOrigin"], value.boolean == nil {
            throw .clientDataMalformed("The member \"crossOrigin\" of the client data is not a boolean.")
        }
        isCrossOrigin = object["crossOrigin"]?.boolean == true
        topOrigin = object["topOrigin"] == nil ? nil : try text("topOrigin")
    }
}
