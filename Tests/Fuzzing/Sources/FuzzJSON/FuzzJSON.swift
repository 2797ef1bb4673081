import FuzzSupport
import MotivatorPlatform
import SourceJSON

/// Parses arbitrary bytes as JSON with both parsers, and ends the process if their results disagree.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let json = RecoveringJSONDocument(bytes)
    do throws(JSONError) {
        let document = try JSONDocument(bytes)
        require(json.errors.isEmpty && json.isComplete && json.text == bytes, "a valid text has errors")
        require(json.duplicateKeys == document.duplicateKeys, "the keys differ")
        guard let root = json.root else { fatalError("the value of a valid text is missing") }
        require(isSame(root, document.root), "the values differ")
    } catch {
        require(json.errors.first == error, "the first errors differ")
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
    }
    // Typographic quotes have a limit of their own.
    let counted = json.errors.filter { if case .typographicQuote = $0 { false } else { true } }
    require(counted.count <= RecoveringJSONDocument.maximumErrors, "too many errors")
    let places = json.errors.map(\.location)
    require(places.allSatisfy { $0.offset <= json.text.count && $0.line >= 1 && $0.column >= 1 }, "an invalid location")
    require(zip(places.dropFirst(), places.dropFirst(2)).allSatisfy { $0 <= $1 }, "the order is wrong")
    return 0
}

private func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    guard one.location == other.location else { return false }
    switch (one.content, other.content) {
    case (.object(let one), .object(let other)):
        return one.members.count == other.members.count
            && zip(one.members, other.members).allSatisfy {
                $0.key == $1.key && $0.keyLocation == $1.keyLocation && isSame($0.value, $1.value)
            }
    case (.array(let one), .array(let other)):
        return one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
    case (.string(let one), .string(let other)), (.number(let one), .number(let other)): return one == other
    case (.boolean(let one), .boolean(let other)): return one == other
    case (.null, .null): return true
    case _: return false
    }
}
