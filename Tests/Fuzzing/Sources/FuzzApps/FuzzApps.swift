import AssociatedDomains
import FuzzSupport
import SourceJSON

/// Parses arbitrary bytes as an IPA file, an executable, a provisioning profile and a property list.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzApps(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let source = ArrayBytes(bytes: Array(UnsafeBufferPointer(start: start, count: count)))
    do throws(BuiltAppError) {
        let list = try BuiltApp.entitlements(in: source)
        require(list.entries.allSatisfy { ($0.location?.offset ?? 0) <= count }, "a location is outside the input")
        require(list.issues.allSatisfy { !$0.problem.isEmpty && !$0.fix.isEmpty }, "an issue has no problem or fix")
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
    }
    return 0
}
