import AssociatedDomains
import AssociationChecker
import FuzzSupport
import HTTPSClient
import SourceJSON
import UniversalLinks

/// Parses arbitrary bytes as an association file with a URL on its last line. Matches and explains the URL, and checks
/// the whole file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLinks(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    let json = RecoveringJSONDocument(Array(bytes[..<end]))
    let url = readURL(String(decoding: bytes[end...].dropFirst(), as: UTF8.self))
    if let root = json.root?.object, let url {
        let links = UniversalLinks(root["applinks"]?.object ?? root, workLimit: 200_000)
        checkIssues(links, json.text.count)
        checkMatching(links, url)
    }
    checkFile(Array(bytes[..<end]))
    return 0
}

/// Parses a URL, or else creates a URL that contains the text.
private func readURL(_ text: String) -> WebURL? {
    var read: WebURL?
    do throws(WebURL.Malformed) {
        read = try WebURL(text)
    } catch {
        require(!error.problem.isEmpty && !error.fix.isEmpty, "an error has no problem or fix")
    }
    guard let url = read ?? (try? WebURL("https://example.com/" + text)) else { return nil }
    require((try? WebURL(url.description)) == url, "a URL differs from its description")
    if let resolved = try? url.resolving(text) {
        require((try? WebURL(resolved.description)) == resolved, "a resolved URL differs from its description")
    }
    return url
}

private func checkIssues(_ links: UniversalLinks, _ count: Int) {
    require(
        links.issues.allSatisfy { !$0.problem.isEmpty && !$0.fix.isEmpty && $0.location.offset <= count },
        "an issue has no problem, fix or location")
    require(
        zip(links.issues, links.issues.dropFirst()).allSatisfy { $0.location <= $1.location }, "the order is wrong")
}

private func checkMatching(_ links: UniversalLinks, _ url: WebURL) {
    let whole = links.match(url)
    checkAgreement(whole, links.explain(url))
    for app in links.apps.prefix(4) {
        let match = links.match(url, app: app.identifier)
        checkAgreement(match, links.explain(url, app: app.identifier))
        switch whole.outcome {
        case .matched: require(app.identifier != whole.app || match == whole, "the matching app does not match alone")
        case .blocked: require(match.outcome == .blocked || match.outcome == .unmatched, "an app alone matches")
        case .unmatched: require(match.outcome == .unmatched, "an app alone matches")
        case .undecided: break
        }
    }
}

private func checkAgreement(_ match: UniversalLinks.Match, _ explanations: [UniversalLinks.Explanation]) {
    for explanation in explanations {
        require(!explanation.sentence.isEmpty, "an explanation is empty")
        require(explanation.parts.dropLast().allSatisfy(\.matched), "a key after a failed key was compared")
        for part in explanation.parts {
            let count = part.value.unicodeScalars.count
            require(part.matched ? part.furthest == count : (0...count).contains(part.furthest), "an invalid position")
        }
    }
    let last = explanations.last
    // Explaining takes more work than matching.
    if match.outcome != .undecided, last?.outcome == .undecided { return }
    require(match.outcome == last?.outcome ?? .unmatched, "the explanation differs from the match")
    guard match.outcome == .matched || match.outcome == .blocked else { return }
    require(
        match.app == last?.app && match.detail == last?.detail && match.component == last?.component
            && match.location == last?.location, "the explanation contains a different component")
}

private func checkFile(_ bytes: [UInt8]) {
    var question = CheckRequest()
    // Checking each file with both requests would take twice as long.
    if bytes.count.isMultiple(of: 2) {
        question.apps = [try? AppIdentifier("D3KQX62K1A.com.example.DemoApp")].compactMap(\.self)
        question.entries = [
            CheckRequest.Entry("webcredentials:example.com"), CheckRequest.Entry("applinks:*.example.com"),
        ]
        question.domain = "example.com"
    }
    let report = Checker(question, trust: [], at: 1_700_000_000).check(file: bytes, name: "file")
    check(report)
    let file = AssociationFile(bytes, name: "file", trust: [], at: 1_700_000_000)
    require(
        file.verdict(.device) == .associated || report.assetLinks != nil || report.verdict(.device) == .denied,
        "a denied file associates an app")
}

private func check(_ report: Report) {
    for issue in report.issues {
        require(Diagnostic.named(issue.code) == issue.diagnostic, "a rule is unknown")
        require(!issue.message.isEmpty && !issue.effects.profiles.isEmpty, "an issue has no text")
        if let place = issue.location, let text = report.texts[issue.subject] {
            require(place.offset <= text.count && place.line >= 1 && place.column >= 1, "an invalid location")
        }
    }
    for profile in Profile.allCases {
        let gravest = report.issues.compactMap { $0.effects[profile] }.max()
        let verdict = report.verdict(profile)
        require((verdict == .denied) == (gravest == .denial), "a verdict has no reason")
        require((verdict == .retry) == (gravest == .retry), "a verdict has no reason")
    }
    require(
        zip(report.issues, report.issues.dropFirst()).allSatisfy { isInOrder($0.effects, $1.effects) },
        "the most severe issue is not first")
}

private func isInOrder(_ one: SeverityByProfile, _ other: SeverityByProfile) -> Bool {
    switch (one.device, other.device) {
    case (.some(let one), .some(let other)): one >= other
    case (nil, .some): false
    case (_, nil): true
    }
}
