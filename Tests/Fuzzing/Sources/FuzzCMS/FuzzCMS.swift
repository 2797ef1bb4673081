import Certificates

/// Opens any bytes as a signed message and checks its signatures.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCMS(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do throws(CMSError) {
        let message = try CMS.open(Array(UnsafeBufferPointer(start: start, count: count)))
        precondition(message.signers.count <= message.certificates.count * max(message.signatureCount, 1))
        let content = try message.verifySignatureOnly()
        precondition(content == message.content, "what is verified is not what is shown")
    } catch {
        precondition(!error.problem.isEmpty && !error.remedy.isEmpty)
    }
    return 0
}
