import FuzzSupport
import Passkeys

/// Decodes arbitrary bytes as CBOR, a COSE key, authenticator data and an attestation object. The canonical form has one
/// spelling, so accepted bytes must be the encoding of their value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCBOR(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let data = try? AuthenticatorData(bytes) { check(data, from: bytes) }
    do throws(CBORError) {
        let value = try CBOR(bytes)
        require(value.encoded == bytes, "the encoding of the value differs from the input")
        check(key: value, from: bytes)
    } catch {
        require((0...count).contains(error.offset), "the offset \(error.offset) is outside the input")
        require((try? COSEKey(bytes: bytes)) == nil, "a key is not canonical CBOR")
        require((try? AttestationObject(bytes)) == nil, "an attestation object is not canonical CBOR")
        return 0
    }
    // A prefix or an extension of a complete value is never complete.
    require((try? CBOR(bytes + [0])) == nil && (try? CBOR(bytes.dropLast())) == nil, "a value has no definite end")
    if let object = try? AttestationObject(bytes), let data = try? AuthenticatorData(object.authenticatorData) {
        check(data, from: object.authenticatorData)
    }
    return 0
}

private func check(_ data: AuthenticatorData, from bytes: [UInt8]) {
    require(data.encoded == bytes, "the encoding of the authenticator data differs from the input")
    require((try? AuthenticatorData(bytes + [0])) == nil, "bytes follow the authenticator data")
    if let key = data.attested?.publicKey { check(key: key, from: key.encoded) }
}

/// Checks that a valid key has exactly the labels of its algorithm, and that it verifies no made-up signature.
private func check(key value: CBOR, from bytes: [UInt8]) {
    guard let key = try? COSEKey(value), let entries = value.entries else { return }
    require(key.bytes == bytes, "the encoding of the key differs from the input")
    require(entries.count == (key.algorithm == .es256 ? 5 : 4), "a key has \(entries.count) labels")
    for index in entries.indices {
        let rest = entries[..<index] + entries[(index + 1)...]
        require((try? COSEKey(.map(Array(rest)))) == nil, "a key lacks the label \(entries[index].key)")
    }
    let more = CBOR.Entry(.text("x"), .null)
    require((try? COSEKey(.map(entries + [more]))) == nil, "a key has an additional label")
    require(!key.isValid(bytes, of: bytes), "a made-up signature is valid")
}
