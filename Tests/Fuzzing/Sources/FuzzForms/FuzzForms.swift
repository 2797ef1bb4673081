import FuzzSupport
import MotivatorHTTP
import MotivatorServer

@testable import UltraMotivator

/// Parses arbitrary bytes as a submitted form. A second, simpler parser must find the same values, and percent-decoding
/// must reverse percent-encoding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzForms(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let reference = ReferenceForm(bytes)
    do throws(FormContent.Failure) {
        let form = try FormContent(bytes)
        guard let values = reference?.values else { fatalError("the parser accepts a malformed form") }
        for name in names {
            let value = values[name.rawValue]
            require(form.has(name) == (value != nil), "a field is missing, or is not in the form")
            require(Array(form[name].utf8) == value ?? [], "a value differs")
        }
        for (name, value) in values {
            require(form[name].map { Array($0.utf8) } == value, "a value differs in another form")
        }
        require(values.count <= 32, "too many fields are accepted")
    } catch {
        require(!error.sentence.isEmpty, "a fault has no explanation")
        require(reference == nil, "a well-formed form is rejected: \(error)")
    }
    checkEncoding(bytes)
    return 0
}

private let names: [FieldName] = [
    .username, .password, .confirmation, .currentPassword, .newPassword, .newConfirmation, .formToken, .suggest,
]

private func checkEncoding(_ bytes: [UInt8]) {
    let digits = Array("0123456789abcdefABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in bytes {
        // Every third byte remains unencoded, to mix literals and escapes.
        if byte % 3 == 0, byte != UInt8(ascii: "%") {
            encoded.append(byte)
        } else {
            let low = Int(byte & 15)
            encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[low > 9 && byte & 1 == 1 ? low + 6 : low]]
        }
    }
    require(encoded.withFieldBytes { PercentCoding.decode($0) } == bytes, "percent-encoding loses bytes")
    guard let decoded = bytes.withFieldBytes({ PercentCoding.decode($0) }) else { return }
    require(bytes.count - decoded.count == 2 * bytes.count(where: { $0 == UInt8(ascii: "%") }), "the length is wrong")
}

/// A form from a second parser: the fields in order, as bytes.
private struct ReferenceForm {
    /// The values by name. Canonically equivalent names are equal.
    private(set) var values: [String: [UInt8]] = [:]

    /// Returns nil for content that is not an acceptable form.
    init?(_ content: [UInt8]) {
        var name: [UInt8] = []
        var value: [UInt8]?
        var isEmpty = true
        var count = 0
        var index = 0
        // A separator after the last byte ends the last field.
        while index <= content.count {
            let byte = index < content.count ? content[index] : UInt8(ascii: "&")
            index += 1
            if byte == UInt8(ascii: "&") {
                if isEmpty { continue }
                count += 1
                guard count <= 32, isUTF8(value ?? []), let text = String(validating: name, as: UTF8.self),
                    values.updateValue(value ?? [], forKey: text) == nil
                else { return nil }
                (name, value, isEmpty) = ([], nil, true)
                continue
            }
            isEmpty = false
            if byte == UInt8(ascii: "="), value == nil {
                value = []
                continue
            }
            var decoded = byte
            if byte == UInt8(ascii: "+") { decoded = 0x20 }
            if byte == UInt8(ascii: "%") {
                guard index + 1 < content.count, let high = digit(content[index]), let low = digit(content[index + 1])
                else { return nil }
                decoded = high << 4 | low
                index += 2
            }
            if value == nil { name.append(decoded) } else { value?.append(decoded) }
        }
    }

    private func digit(_ byte: UInt8) -> UInt8? {
        Unicode.Scalar(byte).properties.isASCIIHexDigit
            ? UInt8(String(decoding: [byte], as: UTF8.self), radix: 16) : nil
    }

    private func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }
}
