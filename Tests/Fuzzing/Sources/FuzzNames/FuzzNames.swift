import Accounts
import Foundation
import FuzzSupport

/// Parses arbitrary bytes as a user name. The displayed form of an accepted name must identify the same account.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let text = String(validating: bytes, as: UTF8.self), let name = try? UserName(text) else { return 0 }
    guard let again = try? UserName(name.text) else { fatalError("the displayed form of a name is refused") }
    require(again.text.utf8.elementsEqual(name.text.utf8), "the displayed form of a name changes")
    require(again.key.utf8.elementsEqual(name.key.utf8), "the displayed form of a name is a different account")
    require(name.text.unicodeScalars.count <= UserName.maximumLength, "a name is too long")
    // The key of a key must be the key itself. Otherwise, two names of one account could have two keys.
    if let folded = try? UserName(name.key) {
        require(folded.key.utf8.elementsEqual(name.key.utf8), "the key of a key differs")
    }
    // Changes the case of the decomposed text. In composed form, "\u{1fb3}\u{32f}" has the capitals
    // "\u{391}\u{399}\u{32f}", which assigns the mark to another letter. Unicode's caseless matching (D145)
    // distinguishes the two.
    let decomposed = name.text.decomposedStringWithCanonicalMapping
    for other in [decomposed.uppercased(), decomposed.lowercased()] {
        guard let same = try? UserName(other) else { continue }
        require(same.key.utf8.elementsEqual(name.key.utf8), "names that differ in case are different accounts")
    }
    return 0
}
