import AssociatedDomains
import HTTPSClient
import Platform
import SourceJSON

/// Puts together what was found at the places of a site: each reading looks at its own.
struct SiteJudge {
    private(set) var findings: [Finding] = []
    private(set) var texts: [String: [UInt8]] = [:]
    /// What the file says that documents would take.
    private(set) var outline: AssociationOutline?

    /// What is known of one place.
    private struct Place {
        let location: Location
        /// What was asked for first.
        package let url: WebURL?
        var findings: [Finding]
        package var files: [(judgement: FileJudge.Judgement, subject: String, readings: Set<Reading>)] = []

        func delivers(to reading: Reading) -> Bool { files.contains { $0.readings.contains(reading) } }
    }

    private let judge: (_ subject: String) -> FileJudge
    private let answer: (AssociationOutline, _ subject: String) -> [Finding]

    /// - Parameters:
    ///   - visits: what was found at each place.
    ///   - entries: the app's entries about the site.
    ///   - judge: makes the judge of a file that came from a URL.
    ///   - answer: answers the question from a file.
    init(
        _ visits: [Visit], entries: [AssociatedDomain], judge: @escaping (_ subject: String) -> FileJudge,
        answer: @escaping (AssociationOutline, _ subject: String) -> [Finding]
    ) {
        self.judge = judge
        self.answer = answer
        var places: [Location: Place] = [:]
        for visit in visits { places[visit.location] = look(at: visit, entries) }
        if let given = places[.given] {
            takeGiven(given)
            noteUnsigned(given)
        }
        guard let wellKnown = places[.wellKnown], let root = places[.root] else { return }
        choose(wellKnown, root)
    }

    private func look(at visit: Visit, _ entries: [AssociatedDomain]) -> Place {
        let visited = VisitJudge(visit, entries: entries)
        var place = Place(location: visit.location, url: visit.hops.first?.url, findings: visited.findings)
        for delivered in visited.delivered {
            var judgement = judge(delivered.subject).judge(delivered.content)
            judgement.findings += contentType(delivered, isSigned: judgement.isSigned)
            place.files.append((judgement, delivered.subject, delivered.readings))
        }
        return place
    }

    /// Documents and iOS 9.3 to 13 take the root where `.well-known` has nothing; iOS 8 takes the root alone.
    private mutating func choose(_ wellKnown: Place, _ root: Place) {
        let fallsBack = !wellKnown.delivers(to: .documented) && root.delivers(to: .documented)
        if fallsBack {
            take(wellKnown, in: [.device])
            take(root, in: [.documented, .legacy])
            note(
                .onlyAtRoot, "the file is at \(Location.root.path ?? "") only",
                remedy: "Serve it at \(Location.wellKnown.path ?? "") too", root)
            noteUnsigned(root)
            return
        }
        take(wellKnown, in: Set(Reading.allCases))
        if root.delivers(to: .legacy) {
            take(root, in: [.legacy])
            noteUnsigned(root)
            noteDifference(wellKnown, root)
        } else if wellKnown.delivers(to: .documented) {
            let status = root.findings.map(\.message).first.map { ": \($0)" } ?? ""
            note(
                .onlyWellKnown, "the file is at \(Location.wellKnown.path ?? "") only\(status)",
                remedy: "If iOS 8 matters, serve it signed at \(Location.root.path ?? "") too", wellKnown)
        }
    }

    /// A URL is judged by whether a device would ask for it: what is found elsewhere helps nobody.
    private mutating func takeGiven(_ given: Place) {
        guard let url = given.url else { return }
        let (wellKnown, root) = (Location.wellKnown.path ?? "", Location.root.path ?? "")
        switch Location(readAt: url) {
        case .root:
            take(given, in: [.documented, .legacy])
            findings.append(
                Finding(
                    HTTPRule.onlyAtRoot, "no device since iOS 14 asks for \(root)",
                    remedy: "Serve the file at \(wellKnown) too, and check the domain instead of the URL",
                    in: url.description))
        case .wellKnown: take(given, in: Set(Reading.allCases))
        case .given, .file, nil:
            take(given, in: Set(Reading.allCases))
            findings.append(
                Finding(
                    HTTPRule.notRead, "no device asks for \(url.requestTarget.excerpt), only for \(wellKnown)",
                    remedy:
                        "Serve the file at https://\(url.authority)\(wellKnown), under exactly this name, and check "
                        + "\(url.authority)", in: url.description))
        }
    }

    private mutating func take(_ place: Place, in readings: Set<Reading>) {
        findings += place.findings.map { $0.only(in: readings) }
        for file in place.files {
            let takers = file.readings.intersection(readings)
            guard !takers.isEmpty else { continue }
            texts[file.subject] = file.judgement.text
            findings += file.judgement.findings.map { $0.only(in: takers) }
            guard let outline = file.judgement.outline else { continue }
            if self.outline == nil || takers.contains(.documented) { self.outline = outline }
            findings += answer(outline, file.subject).map { $0.only(in: takers) }
        }
    }

    private mutating func noteUnsigned(_ root: Place) {
        guard let file = root.files.first, !file.judgement.isMeantAsSigned else { return }
        findings.append(.unsigned(file.subject))
    }

    private mutating func noteDifference(_ wellKnown: Place, _ root: Place) {
        guard let one = wellKnown.files.first?.judgement.outline?.root,
            let other = root.files.first?.judgement.outline?.root, !one.says(theSameAs: other)
        else { return }
        note(
            .differ, "\(Location.wellKnown.path ?? "") and \(Location.root.path ?? "") say different things",
            remedy: "Serve the same content at both, plain or signed", wellKnown)
    }

    private mutating func note(_ rule: HTTPRule, _ message: String, remedy: String, _ place: Place) {
        let subject = place.files.first?.subject ?? place.location.path ?? ""
        findings.append(Finding(rule, message, remedy: remedy, in: subject))
    }

    private func contentType(_ delivered: VisitJudge.Delivered, isSigned: Bool) -> [Finding] {
        let expected = isSigned ? "application/pkcs7-mime" : "application/json"
        let type = delivered.contentType?.prefix { $0 != ";" }.lowercased()
        guard type?.filter({ $0 != " " && $0 != "\t" }) != expected else { return [] }
        let found = delivered.contentType.map { "comes as \($0.excerpt)" } ?? "comes without a Content-Type"
        return [
            Finding(
                isSigned ? HTTPRule.signedContentType : HTTPRule.contentType, "the file \(found)",
                remedy: "Send it with Content-Type: \(expected)", in: delivered.subject)
        ]
    }
}

extension Finding {
    /// iOS 8 would not take the file.
    static func unsigned(_ subject: String) -> Finding {
        Finding(
            SignatureRule.missing, "the file is not signed",
            remedy: "If iOS 8 matters, sign it: motivator association sign", in: subject)
    }
}

extension JSONValue {
    /// Whether two values are the same but for order of keys, spelling of numbers aside.
    fileprivate func says(theSameAs other: JSONValue) -> Bool {
        switch (content, other.content) {
        case (.object(let one), .object(let other)):
            let (ones, others) = (one.sorted, other.sorted)
            return ones.count == others.count
                && zip(ones, others).allSatisfy { $0.key == $1.key && $0.value.says(theSameAs: $1.value) }
        case (.array(let one), .array(let other)):
            return one.count == other.count && zip(one, other).allSatisfy { $0.says(theSameAs: $1) }
        case (.string(let one), .string(let other)): return one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .number(let other)): return one == other
        case (.boolean(let one), .boolean(let other)): return one == other
        case (.null, .null): return true
        case (.object, _), (.array, _), (.string, _), (.number, _), (.boolean, _), (.null, _): return false
        }
    }
}

extension JSONObject {
    fileprivate var sorted: [Member] { members.sorted { $0.key < $1.key } }
}
