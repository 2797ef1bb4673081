import Certificates
import FuzzSupport

/// Opens arbitrary bytes as a signed message, and verifies its signatures.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCMS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(CMSIssue) {
        let message = try CMS.open(Array(UnsafeBufferPointer(start: start, count: count)))
        require(message.signers.count <= message.signatureCount, "the message has more signers than signatures")
        let issues = message.issues(trust: [], at: 0, domain: nil)
        require(!issues.isEmpty, "a message is valid without a trusted root")
        for issue in issues { require(!issue.problem.isEmpty, "an issue has no problem") }
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
    }
    return 0
}
