package import AssociationDiagnostics
import MotivatorPlatform
public import SourceJSON

extension Entitlements {
    /// An issue with the property list as a whole, not with a single entry.
    public struct EntryIssue: Hashable, Sendable {
        /// The kinds of issues.
        public enum Kind: String, CaseIterable, Sendable {
            /// Two entries that a device does not distinguish.
            case duplicate
            case missingKey, misspeltKey, notAnArray, notAString, noEntry, buildSetting, malformedIdentifier
            case profile, informationList
            /// A provisioning profile that permits every domain. The entries are in the signature of the app.
            case anyDomain
            case notPermitted, unreadableProfile
        }

        /// The kind of issue.
        public let kind: Kind
        /// The location in an XML list, or nil for the whole list or a binary list.
        public let location: SourceLocation?
        /// The problem, with the value that causes it, without a full stop.
        public let problem: String
        /// The fix, without a full stop.
        public let fix: String
    }
}

extension Entitlements.EntryIssue {
    static let builtApp = "Use the entitlements of the built app: codesign -d --entitlements - --xml APP"

    init(_ kind: Kind, at location: SourceLocation? = nil, _ problem: String, fix: String) {
        (self.kind, self.location, self.problem, self.fix) = (kind, location, problem, fix)
    }

    /// The issue without its location, for a list inside a binary file.
    var withoutLocation: Self { Self(kind, problem, fix: fix) }

    static let notPermitted = Self(
        .notPermitted,
        "the provisioning profile does not permit associated domains: \"\(Entitlements.key)\" is missing or lists no "
            + "domain", fix: "Enable the Associated Domains capability for the App ID, and create the profile again")
}

extension Entitlements.EntryIssue: CatalogIssue {
    package static let examples = [Self(.buildSetting, "a", fix: "a"), .notPermitted]

    /// Whether the issue is with the provisioning profile, which applies to all entries.
    package var isOfProfile: Bool { [.notPermitted, .anyDomain, .unreadableProfile].contains(kind) }

    package var entry: CatalogEntry {
        guard !isOfProfile else {
            return .init(
                "entitlement-profile", "The provisioning profile of the app permits associated domains.",
                because: "A device refuses to install an app with an entitlement that its profile does not permit. "
                    + "The app's signature contains the entries.",
                .all(kind == .notPermitted ? .denial : kind == .anyDomain ? .note : .warning),
                .entitlement, example: "a profile without com.apple.developer.associated-domains",
                fixed: "a profile with com.apple.developer.associated-domains", problem: problem, fix: fix)
        }
        let isOfValue = [.duplicate, .buildSetting, .malformedIdentifier].contains(kind)
        return .init(
            "entitlement-list",
            "The entitlements contain an array of strings under com.apple.developer.associated-domains.",
            because: "The device reads only this array. An app without an entry has no associated domains.",
            isOfValue ? .all(.warning) : .all(.denial), .entitlement, example: "<dict/>",
            fixed: "<dict><key>com.apple.developer.associated-domains</key><array>"
                + "<string>webcredentials:example.com</string></array></dict>", problem: problem, fix: fix)
    }
}

/// Reads the associated domains from a property list and reports the issues in the list.
struct EntitlementsReader {
    typealias EntryIssue = Entitlements.EntryIssue

    private(set) var result = Entitlements()
    private static let key = "\"\(Entitlements.key)\""
    private var list: PropertyList
    private let isProfile: Bool

    init(_ list: PropertyList) throws(Entitlements.Failure) {
        self.list = list
        isProfile = false
        for key in [Entitlements.key] + Entitlements.identifierKeys {
            guard let second = self.list.location(ofKey: key, number: 1) else { continue }
            throw .duplicateKey(second, key: key)
        }
        result.applicationIdentifier = Self.identifier(in: list.root)
        result.isForDistribution = list.root["get-task-allow"] as? Bool == false
        if list.root.keys.contains(where: { $0.hasPrefix("CFBundle") }) {
            report(
                .informationList, "this is an Info.plist, not the entitlements of an app",
                fix:
                    "Add the Associated Domains capability to the app's target, and use its .entitlements file, or the "
                    + "built app")
        } else if let value = list.root[Entitlements.key] {
            read(value)
        } else {
            reportMissingKey()
        }
        reportEntries()
    }

    /// Reads the entitlements that a provisioning profile permits.
    init(profile permitted: [String: Any]) {
        list = PropertyList(root: permitted)
        isProfile = true
        result.applicationIdentifier = Self.identifier(in: permitted)
        if let value = permitted[Entitlements.key] { readPermitted(value) } else { result.issues.append(.notPermitted) }
        reportEntries()
    }

    private mutating func readPermitted(_ value: Any) {
        result.permitsAnyDomain = value as? String == "*" || value as? [String] == ["*"]
        guard result.permitsAnyDomain else { return read(value) }
        report(
            .anyDomain,
            "the provisioning profile permits every associated domain (\"*\"); the signature of the app contains the "
                + "entries",
            fix: "The profile is sufficient. To compare the entries with the site, specify the signed app")
    }

    private static func identifier(in list: [String: Any]) -> String? {
        Entitlements.identifierKeys.lazy.compactMap { list[$0] as? String }.first
    }

    private mutating func read(_ value: Any) {
        guard let elements = value as? [Any] else {
            let text = value as? String
            return report(
                .notAnArray, at: list.location(ofKey: Entitlements.key),
                "the value of \(Self.key) is \(text?.excerpt ?? PropertyList.kind(of: value)), not an array of strings",
                fix: text == "*"
                    ? "Use the entitlements of the app; a provisioning profile does not list the app's domains"
                    : "Put the entries into an <array>, each in its own <string>")
        }
        let locations = list.locations(ofStrings: elements.compactMap { $0 as? String }, in: Entitlements.key)
        for (index, element) in elements.enumerated() {
            guard let text = element as? String else {
                let found = PropertyList.kind(of: element)
                report(
                    .notAString, "element \(index + 1) of \(Self.key) is \(found), not a string",
                    fix: "Write the entry as <string>webcredentials:example.com</string>")
                continue
            }
            let domain = Result { () throws(AssociatedDomain.Malformed) in try AssociatedDomain(text) }
            let location = result.entries.count < locations.count ? locations[result.entries.count] : nil
            result.entries.append(Entitlements.Entry(text: text, location: location, domain: domain))
        }
        if elements.isEmpty {
            report(
                .noEntry, at: list.location(ofKey: Entitlements.key),
                "the array of \(Self.key) is empty, so the app has no associated domains",
                fix: "Add entries, such as <string>webcredentials:example.com</string>")
        }
    }

    /// Reports one issue that explains the missing key, based on the probable kind of file.
    private mutating func reportMissingKey() {
        let keys = list.root.keys.sorted()
        let near = keys.first { key in
            if key == "\(Entitlements.key).mdm-managed" { return false }
            return key.nearest(of: [Entitlements.key, "associateddomains", "associateddomain"], within: 4) != nil
                || (key.utf8.count <= 128 && HostText.lowered(key).contains("associated-domain"))
        }
        if let near {
            report(
                .misspeltKey, at: list.location(ofKey: near),
                "the key \(near.excerpt) is not the associated domains key; a device ignores it",
                fix: "Rename it to \(Entitlements.key)")
        } else if keys.contains("Entitlements") || keys.contains("TeamIdentifier") {
            report(.profile, "this is a provisioning profile, not the entitlements of an app", fix: EntryIssue.builtApp)
        } else {
            report(
                .missingKey, "the key \(Self.key) is missing, so the app has no associated domains",
                fix: "Add the Associated Domains capability to the app's target in Xcode, with an entry such as "
                    + "webcredentials:example.com")
        }
    }

    private mutating func reportEntries() {
        // A device does not distinguish entries with the same description.
        var known: [String: Int] = [:]
        for (index, entry) in result.entries.enumerated() {
            let text = (try? entry.domain.get().description) ?? entry.text
            guard let earlier = known[text] else {
                known[text] = index
                continue
            }
            report(
                .duplicate, at: entry.location,
                "entry \(index + 1), \(entry.text.excerpt), is the same as entry \(earlier + 1)",
                fix: "Remove one of the two entries")
        }
        // An entry with a build setting has its own issue.
        if let text = result.applicationIdentifier, text.contains("$(") || text.contains("${") {
            report(
                .buildSetting,
                "\(text.excerpt) contains a build setting that Xcode replaces only when it builds the app",
                fix: EntryIssue.builtApp)
        }
        // The identifier in a profile may end with a wildcard.
        let isWildcard = isProfile && result.applicationIdentifier?.hasSuffix(".*") == true
        if let identifier = result.applicationIdentifier, !identifier.contains("$"), !isWildcard {
            do { _ = try AppIdentifier(identifier) } catch {
                report(.malformedIdentifier, error.problem, fix: error.fix)
            }
        }
    }

    private mutating func report(
        _ kind: EntryIssue.Kind, at location: SourceLocation? = nil, _ problem: String, fix: String
    ) {
        result.issues.append(EntryIssue(kind, at: location, problem, fix: fix))
    }
}
