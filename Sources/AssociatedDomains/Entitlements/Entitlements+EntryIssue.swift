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
            case missingKey
            case misspeltKey
            case notAnArray
            case notAString
            case noEntry
            case buildSetting
            case identifierNotAString
            case malformedIdentifier
            case profile
            case informationList
            /// A provisioning profile that permits every domain. The entries are in the signature of the app.
            case anyDomain
            case notPermitted
            case unreadableProfile
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
        (self.kind, self.location) = (kind, location)
        (self.problem, self.fix) = (problem, fix)
    }

    /// The issue without its location, for a list inside a binary file.
    var withoutLocation: Self { Self(kind, problem, fix: fix) }

    static let notPermitted = Self(
        .notPermitted,
        "the provisioning profile does not permit associated domains: \"\(Entitlements.key)\" is missing or lists no "
            + "domain", fix: "Enable the Associated Domains capability for the App ID, and create the profile again")
}

extension Entitlements.EntryIssue: CatalogIssue {
    package static let title = "Entitlement"
    package static let examples = [Self(.buildSetting, "a", fix: "a"), .notPermitted]

    /// Whether the issue is with the provisioning profile, which applies to all entries.
    package var isOfProfile: Bool { [.notPermitted, .anyDomain, .unreadableProfile].contains(kind) }

    package var entry: CatalogEntry {
        guard !isOfProfile else {
            return .init(
                "entitlement-profile", "The provisioning profile of the app permits associated domains.",
                because: "A device refuses to install an app with an entitlement that its profile does not permit. "
                    + "The app's signature contains the entries.",
                kind == .notPermitted ? .all(.denial) : .all(.warning),
                .entitlement, example: "a profile without com.apple.developer.associated-domains",
                fixed: "a profile with com.apple.developer.associated-domains", problem: problem, fix: fix)
        }
        let isOfValue = [.duplicate, .buildSetting, .identifierNotAString, .malformedIdentifier].contains(kind)
        return .init(
            "entitlement-list",
            "The entitlements contain an array of strings under com.apple.developer.associated-domains.",
            because: "The device reads only this array. An app without an entry has no associated domains.",
            isOfValue ? .all(.warning) : .all(.denial), .entitlement, example: "<dict/>",
            fixed: "<dict><key>com.apple.developer.associated-domains</key><array>"
                + "<string>webcredentials:example.com</string></array></dict>", problem: problem, fix: fix)
    }
}
