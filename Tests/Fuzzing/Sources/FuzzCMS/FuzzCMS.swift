import Certificates
import FuzzSupport

/// Opens arbitrary bytes as a signed message, and verifies its signatures.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCMS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(CMSIssue) {
        let message = try CMS.open(Array(UnsafeBufferPointer(start: start, count: count)))
        require(message.signers.count <= message.signatureCount, "the message has more signers than signatures")
        let content = try message.verifySignatureOnly()
        require(content == message.content, "the verified content differs from the opened content")
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
    }
    return 0
}
