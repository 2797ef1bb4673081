import Certificates
import FuzzSupport

/// Opens any bytes as a signed message and checks its signatures.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCMS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(CMSError) {
        let message = try CMS.open(Array(UnsafeBufferPointer(start: start, count: count)))
        require(message.signers.count <= message.signatureCount, "more signers than signatures")
        let content = try message.verifySignatureOnly()
        require(content == message.content, "what is verified is not what is shown")
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error explains nothing")
    }
    return 0
}
