import Accounts
import Foundation
import FuzzSupport

/// Reads any bytes as a user name: an accepted name must be accepted again as shown, and mean the same account.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: start, count: count)
    guard let text = String(validating: bytes, as: UTF8.self), let name = try? UserName(text) else { return 0 }
    guard let again = try? UserName(name.text) else { fatalError("a name is refused as it is shown") }
    require(again.text.utf8.elementsEqual(name.text.utf8), "a shown name is shown in another way")
    require(again.key.utf8.elementsEqual(name.key.utf8), "a shown name is another account")
    require(name.text.unicodeScalars.count <= UserName.maximumLength, "a name is too long")
    // The key of a key is itself, or two names of one account could have two keys.
    if let folded = try? UserName(name.key) {
        require(folded.key.utf8.elementsEqual(name.key.utf8), "a key has another key")
    }
    // The case of a decomposed text: composed, "\u{1fb3}\u{32f}" has the capitals "\u{391}\u{399}\u{32f}", where the mark
    // belongs to another letter. Unicode's caseless matching (D145) distinguishes the two.
    let decomposed = name.text.decomposedStringWithCanonicalMapping
    for other in [decomposed.uppercased(), decomposed.lowercased()] {
        guard let same = try? UserName(other) else { continue }
        require(same.key.utf8.elementsEqual(name.key.utf8), "case tells two accounts apart")
    }
    return 0
}
