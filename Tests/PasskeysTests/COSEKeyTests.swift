import Testing

@testable import Passkeys

@Suite("COSE keys and signatures (WebAuthn 6.5.1)") struct COSEKeyTests {
    /// The prime of P-256 and that of Curve25519, in the byte order of their coordinates.
    private static let prime256: [UInt8] =
        [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 12) + [UInt8](repeating: 0xFF, count: 12)
    private static let prime25519: [UInt8] = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]

    private static func changed(_ map: CBOR, _ label: Int, _ value: CBOR?) -> CBOR {
        let others = (map.entries ?? []).filter { $0.key != CBOR(label) }
        return .map(others + (value.map { [.init(CBOR(label), $0)] } ?? []))
    }

    private static let zeros = [UInt8](repeating: 0, count: 32)

    @Test(
        "A key with another label or value is invalid",
        arguments: [
            (.es256, 1, CBOR(1)), (.es256, -1, CBOR(2)), (.es256, -2, .bytes(zeros)), (.es256, -2, .bytes(prime256)),
            (.es256, -2, .bytes([1])), (.es256, -3, .boolean(true)), (.es256, -3, .bytes(zeros + [0])),
            (.es256, -3, nil), (.es256, 4, CBOR(1)), (.es256, -4, CBOR(1)),
            (.edDSA, 1, CBOR(2)), (.edDSA, -1, CBOR(4)), (.edDSA, -2, .bytes(prime25519)), (.edDSA, -2, .bytes([1])),
            // y = 2 has no x. y = 1 has x = 0, whose sign bit must be clear.
            (.edDSA, -2, .bytes([2] + zeros.dropFirst())), (.edDSA, -2, .bytes([1] + zeros.dropFirst(2) + [0x80])),
            (.edDSA, -3, .bytes(zeros)),
            (.rs256, 1, CBOR(2)), (.rs256, -2, .bytes([3])), (.rs256, -2, .bytes([0, 1, 0, 1])),
            (.rs256, -1, .bytes([0x80] + [UInt8](repeating: 0, count: 255))),
            (.rs256, -1, .bytes([0x7F] + [UInt8](repeating: 1, count: 255))),
            (.rs256, -1, .bytes([0] + [UInt8](repeating: 0xFF, count: 256))),
            (.rs256, -1, .bytes([UInt8](repeating: 0xFF, count: 513))),
        ] as [(COSEKey.Algorithm, Int, CBOR?)])
    func invalid(_ algorithm: COSEKey.Algorithm, _ label: Int, _ value: CBOR?) throws {
        let valid = try PasskeyKey(algorithm).cose
        _ = try COSEKey(valid)
        let error = #expect(throws: CeremonyError.self) { try COSEKey(Self.changed(valid, label, value)) }
        #expect(error?.code == "public_key_invalid")
    }

    @Test("A label that is not an integer is invalid", arguments: COSEKey.Algorithm.allCases)
    func label(_ algorithm: COSEKey.Algorithm) throws {
        let entries = try PasskeyKey(algorithm).cose.entries ?? []
        let error = #expect(throws: CeremonyError.self) { try COSEKey(.map(entries + [.init(.text("x"), .null)])) }
        #expect(error?.code == "public_key_invalid")
    }

    @Test("Points of Ed25519 decode: the base point, the neutral point, and random keys")
    func points() throws {
        #expect(Edwards.isPoint([0x58] + [UInt8](repeating: 0x66, count: 31)))
        #expect(Edwards.isPoint([1] + Self.zeros.dropFirst()))
        for _ in 0..<50 {
            let key = try PasskeyKey(.edDSA).cose[-2]?.byteString ?? []
            #expect(Edwards.isPoint(key))
        }
    }

    @Test("A modulus of 4,096 bits is accepted")
    func large() throws {
        let modulus = [UInt8](repeating: 0xFF, count: 512)
        _ = try COSEKey(Self.changed(try PasskeyKey(.rs256).cose, -1, .bytes(modulus)))
    }

    @Test("A key without a known algorithm is not allowed", arguments: [nil, -36, -65_535, 7])
    func algorithm(_ number: Int?) throws {
        let map = Self.changed(try PasskeyKey(.es256).cose, 3, number.map { CBOR($0) })
        #expect(throws: CeremonyError.algorithmNotAllowed(number)) { try COSEKey(map) }
    }

    @Test("Only the exact signature is valid", arguments: COSEKey.Algorithm.allCases)
    func signature(_ algorithm: COSEKey.Algorithm) throws {
        let key = try PasskeyKey(algorithm)
        let cose = try COSEKey(bytes: key.cose.encoded)
        let signature = key.sign([1, 2])
        #expect(cose.isValid(signature, of: [1, 2]))
        #expect(!cose.isValid(signature, of: [1, 3]))
        #expect(!cose.isValid(signature + [0], of: [1, 2]))
        #expect(!cose.isValid(signature.dropLast(), of: [1, 2]))
        #expect(!cose.isValid([], of: [1, 2]))
        #expect(!cose.isValid([0] + signature, of: [1, 2]))
    }

    @Test("ECDSA: an integer that is not minimal is refused, and a high s is accepted")
    func strictDER() throws {
        let key = try PasskeyKey(.es256)
        let cose = try COSEKey(key.cose)
        // Signatures vary: try until the first integer needs no leading zero.
        let signature = try #require((0..<200).lazy.map { _ in key.sign([1]) }.first { $0[3] == 32 })
        let padded = [0x30, signature[1] + 1, 0x02, 33, 0] + signature.dropFirst(4)
        #expect(cose.isValid(signature, of: [1]) && !cose.isValid(padded, of: [1]))
        // OpenSSL creates low and high values of s. A high value needs a leading zero.
        let signatures = (0..<64).map { _ in key.sign([2]) }
        #expect(signatures.allSatisfy { cose.isValid($0, of: [2]) })
        #expect(signatures.contains { $0[5 + Int($0[3])] == 33 })
    }

    @Test("Ed25519: S plus L is refused")
    func reduced() throws {
        let key = try PasskeyKey(.edDSA)
        let cose = try COSEKey(key.cose)
        // L = 2^252 + 27742317777372353535851937790883648493, little-endian (RFC 8032 §5.1).
        let order: [UInt8] =
            [
                0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14,
            ] + [UInt8](repeating: 0, count: 15) + [0x10]
        var signature = key.sign([1])
        var carry = 0
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            (signature[32 + index], carry) = (UInt8(sum & 0xFF), sum >> 8)
        }
        #expect(carry == 0 && !cose.isValid(signature, of: [1]))
    }
}
