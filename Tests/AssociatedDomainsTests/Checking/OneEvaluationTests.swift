import Accounts
import ArgumentParser
import Certificates
import Foundation
import HTTPSClient
import MotivatorHTTP
import MotivatorPlatform
import MotivatorTLS
import TestSupport
import Testing

@testable import AssociatedDomains
@testable import AssociationChecker
@testable import Faults
@testable import Inspector
@testable import MotivatorServer
@testable import SharedWebCredentials
@testable import UltraMotivator
@testable import WebChecker
@testable import motivator

/// Each command must give the same verdict on a file, with the same code and the same cause.
@Suite("One evaluation") struct OneEvaluationTests {
    private static let now: UnixTime = 1_800_000_000
    private static let host = "example.com"

    struct Case: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    /// The verdict on a file, and the issue that decides it.
    struct Outcome: Equatable, CustomStringConvertible {
        let verdict: Verdict
        let code: String?
        let message: String?

        init(_ report: Report, _ profile: Profile = .device) {
            verdict = report.verdict(profile)
            let cause = verdict == .associated ? nil : report.causes[profile]
            (code, message) = (cause?.code, cause?.message)
        }

        var description: String { "\(verdict.rawValue) [\(code ?? "")] \(message ?? "")" }
    }

    // MARK: Files

    /// The files of the test tables, of the hosts that are broken on purpose, and of the corpus.
    ///
    /// `ASSOCIATION_CORPUS` names the folder of the corpus. Without it, the corpus is empty.
    private static func files() async throws -> [Case] { try await loaded.value }

    /// One file for each code that denies a file, and one that a device accepts.
    private static func filesByCode() async throws -> [Case] {
        var codes: Set<String?> = []
        return try await files().filter { codes.insert(Outcome(report($0.bytes, domain: host)).code).inserted }
    }

    private static let loaded = Task {
        let tables = (FileCases.all + LinkCases.all).compactMap { check in
            check.file.map { Case(name: check.name, bytes: $0) }
        }
        return try await tables + more + faults() + corpus()
    }

    private static let more = [
        ("an empty apps array", #"{"webcredentials":{"apps":[]}}"#),
        ("a byte order mark before links", "\u{FEFF}" + #"{"applinks":{"details":[{"appIDs":["\#(demoApp)"]}]}}"#),
        (
            "a rule that matches, for no valid app",
            #"{"applinks":{"details":[{"appIDs":["D3KQX62K1A.*"],"components":[{"/":"*"}]}]}}"#
        ),
        ("a comment behind an empty service", "{\"webcredentials\": {}}\n// why\n"),
    ].map { Case(name: $0.0, bytes: Array($0.1.utf8)) }

    private static func faults() async throws -> [Case] {
        let bench = try EvaluationBench()
        let authority = try Certificates.Authority.temporary(permitted: [host])
        let stranger = try Workshop.makeStranger(now)
        var cases: [Case] = []
        for fault in FaultHost.file {
            let workshop = Workshop(
                host: fault.host(on: host), domain: host, port: 443, now: now, authority: authority,
                stranger: stranger, tickets: TicketKeys(), counters: RequestCounters(), accounts: bench.accounts,
                file: try .demo(at: now))
            let broken = try fault.build(workshop)
            let content = try #require(broken.replies[FilePath.wellKnown.text]).content
            cases.append(Case(name: "fault: \(fault.name)", bytes: content))
        }
        return cases
    }

    private static func corpus() throws -> [Case] {
        guard let folder = ProcessInfo.processInfo.environment["ASSOCIATION_CORPUS"] else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.hasSuffix(".json") || $0.hasSuffix(".der") }
            .map { Case(name: "corpus: \($0)", bytes: try File.read("\(folder)/\($0)", limit: 1 << 20)) }
    }

    /// Returns the report of `check` on a file that belongs to Apple's devices.
    private static func report(_ bytes: [UInt8], domain: String? = nil) -> Report {
        var request = CheckRequest()
        request.format = .apple
        request.domain = domain
        return Checker(request, at: now).check(file: bytes, name: "site.json")
    }

    // MARK: Commands

    @Test("A site with the file gets the verdict of the file")
    func site() async throws {
        for file in try await Self.files() {
            let step = try SiteBuilder.step(SiteBuilder.wellKnown, SiteBuilder.json, file.bytes)
            let report = Checker(CheckRequest(), at: Self.now).check(
                fetches: [FileFetch(path: .wellKnown, steps: [step])], site: Self.host, host: Self.host)
            let expected = Self.report(file.bytes, domain: Self.host)
            #expect(Outcome(report) == Outcome(expected), "\(file.name)")
            let changes = Comparison(expected, report).changes.filter { $0.subject == Profile.device.rawValue }
            #expect(changes.isEmpty, "\(file.name): compare")
        }
    }

    @Test("The page /check and the API give the verdict of check, and no denied file opens an app")
    func page() async throws {
        for file in try await Self.files() {
            let expected = Checker(CheckRequest(), at: Self.now).check(file: file.bytes, name: "site.json")
            let data = "data:application/octet-stream;base64," + Data(file.bytes).base64EncodedString()
            var form = CheckForm(file: data, url: "https://\(Self.host)/buy/42")
            let parsed = form.input()
            let input = try #require(parsed, "\(file.name)")
            let run = CheckRun(input: input, roots: [], now: Self.now)
            let report = try #require(run.report)
            #expect(Outcome(report) == Outcome(expected), "\(file.name)")
            let view = run.view
            let verdict = expected.verdict(.device)
            #expect(view.verdicts.first?.kind == verdict.rawValue, "\(file.name)")
            #expect(verdict == .associated || view.banner?.kind == verdict.rawValue, "\(file.name)")
            let profiles = expected.assetLinks == nil ? CheckView.profiles : Profile.ofAndroid
            #expect(view.issues.first?.code == expected.issues(in: profiles).first?.code, "\(file.name)")
            #expect(verdict == .associated || view.match?.outcome != "matched", "\(file.name)")
        }
    }

    @Test("The label of an issue and the count in the conclusion are for the same profile")
    func labels() throws {
        let tables = [FileCases.all, LinkCases.all, SignatureCases.all, EntitlementCases.all, SiteCases.all]
        for check in tables.joined() {
            let report = try check.report()
            for profiles in [[Profile.device, .documented], [.documented], [.ios9], [.ios8]] {
                let lines = ReportText(report, profiles: profiles).text.split(separator: "\n")
                for severity in [Severity.error, .warning] {
                    let labels = lines.count { $0.hasPrefix("\(severity.rawValue)[") }
                    let count = report.issues.count { $0.severity(in: profiles[0]) == severity }
                    #expect(labels == count, "\(check.name): \(severity) in \(profiles[0])")
                }
            }
        }
    }

    @Test("serve warns with the issue and serves the file; --strict refuses it")
    func serve() async throws {
        let bench = try EvaluationBench()
        for file in try await Self.files() {
            let path = try bench.directory.write(file.bytes, to: "site.json")
            try verifyServing(file) { try bench.demo(.file(path), $0) }
        }
    }

    @Test("serve --site warns with the issue and serves the file; --strict refuses it")
    func serveFolder() async throws {
        let bench = try EvaluationBench()
        for file in try await Self.filesByCode() {
            try bench.directory.write(file.bytes, to: "site/.well-known/apple-app-site-association")
            let folder = SiteFolder(host: Self.host, folder: bench.directory.file("site"))
            try verifyServing(file) { log in
                var demo = try bench.demo(.apps([try AppIdentifier(demoApp)]), log)
                demo.domains = ["one.test"]
                demo.folders = [folder]
                return demo
            }
        }
    }

    private func verifyServing(_ file: Case, _ make: (RecordingLog) throws -> Demo) throws {
        let expected = Outcome(Self.report(file.bytes, domain: Self.host))
        let log = RecordingLog()
        let demo = try make(log)
        var strict = demo
        strict.isStrict = true
        let snapshot: ServerSnapshot
        // Strict mode serves an accepted file like the default mode.
        let loaded = expected.code == nil ? strict : demo
        do { snapshot = try loaded.load(port: 8443, now: Self.now).snapshot } catch {
            Testing.Issue.record("\(file.name): serve refuses the file: \(error)")
            return
        }
        let head = try EvaluationBench.head("/.well-known/apple-app-site-association")
        var route = 0
        guard case .representation(let served) = snapshot.router.decide(head, &route) else {
            Testing.Issue.record("\(file.name): no file")
            return
        }
        let selection = served.select(for: head, now: 0)
        #expect(Array(selection.content[selection.range]) == file.bytes, "\(file.name)")
        guard let code = expected.code, let message = expected.message?.clause else {
            #expect(!log.lines.contains { $0.contains("a device denies") }, "\(file.name): \(log.lines)")
            return
        }
        let lines = log.lines.filter { $0.contains("[\(code)]") && $0.contains(message) }
        #expect(lines.count == 1 && lines[0].hasPrefix("warning: "), "\(file.name): \(log.lines)")
        let error = #expect(throws: (any Error).self, "\(file.name)") { try strict.load(port: 8443, now: Self.now) }
        let explained = error as? any ExplainedError
        #expect(explained?.exitCode == .configuration, "\(file.name): \(explained?.problem ?? "")")
        #expect(explained?.problem.contains("[\(code)]") == true, "\(file.name): \(explained?.problem ?? "")")
    }

    @Test("sign refuses a file that a device denies, with the same issue, and --force signs it")
    func sign() async throws {
        let bench = try EvaluationBench()
        let identity = try Certificates.Authority.temporary(permitted: [Self.host]).issue(hosts: [Self.host])
        let certificate = try bench.directory.write(identity.certificate.pem, to: "site.pem")
        let key = try bench.directory.write(identity.key.pem, to: "site.key", mode: 0o600)
        for file in try await Self.files() {
            let path = try bench.directory.write(file.bytes, to: "site.json")
            let output = bench.directory.file("signed")
            let words = [path, "--certificate", certificate, "--key", key, "--output", output]
            let command = try AssociationCommand.Sign.parse(words)
            try AssociationCommand.Sign.parse(words + ["--force"]).run()
            // The signature of an accepted file can exceed the limit.
            let isTooLarge = try bench.directory.read("signed").count > AssociationFile.maximumSize
            let expected = Outcome(Self.report(file.bytes))
            guard let code = expected.code ?? (isTooLarge ? "file-too-large" : nil) else {
                #expect(throws: Never.self, "\(file.name)") { try command.run() }
                continue
            }
            let error = #expect(throws: (any Error).self, "\(file.name)") { try command.run() }
            let explained = error as? any ExplainedError
            #expect(explained?.exitCode == .badInput, "\(file.name)")
            #expect(explained?.problem.contains("[\(code)]") == true, "\(file.name): \(explained?.problem ?? "")")
        }
    }

    @Test("The inspector gives the verdict and the code of check")
    func inspector() async throws {
        for file in try await Self.files() {
            let expected = Outcome(Self.report(file.bytes))
            let path = FilePath.wellKnown.text
            let recorder = TrafficRecorder(limit: 1, keptPaths: [path])
            recorder.makeLane().record(
                Peer(address: SiteBuilder.publicAddress, tlsVersion: "TLSv1.3"), try EvaluationBench.head(path),
                time: Self.now * 1_000, duration: 0, status: 200, bytes: file.bytes.count, content: file.bytes)
            let conclusion = try #require(InspectedEntry(recorder.entries().entries[0], trust: nil).conclusion?.text)
            if let code = expected.code {
                #expect(conclusion.hasPrefix("A device denies this"), "\(file.name): \(conclusion)")
                #expect(conclusion.contains("[\(code)]"), "\(file.name): \(conclusion)")
            } else {
                #expect(conclusion.hasPrefix("A device accepts this"), "\(file.name): \(conclusion)")
            }
        }
    }

    @Test("A device approves what check associates, and denies with the same code and cause", arguments: [false, true])
    func device(isWildcard: Bool) async throws {
        let app = try AppIdentifier(demoApp)
        for file in try await isWildcard ? Self.filesByCode() : Self.files() {
            // The services of the file, and one that most files do not have.
            let services = AssociationFile(file.bytes, name: "", at: Self.now).services
            for service in Set(services + [.webcredentials, .applinks]) {
                let entry = try AssociatedDomain("\(service.rawValue):\(isWildcard ? "*." : "")\(Self.host)")
                let site = isWildcard ? "www.\(Self.host)" : Self.host
                var request = CheckRequest()
                request.apps = [app]
                request.service = service
                request.entries = [CheckRequest.Entry("\(entry)")]
                let fetches = try [SiteBuilder.wellKnown, SiteBuilder.root].map { url in
                    FileFetch(
                        path: url == SiteBuilder.root ? .root : .wellKnown,
                        steps: [try SiteBuilder.step(url, SiteBuilder.json, file.bytes)], entries: [entry])
                }
                let report = Checker(request, at: Self.now).check(fetches: fetches, site: site, host: site)
                // A profile that does not know the service has no verdict on it.
                for system in DeviceSystem.allCases where system.ofSites.knows(service) {
                    let expected = Outcome(report, system.ofSites)
                    let requested = fetches.filter { $0.path.isRequested(by: system.ofSites) }.prefix(1)
                    let network = HTTPSAssociationSource(system)
                    let response = network.response(
                        to: Array(requested), from: try network.site(of: entry), for: entry, app, Self.now)
                    var record = AssociationRecord(app: app, appVersion: "1", entry: entry)
                    record.update(response, at: Self.now, system, isByCall: false)
                    let name = "\(file.name): \(entry) on \(system)"
                    #expect((record.siteApproval == .approved) == (expected.verdict == .associated), "\(name)")
                    #expect(record.failure?.code == expected.code, "\(name)")
                    #expect(record.failure?.message == expected.message?.clause, "\(name)")
                }
            }
        }
    }
}

/// A demo with its files in a temporary directory.
private final class EvaluationBench: Sendable {
    let directory: TemporaryDirectory
    let accounts: Accounts

    init() throws {
        directory = try TemporaryDirectory()
        var options = AccountOptions()
        options.scrypt = try ScryptParameters(log2N: 4, r: 8, p: 1)
        accounts = Accounts(
            store: try SQLiteStore.open(path: directory.file("data/accounts.sqlite")), options: options,
            clock: .system, log: RecordingLog.silent)
    }

    func demo(_ association: Demo.Association, _ log: RecordingLog) throws -> Demo {
        Demo(
            domains: ["example.com"], aliases: [], association: association, format: .plain,
            certificates: .authority(folder: directory.file("certs")), publicFolder: nil, servesEcho: false,
            accounts: accounts, log: log.logger)
    }

    static func head(_ target: String) throws -> RequestHead {
        var parser = RequestParser()
        Array("GET \(target) HTTP/1.1\r\nHost: example.com\r\n\r\n".utf8).withFieldBytes { parser.append($0) }
        guard parser.next() == .head else { throw AppIdentifier.Malformed.empty }
        return parser.head
    }
}
