import FuzzSupport
import MotivatorPlatform

@testable import Accounts

/// Parses arbitrary bytes as a stored password hash, a session token and Base64. Encoding an accepted value must
/// reproduce the input exactly.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPHC(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    if let hash = try? PasswordHash(text) {
        require(isSame(hash.text, text), "writing a hash changes it")
        require((try? PasswordHash(hash.text)) == hash, "a written hash differs")
        require(hash.salt.count == PasswordHash.saltLength && hash.hash.count == PasswordHash.length, "a wrong length")
        let parameters = hash.parameters
        require(128 * parameters.r << parameters.log2N <= ScryptParameters.maximumMemory, "too much memory")
    }
    if let token = SessionToken(text) {
        require(isSame(token.text, text), "writing a token changes it")
    }
    for alphabet in [Base64.Alphabet.standard, .urlSafe] {
        if let decoded = Base64.decode(bytes, alphabet) {
            require(Base64.encode(decoded, alphabet).utf8.elementsEqual(bytes), "Base64 has two encodings")
        }
        let encoded = Base64.encode(bytes, alphabet)
        require(Base64.decode(encoded.utf8, alphabet) == bytes, "Base64 does not decode its own encoding")
    }
    return 0
}

/// Compares bytes, because `==` compares strings by canonical equivalence.
private func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
