import AssociatedDomains
import AssociationChecker
import Certificates
import HTTPSClient
import Platform

/// Carries out what is asked at `/check`. It takes long or blocks: it is for a queue of its own.
struct CheckRun: Sendable {
    /// Seconds that a site has for each of its places, redirects included.
    static let fetchDeadline = 10
    /// What the pasted file is called in issues.
    private static let pasted = "the pasted file"

    let question: CheckQuestion
    /// Roots that are trusted beside the system's.
    let roots: [Certificate]
    let now: UnixTime

    /// The result.
    var view: CheckView {
        var view = CheckView()
        if let entry = question.entry { view.entry = EntryLines(entry).lines }
        if let file = question.file {
            add(fileReport(file), to: &view)
        } else if let site = question.site {
            add(siteReport(site), to: &view)
        } else {
            addWithoutFile(to: &view)
        }
        return view
    }

    private func add(_ report: Report, to view: inout CheckView) {
        view.target = report.target.shortened
        view.add(report)
        if let url = question.url { view.match = MatchView(url, app: question.app, in: report) }
    }

    /// What can be said of the other fields by themselves.
    private func addWithoutFile(to view: inout CheckView) {
        let named = [
            question.entry.map { _ in "the entry" }, question.app.map { _ in "the app" },
            question.url.map { _ in "the URL" },
        ]
        view.target = named.compactMap(\.self).joined(separator: ", ")
        if question.entry != nil {
            view.add(entry: Checker(asked, at: now).checkEntries(name: view.target))
        }
        if let app = question.app {
            view.app = [
                .init(name: "App ID prefix", text: app.prefix),
                .init(name: "Bundle identifier", text: app.bundleIdentifier.shortened),
            ]
            view.appSnippet = "{\"webcredentials\":{\"apps\":[\"\(app.description.shortened)\"]}}"
        }
        if let url = question.url {
            let host = url.host.contains(":") ? "[\(url.host)]" : url.host
            let authority = host + (url.port.map { ":\($0)" } ?? "")
            view.url = [
                .init(name: "Host", text: host), .init(name: "Path", text: url.path.isEmpty ? "/" : url.path.shortened),
                .init(name: "Query", text: url.query?.shortened ?? "none"),
                .init(name: "Fragment", text: url.fragment?.shortened ?? "none"),
                .init(name: "Entry of the app", text: "applinks:\(authority)"),
                .init(name: "File with the rules", text: "https://\(authority)\(FilePath.wellKnown.text)"),
            ]
            view.hints.append("To learn which rule is about the URL, paste the file too.")
        }
    }

    private var asked: CheckRequest {
        var asked = CheckRequest()
        asked.apps = [question.app].compactMap(\.self)
        asked.entries = [question.entry].compactMap(\.self).map { CheckRequest.Entry($0, source: "the entry") }
        // Which host the file is for is not known; the entry has to be about the one whose URL is to be opened.
        if question.entry != nil { asked.domain = question.url?.host }
        return asked
    }

    private func fileReport(_ file: [UInt8]) -> Report {
        Checker(asked, at: now).check(file: PastedText(file).bytes, name: Self.pasted)
    }

    private func siteReport(_ site: SiteTarget) -> Report {
        var asked = asked
        asked.domain = nil
        var options = Fetcher.Options()
        options.deadline = Self.fetchDeadline
        let fetches: [FileFetch]
        do {
            let judge = try ChainVerifier(systemAnd: roots, at: now)
            fetches = site.fetches(Fetcher(options), judge: judge, within: Self.fetchDeadline)
        } catch {
            // Without trust anchors nothing can be judged; the report then says that nothing came.
            fetches = []
        }
        let report = Checker(asked, at: now).check(fetches: fetches, site: site.text, host: site.host)
        guard !roots.isEmpty, report.hasUntrustedSigner else { return report }
        // Its own signed files are signed below its own authority.
        let other = Checker(asked, trust: roots, at: now).check(fetches: fetches, site: site.text, host: site.host)
        return other.hasUntrustedSigner ? report : other
    }
}

extension Report {
    fileprivate var hasUntrustedSigner: Bool {
        issues.contains { ["signer-untrusted", "signer-incomplete-chain", "signer-self-signed"].contains($0.code) }
    }
}

/// What is to be checked of a text that was pasted.
struct PastedText {
    let bytes: [UInt8]

    /// - Parameter text: the text as it was pasted.
    ///
    /// The base64 of a signed file, with the lines around it or without, is taken for the PEM form, in which it can only
    /// have come here.
    init(_ text: [UInt8]) {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let trimmed = text.drop(while: isBlank)
        let begin = Array("-----BEGIN ".utf8)
        if trimmed.starts(with: begin) {
            bytes = Array(trimmed)
        } else if trimmed.starts(with: Array("MI".utf8)), trimmed.count > 64,
            trimmed.allSatisfy({ isBlank($0) || PastedText.isBase64($0) })
        {
            bytes = begin + Array("CMS-----\n".utf8) + trimmed
        } else {
            bytes = text
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): true
        case _: false
        }
    }
}

/// What an entry means that a device takes.
struct EntryLines {
    private(set) var lines: [CheckView.Line] = []

    /// - Parameter text: the entry; one that a device drops has no meaning.
    init(_ text: String) {
        guard let entry = try? AssociatedDomain(text) else { return }
        add("Service", "\(entry.service.rawValue): \(entry.service.meaning)")
        add(
            "Hosts",
            entry.isWildcard
                ? "every host below \(entry.host), and on devices since iOS 14 \(entry.host) itself" : entry.host)
        if let port = entry.port { add("Port", "\(port)") }
        add("File", "https://\(entry.fileAuthority)\(FilePath.wellKnown.text)")
        add("Who asks for it", EntryLines.asker(entry))
    }

    private mutating func add(_ name: String, _ text: String) {
        lines.append(.init(name: name, text: text.shortened))
    }

    private static func asker(_ entry: AssociatedDomain) -> String {
        switch (entry.modes.contains(.developer), entry.modes.contains(.managed)) {
        case (true, true): "the device itself, in developer mode or under management; no other device takes the entry"
        case (true, false): "the device itself, in developer mode; no other device takes the entry"
        case (false, true): "the device itself, under management; no other device takes the entry"
        case (false, false): "Apple’s CDN since iOS 14, before that the device itself"
        }
    }
}
