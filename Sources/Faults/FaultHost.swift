import AssociationChecker
package import AssociationDiagnostics
import MotivatorPlatform

/// A host that is broken on purpose: it serves the association file with one fault.
package struct FaultHost: Sendable {
    package enum Group: String, Sendable, CaseIterable {
        case tls = "TLS"
        case http = "HTTP"
        case file = "File"
        case signature = "Signature"
        case links = "Links"
        case android = "Android"

        /// The format of `/faults.json` that first contained the group.
        var since: Int { self == .links || self == .android ? 2 : 1 }
    }

    package struct Link: Sendable {
        package enum Result: String, Sendable {
            case app, other, browser
            /// No source settles the result.
            case unproven
        }

        /// The path, the query and the fragment.
        package let target: String
        package let result: Result

        /// - Parameter text: the target, a space, and the result; `?` means unproven.
        init(_ text: String) {
            let words = text.split(separator: " ")
            target = String(words.first ?? "")
            result = words.last.flatMap { Result(rawValue: String($0)) } ?? .unproven
        }
    }

    /// A device's expected verdict on the app and the host.
    package enum Expectation: String, Sendable {
        case associated, denied, retry
        /// No source settles the verdict. A checker may report any verdict, but must mark it as unproven.
        case unproven
    }

    package let name: String
    package let group: Group
    package let summary: String
    /// The expected verdicts, in the order of `Profile.allCases`. Only the first two profiles apply to Android.
    private let verdicts: [Expectation]
    /// The results of URLs on iOS 14 and later.
    package let links: [Link]
    /// The codes that the checker reports for the host, sorted.
    package let issues: [String]
    package let note: String?
    /// The source of the verdicts or of the results of URLs.
    package let source: Source?
    let build: @Sendable (Workshop) throws -> BrokenHost

    /// - Parameters:
    ///   - verdicts: the verdicts for the profiles device, documented, ios9 and ios8, each as one letter: A
    ///     (associated), D (denied), R (a device retries) or ? (unproven).
    ///   - issues: the codes, sorted and separated by spaces.
    ///   - source: the source of the verdicts; nil if it is the source of the first issue.
    init(
        _ group: Group, _ name: String, _ summary: String, _ verdicts: String, _ issues: String, note: String? = nil,
        source: Source? = nil, links: [String] = [], build: @escaping @Sendable (Workshop) throws -> BrokenHost
    ) {
        (self.group, self.name, self.summary) = (group, name, summary)
        let meanings: [Character: Expectation] = ["A": .associated, "D": .denied, "R": .retry]
        self.verdicts = verdicts.map { meanings[$0] ?? .unproven }
        self.issues = issues.split(separator: " ").map(String.init)
        (self.note, self.links, self.build) = (note, links.map(Link.init), build)
        self.source = source ?? self.issues.first.flatMap { Diagnostic.named($0)?.source }
    }

    /// Returns the expected verdict, or nil if the profile does not apply to the host.
    package func verdict(_ profile: Profile) -> Expectation? {
        zip(Profile.allCases, verdicts).first { $0.0 == profile }?.1
    }

    package func host(on domain: String) -> String { "\(name).faults.\(domain)" }

    /// All hosts, in the order of the documentation.
    package static let all = tls + http + file + signature + universalLinks + android

    /// The hosts whose file has one mistake in the rules of its links. The mistake does not affect passwords.
    ///
    /// The rules in the table are the components of a detail for the app, or the content of `applinks`. APP and OTHER
    /// are the apps.
    static let universalLinks = PackageResources.links_tsv.tableRows.map { row in
        let sources = ["applinks": Source.applinks, "appSearch": .appSearch, "observed": .observed]
        return FaultHost(
            .links, row[0], row[5], "AAAA", row[2], source: sources[row[1]],
            links: row[4].split(separator: ", ").map(String.init)
        ) { shop in
            let isWhole = ["{\"details\"", "{\"defaults\"", "{\"substitutionVariables\""].contains(
                where: row[3].hasPrefix)
            let rules = isWhole ? row[3] : #"{"details": [{"appIDs": ["APP"], "components": [\#(row[3])]}]}"#
            let named = rules.replacing("APP", with: "\(shop.file.app)").replacing("OTHER", with: shop.file.other)
            return try shop.content(shop.file.replacing(applinks: named))
        }
    }
}
