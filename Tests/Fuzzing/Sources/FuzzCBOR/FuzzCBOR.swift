import FuzzSupport
import Passkeys

/// Decodes arbitrary bytes. The canonical form has one spelling, so accepted bytes must be the encoding of their value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCBOR(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(CBORError) {
        require(try CBOR(bytes).encoded == bytes, "the encoding of the value differs from the input")
    } catch {
        require((0...count).contains(error.offset), "the offset \(error.offset) is outside the input")
        return 0
    }
    // A prefix or an extension of a complete value is never complete.
    require((try? CBOR(bytes + [0])) == nil && (try? CBOR(bytes.dropLast())) == nil, "a value has no definite end")
    return 0
}
