/// What an authenticator signs besides the client data (WebAuthn Level 3 §6.1).
package struct AuthenticatorData: Sendable, Equatable {
    package struct Flags: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let userPresent = Flags(rawValue: 1)
        package static let userVerified = Flags(rawValue: 1 << 2)
        package static let backupEligible = Flags(rawValue: 1 << 3)
        package static let backedUp = Flags(rawValue: 1 << 4)
        package static let attestedData = Flags(rawValue: 1 << 6)
        package static let extensions = Flags(rawValue: 1 << 7)
    }

    /// The credential that a registration creates (WebAuthn Level 3 §6.5.1).
    package struct Attested: Sendable, Equatable {
        /// 16 bytes.
        package var aaguid: [UInt8]
        package var credential: [UInt8]
        /// The COSE key, a map.
        package var publicKey: CBOR

        package init(aaguid: [UInt8], credential: [UInt8], publicKey: CBOR) {
            (self.aaguid, self.credential, self.publicKey) = (aaguid, credential, publicKey)
        }
    }

    /// SHA-256 of the RP ID.
    package var rpIDHash: [UInt8]
    package var flags: Flags
    package var signCount: UInt32
    package var attested: Attested?
    package var extensions: CBOR?

    /// Creates the data that `encoded` writes. The flags for attested data and extensions follow from the values.
    package init(
        rpIDHash: [UInt8], flags: Flags, signCount: UInt32 = 0, attested: Attested? = nil, extensions: CBOR? = nil
    ) {
        (self.rpIDHash, self.signCount, self.attested, self.extensions) = (rpIDHash, signCount, attested, extensions)
        self.flags = flags
        if attested != nil { self.flags.insert(.attestedData) }
        if extensions != nil { self.flags.insert(.extensions) }
    }

    /// Parses all bytes.
    /// - Throws: `credentialMalformed`, or `cborInvalid` for the key and the extensions.
    package init(_ bytes: [UInt8]) throws(CeremonyError) {
        guard bytes.count >= 37 else {
            throw .credentialMalformed("The authenticator data has \(bytes.count) bytes. Expected at least 37.")
        }
        rpIDHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var offset = 37
        if flags.contains(.attestedData) {
            let length = bytes.count >= 55 ? Int(bytes[53]) << 8 | Int(bytes[54]) : .max
            guard length < bytes.count - 55 else {
                throw .credentialMalformed("The attested credential data in the authenticator data is incomplete.")
            }
            let aaguid = Array(bytes[37..<53])
            let credential = Array(bytes[55..<55 + length])
            offset = 55 + length
            attested = Attested(aaguid: aaguid, credential: credential, publicKey: try Self.map(in: bytes, at: &offset))
        }
        if flags.contains(.extensions) {
            guard offset < bytes.count else {
                throw .credentialMalformed("The authenticator data has the flag ED, but no extensions.")
            }
            extensions = try Self.map(in: bytes, at: &offset)
        }
        guard offset == bytes.count else {
            throw .credentialMalformed("The authenticator data has \(bytes.count) bytes. Expected \(offset).")
        }
    }

    package var encoded: [UInt8] {
        var bytes = rpIDHash + [flags.rawValue]
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: signCount >> $0) }
        if let attested {
            let count = attested.credential.count
            bytes += attested.aaguid + [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            bytes += attested.credential + attested.publicKey.encoded
        }
        return bytes + (extensions?.encoded ?? [])
    }

    private static func map(in bytes: [UInt8], at offset: inout Int) throws(CeremonyError) -> CBOR {
        let start = offset
        do throws(CBORError) {
            let value = try CBOR(prefixOf: bytes, at: &offset)
            guard value.entries != nil else { throw CBORError(.notMap, at: start) }
            return value
        } catch { throw .cborInvalid("authenticator data", error) }
    }
}
