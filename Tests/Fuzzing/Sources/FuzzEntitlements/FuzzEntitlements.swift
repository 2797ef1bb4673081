import AssociatedDomains
import AssociationChecker
import FuzzSupport
import SourceJSON

/// Parses arbitrary bytes as a property list of entitlements and as a single entry, and creates reports of both.
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
        "a rule is unknown")
    return 0
}

private func readList(_ bytes: [UInt8], into question: inout CheckRequest) {
    do throws(Entitlements.Failure) {
        let list = try Entitlements(bytes)
        let isBinary = bytes.starts(with: "bplist00".utf8)
        for entry in list.entries {
            require(entry.location == nil || !isBinary, "a binary list has a location")
            require(entry.location.map { $0.offset <= bytes.count } ?? true, "a location is outside the text")
            require(checkEntry(entry.text) == ((try? entry.domain.get()) != nil), "an entry has two interpretations")
        }
        require(
            list.issues.allSatisfy { !$0.problem.isEmpty && !$0.fix.isEmpty }, "an issue has no problem or fix")
        question.add(list, from: "list")
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
    }
}

/// - Returns: Whether a device accepts the entry.
private func checkEntry(_ text: String) -> Bool {
    let domain: AssociatedDomain
    do throws(AssociatedDomain.Malformed) {
        domain = try AssociatedDomain(text)
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
        return false
    }
    let again = try? AssociatedDomain(domain.description)
    require(again == domain, "an entry differs from its canonical form")
    require(again?.description == domain.description, "the canonical form has a different canonical form")
    require(domain.covers(domain.host, in: .device), "an entry does not cover its own host")
    require(domain.covers(domain.host, in: .ios9) != domain.isWildcard, "a wildcard covers its root on old systems")
    require(domain.port != 0 && !(domain.isWildcard && domain.isAddress), "a host is invalid")
    return true
}
