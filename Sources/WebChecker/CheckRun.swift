import AssociatedDomains
package import AssociationChecker
package import Certificates
import Foundation
import HTTPSClient
package import MotivatorPlatform

/// A check that `/check` runs. A check can take a long time or block its thread, so it runs on a separate queue.
package struct CheckRun: Sendable {
    /// The time limit in seconds for each path of a site, including redirects.
    package static let fetchDeadline = 10
    /// The work limit for each URL test: twice the work for an ordinary file.
    private static let workLimit = 1_000_000

    let input: CheckInput
    /// The trusted roots in addition to the system's roots.
    let roots: [Certificate]
    let now: UnixTime
    /// The limits of a public checker, whose fetches reach only public hosts. Nil without this restriction.
    let sites: SiteFetches?
    /// The responses of a recent check, to use instead of new requests.
    let recent: [FileFetch]?

    package init(
        input: CheckInput, roots: [Certificate], now: UnixTime, sites: SiteFetches? = nil, recent: [FileFetch]? = nil
    ) { (self.input, self.roots, self.now, self.sites, self.recent) = (input, roots, now, sites, recent) }

    /// The report on the site, the file or the entry. Nil if the check has none of these inputs.
    package var report: Report? {
        if let file = input.file {
            let content = Self.content(ofDataURL: file) ?? file
            return Checker(request, at: now).check(file: content, name: "the pasted file")
        }
        if let site = input.site { return siteReport(site) }
        return input.entry.map { _ in Checker(request, at: now).checkEntries(name: named) }
    }

    /// Decodes a data URL (RFC 2397). The page's script sends a chosen file in this form if the file is not text.
    static func content(ofDataURL text: [UInt8]) -> [UInt8]? {
        guard text.starts(with: Array("data:".utf8)), let comma = text.firstIndex(of: UInt8(ascii: ",")),
            String(decoding: text[..<comma], as: UTF8.self).hasSuffix(";base64")
        else { return nil }
        return Data(base64Encoded: Data(text[(comma + 1)...])).map { Array($0) }
    }

    package var view: CheckView {
        var view = CheckView()
        view.entry = input.entry?.excerpt
        let report = report
        let isAlone = input.file == nil && input.site == nil
        if var meaning = input.entry.flatMap(CheckView.Facts.init(entry:)) {
            meaning.isFolded = !isAlone
            view.facts.append(meaning)
        }
        if isAlone {
            addWithoutFile(report, to: &view)
        } else if let report {
            view.target = report.target.shortened
            view.add(report)
            if let url = input.url {
                view.add(
                    report.assetLinks.map { MatchView(url, app: input.androidApp, in: $0, of: input.site) }
                        ?? MatchView(url, app: input.app, entry: entry, in: report, of: input.site),
                    service: entry?.service)
            }
        }
        if input.file == nil {
            view.permalink = input.query
            view.data = report == nil ? nil : input.query
        }
        return view
    }

    /// Adds the meaning of the other fields in a form without a file.
    private func addWithoutFile(_ report: Report?, to view: inout CheckView) {
        view.target = named
        if let report { view.add(entry: report, isEntry: entry != nil) }
        if let app = input.app {
            let lines: [CheckView.Line] = [
                .init(name: "App ID prefix", text: app.prefix),
                .init(name: "Bundle identifier", text: app.bundleIdentifier.shortened),
            ]
            let snippet = (entry?.service ?? .webcredentials).exampleFile(of: app.description.shortened)
            view.facts.append(.init(title: "The app", lines: lines, snippet: snippet))
        }
        if let url = input.url {
            let lines: [CheckView.Line] = [
                .init(name: "Host", text: url.host.bracketed),
                .init(name: "Path", text: url.path.isEmpty ? "/" : url.path.shortened),
                .init(name: "Query", text: url.query?.shortened ?? "none"),
                .init(name: "Fragment", text: url.fragment?.shortened ?? "none"),
                .init(name: "Entry of the app", text: "applinks:\(url.authority)"),
                .init(name: "File with the rules", text: "https://\(url.authority)\(FilePath.wellKnown.text)"),
            ]
            view.facts.append(.init(title: "The URL", lines: lines))
            view.hints.append("To find out which rule matches the URL, paste the file too.")
        }
    }

    private var entry: AssociatedDomain? { input.entry.flatMap { try? AssociatedDomain($0) } }

    /// The target of a check without a file: the names of the submitted fields.
    private var named: String {
        [input.entry.map { _ in "the entry" }, input.app.map { _ in "the app" }, input.url.map { _ in "the URL" }]
            .compactMap(\.self).joined(separator: ", ")
    }

    private var request: CheckRequest {
        var request = CheckRequest()
        request.apps = [input.app].compactMap(\.self)
        request.androidApps = [input.androidApp].compactMap(\.self)
        request.entries = [input.entry].compactMap(\.self).map { CheckRequest.Entry($0, source: "the entry") }
        request.linkTests = input.tests.map { LinkTests($0, name: "the URL tests", workLimit: Self.workLimit) }
        // The host of a pasted file is unknown, so the entry must cover the URL's host.
        if input.entry != nil { request.domain = input.url?.host }
        return request
    }

    private func siteReport(_ site: SiteTarget) -> Report {
        var request = request
        request.domain = nil
        let fetches = recent ?? self.fetches(of: site)
        if recent == nil { sites?.keep(fetches, of: input) }
        var checker = Checker(request, at: now)
        // This server signs its own files with its development CA.
        checker.ownRoots = roots
        let report = checker.check(fetches: fetches, site: site.text, host: site.host)
        return sites == nil ? report : report.withoutOtherPages
    }

    private func fetches(of site: SiteTarget) -> [FileFetch] {
        var options = Fetcher.Options()
        options.deadline = Self.fetchDeadline
        if sites != nil { options.permits = { $0.isPublic && $0.port == 443 } }
        do {
            let verifier = try ChainVerifier(systemAnd: roots, at: now)
            return site.fetches(
                Fetcher(options), verifier: verifier, within: Self.fetchDeadline,
                redirects: sites == nil ? Checker.maximumRedirects : SiteFetches.maximumRedirects)
        } catch {
            // Without trust anchors, the checker cannot verify certificates. The report treats the site as unreachable.
            return []
        }
    }
}

extension CheckView.Facts {
    /// The meaning of an entry; nil if a device drops the entry.
    fileprivate init?(entry text: String) {
        guard let entry = try? AssociatedDomain(text) else { return nil }
        let subdomains = "every subdomain of \(entry.host); on iOS 14 and later, also \(entry.host) itself"
        let lines: [(name: String, text: String?)] = [
            ("Service", "\(entry.service.rawValue): \(entry.service.meaning)"),
            ("Hosts", entry.isWildcard ? subdomains : entry.host), ("Port", entry.port.map { "\($0)" }),
            ("File", "https://\(entry.fileAuthority)\(FilePath.wellKnown.text)"), ("Fetched by", Self.fetcher(entry)),
        ]
        self.init(
            title: "What the entry means",
            lines: lines.compactMap { name, text in text.map { CheckView.Line(name: name, text: $0.shortened) } })
    }

    private static func fetcher(_ entry: AssociatedDomain) -> String {
        switch (entry.modes.contains(.developer), entry.modes.contains(.managed)) {
        case (true, true): "the device itself, if managed and in developer mode; other devices ignore the entry"
        case (true, false): "the device itself, in developer mode; other devices ignore the entry"
        case (false, true): "the device itself, if managed; other devices ignore the entry"
        case (false, false): "Apple's CDN on iOS 14 and later; the device itself on earlier systems"
        }
    }
}
