import AssociatedDomains
import AssociationChecker
import FuzzSupport
import SourceJSON

/// Reads any bytes as a property list of entitlements and as a single entry, and as what reports make of both.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEntitlements(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    var question = CheckRequest()
    readList(bytes, into: &question)
    let text = String(decoding: bytes, as: UTF8.self)
    if checkEntry(text) { question.entries.append(CheckRequest.Entry(text)) }
    guard !question.entries.isEmpty else { return 0 }
    question.domain = "example.com"
    let report = Checker(question, trust: [], at: 1_700_000_000).checkEntries(name: "entitlements")
    require(
        report.issues.allSatisfy { !$0.message.isEmpty && Diagnostic.named($0.code) == $0.diagnostic },
        "an unknown rule")
    return 0
}

private func readList(_ bytes: [UInt8], into question: inout CheckRequest) {
    do throws(Entitlements.Failure) {
        let list = try Entitlements(bytes)
        let isBinary = bytes.starts(with: "bplist00".utf8)
        for entry in list.entries {
            require(entry.location == nil || !isBinary, "a binary list has a location")
            require(entry.location.map { $0.offset <= bytes.count } ?? true, "no such place")
            require(checkEntry(entry.text) == ((try? entry.domain.get()) != nil), "one entry is read in two ways")
        }
        require(
            list.issues.allSatisfy { !$0.problem.isEmpty && !$0.fix.isEmpty }, "an issue explains nothing")
        question.add(list, from: "list")
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error explains nothing")
    }
}

/// - Returns: whether a device takes the entry.
private func checkEntry(_ text: String) -> Bool {
    let domain: AssociatedDomain
    do throws(AssociatedDomain.Malformed) {
        domain = try AssociatedDomain(text)
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error explains nothing")
        return false
    }
    let again = try? AssociatedDomain(domain.description)
    require(again == domain, "an entry is not what its usual spelling is")
    require(again?.description == domain.description, "the usual spelling has another one")
    require(domain.covers(domain.host, in: .device), "an entry does not cover its own host")
    require(domain.covers(domain.host, in: .ios9) != domain.isWildcard, "a wildcard covers its root on old systems")
    require(domain.port != 0 && !(domain.isWildcard && domain.isAddress), "no such host")
    return true
}
