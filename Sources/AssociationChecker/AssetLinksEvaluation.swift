package import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import SourceJSON

extension Checker {
    /// Checks the assetlinks.json file that was fetched from a site.
    ///
    /// - Parameters:
    ///   - fetch: The fetch of the file.
    ///   - site: The site, as entered by the user.
    func check(assetLinks fetch: FileFetch, site: String) -> Report {
        guard let step = fetch.steps.first else { return Report(target: site, issues: []) }
        let subject = step.url.description
        let issues = step.assetLinksIssues
        var file: AssetLinksFile?
        if step.fetched.response?.status == 200, step.fetched.failure == nil,
            let content = step.content(atMost: AssetLinks.maximumSize)
        {
            var read = parseAssetLinks(content, subject: subject)
            read.issues = read.issues.with(hint: step.hint)
            file = read
        }
        return report(site, issues, file, subject: subject, [fetch])
    }

    /// Returns the report on a file, or nil if the file is for Apple devices.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - name: The name of the file in issues.
    func check(assetLinks bytes: [UInt8], name: String) -> Report? {
        guard !request.isAboutApple else { return nil }
        let isExpected = request.isAboutAndroid || name.split(separator: "/").last == "assetlinks.json"
        guard isExpected || bytes.mayBeAssetLinks else { return nil }
        let file = parseAssetLinks(bytes, subject: name)
        guard isExpected || file.reader?.isContent == true else { return nil }
        return report(name, [], file, subject: name)
    }

    /// Returns the report on a file or a site.
    private func report(
        _ target: String, _ issues: [Issue], _ file: AssetLinksFile?, subject: String, _ fetches: [FileFetch] = []
    ) -> Report {
        // Earlier Apple systems do not read assetlinks.json.
        let ofApple = Issue(ContainerDiagnostic.assetLinks, in: subject, at: file?.reader?.location)
        let ofAndroid = issues + (file?.issues(for: request.androidApps) ?? [])
        return Report(
            target: target,
            issues: ofAndroid.map { $0.only(in: Profile.ofAndroid) } + [ofApple.only(in: [.ios9, .ios8])],
            androidApps: request.androidApps, fetches: fetches, assetLinks: file?.reader?.links ?? AssetLinks(),
            texts: file.map { [subject: $0.text] } ?? [:])
    }

    private func parseAssetLinks(_ bytes: [UInt8], subject: String) -> AssetLinksFile {
        guard bytes.count <= AssetLinks.maximumSize else {
            let limit = ["limit": "\(AssetLinks.maximumSize)"]
            return AssetLinksFile(
                subject: subject, text: [], issues: [Issue(AssetLinksDiagnostic.tooLarge, limit, in: subject)],
                reader: nil)
        }
        let json = JSONContent(bytes, subject: subject)
        let reader = json.root.map { AssetLinksReader.read($0, subject: subject) }
        return AssetLinksFile(
            subject: subject, text: json.text, issues: json.issues + json.proven(reader?.issues ?? []), reader: reader)
    }
}

/// The content of an assetlinks.json file.
private struct AssetLinksFile {
    let subject: String
    /// The UTF-8 text that locations refer to.
    let text: [UInt8]
    var issues: [Issue]
    /// The statements, or nil if the file contains no JSON.
    let reader: AssetLinksReader?

    /// Returns the issues with the file and the requested apps.
    func issues(for apps: [AndroidApp]) -> [Issue] {
        guard let reader, reader.hasStatements else { return issues }
        return issues + apps.flatMap { reader.issues(for: $0, subject) }
    }
}

extension AssetLinksReader {
    /// Whether the file has a statement, usable or not. A separate issue reports a file without statements.
    fileprivate var hasStatements: Bool { !links.statements.isEmpty || !links.includes.isEmpty || !flaws.isEmpty }

    /// Returns the issues that explain why the file does not list an app, or that report its missing relations.
    fileprivate func issues(for app: AndroidApp, _ subject: String) -> [Issue] {
        let values = ["app": app.package, "fingerprint": app.fingerprint?.description ?? ""]
        func issue(_ diagnostic: AssetLinksDiagnostic, _ more: [String: String] = [:]) -> [Issue] {
            [Issue(diagnostic, values.merging(more) { $1 }, in: subject, at: location)]
        }
        let packages = links.packages
        guard packages.contains(app.package) else {
            if let flaws = flaws[app.package] { return flaws }
            if let similar = packages.first(where: { $0.lowercased() == app.package.lowercased() }) {
                return issue(.otherCase, ["listed": similar])
            }
            let shown = packages.prefix(3).joined(separator: ", ")
            let others = shown.isEmpty ? "" : ", only \(shown)\(packages.count > 3 ? " and others" : "")"
            return issue(.notListed, ["others": others])
        }
        let statements = links.statements.filter { $0.lists(app) }
        guard !statements.isEmpty else { return issue(.otherFingerprint) }
        let missing = AssetLinks.Relation.shared.filter { relation in
            !statements.contains { $0.relations.contains(relation) }
        }
        guard missing.count < AssetLinks.Relation.shared.count else { return issue(.otherRelation) }
        return missing.flatMap { issue(.oneRelation, ["relation": $0.rawValue]) }
    }
}

extension FileFetch.Step {
    /// The issues with the response to a request for assetlinks.json.
    fileprivate var assetLinksIssues: [Issue] {
        let subject = url.description
        func issue(_ diagnostic: AssetLinksDiagnostic, _ values: [String: String]) -> Issue {
            Issue(diagnostic, values, in: subject)
        }
        // Accept a root that the caller trusts. Apple-only rules do not apply.
        let ofApple = [TLSDiagnostic.tooLong, .wildcardTooWide].map(\.rawValue)
        var issues = chain.map { Issue.all($0, in: subject, isForDevelopers: true) } ?? []
        issues.removeAll { ofApple.contains($0.code) }
        if case .tooLarge? = fetched.failure {
            issues.append(issue(.tooLarge, ["limit": "\(AssetLinks.maximumSize)"]))
        } else if let failure = fetched.failure {
            issues.append(Issue(failure, in: subject))
        }
        guard let response = fetched.response else { return issues }
        let status = "\(response.status)"
        if let redirect {
            issues.append(issue(.redirect, ["status": status, "target": redirect.excerpt]).with(hint: hint))
        } else if response.status != 200 {
            issues.append(
                issue((500...599).contains(response.status) ? .serverError : .status, ["status": status])
                    .with(hint: hint))
        } else {
            if let found = response.typeMismatch("application/json") {
                issues.append(issue(.contentType, ["found": found]))
            }
            if url.path != AssetLinks.path || url.query != nil {
                let standard = "https://\(url.authority)\(AssetLinks.path)"
                issues.append(issue(.path, ["path": url.requestTarget.excerpt, "url": standard]))
            }
        }
        return issues
    }
}

extension Profile {
    /// The profiles that apply to Android: the behavior of devices, and Google's documentation.
    package static let ofAndroid = [Profile.device, .documented]
}

extension [UInt8] {
    /// Whether the bytes look like the beginning of an array or of an object with a relation. Apple's file has neither
    /// form. This property does not parse the JSON.
    package var mayBeAssetLinks: Bool {
        let start = drop { $0 <= 0x20 || $0 >= 0x80 }
        return start.first == UInt8(ascii: "[") || start.prefix(4_096).contains(Array("relation".utf8))
    }
}
