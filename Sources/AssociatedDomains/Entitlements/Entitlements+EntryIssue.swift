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
            /// An array without a string.
            case noEntry
            /// An Xcode variable that was not replaced.
            case buildSetting
            case identifierNotAString
            case malformedIdentifier
            /// A provisioning profile instead of entitlements.
            case profile
            /// An Info.plist instead of entitlements.
            case informationList
            /// A provisioning profile that permits every domain. The entries are in the signature of the app.
            case anyDomain
            /// A provisioning profile that does not permit associated domains.
            case notPermitted
            /// An unreadable provisioning profile in an app.
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
    /// The issue without its location, for a list inside a binary file.
    var withoutLocation: Self { Self(kind, nil, problem, fix) }

    private init(_ kind: Kind, _ location: SourceLocation?, _ problem: String, _ fix: String) {
        (self.kind, self.location) = (kind, location)
        (self.problem, self.fix) = (problem, fix)
    }

    private static let key = "\"\(Entitlements.key)\""

    package static func duplicate(_ location: SourceLocation?, text: String, earlier: Int, number: Int) -> Self {
        Self(
            .duplicate, location,
            "the \(number.ordinal) entry, \(text.excerpt), is the same as the \(earlier.ordinal) entry",
            "Remove one of the two entries")
    }

    package static func notAnArray(_ location: SourceLocation?, found: String, text: String?) -> Self {
        Self(
            .notAnArray, location, "the value of \(key) is \(text.map(\.excerpt) ?? found), not an array of strings",
            text == "*"
                ? "Use the entitlements of the app; a provisioning profile does not list the app's domains"
                : "Put the entries into an <array>, each in its own <string>")
    }

    package static func notAString(_ location: SourceLocation?, number: Int, found: String) -> Self {
        Self(
            .notAString, location, "the \(number.ordinal) element of \(key) is \(found), not a string",
            "Write the entry as <string>webcredentials:example.com</string>")
    }

    package static func noEntry(_ location: SourceLocation?) -> Self {
        Self(
            .noEntry, location, "the array of \(key) is empty, so the app has no associated domains",
            "Add entries, such as <string>webcredentials:example.com</string>")
    }

    package static func misspeltKey(_ location: SourceLocation?, key: String) -> Self {
        Self(
            .misspeltKey, location, "the key \(key.excerpt) is not the associated domains key; a device ignores it",
            "Rename it to \(Self.key)")
    }

    package static var missingKey: Self {
        Self(
            .missingKey, nil, "the key \(key) is missing, so the app has no associated domains",
            "Add the Associated Domains capability to the app's target in Xcode, with an entry such as "
                + "webcredentials:example.com")
    }

    package static var profile: Self {
        Self(
            .profile, nil, "this is a provisioning profile, not the entitlements of an app",
            "Use the entitlements of the built app: codesign -d --entitlements - --xml APP")
    }

    package static var anyDomain: Self {
        Self(
            .anyDomain, nil,
            "the provisioning profile permits every associated domain (\"*\"); the signature of the app contains the "
                + "entries",
            "Specify the signed app to compare its entries with the site")
    }

    package static var notPermitted: Self {
        Self(
            .notPermitted, nil,
            "the provisioning profile does not permit associated domains: \(key) is missing or lists no domain",
            "Enable the Associated Domains capability for the App ID, and create the profile again")
    }

    package static func unreadableProfile(_ reason: String) -> Self {
        Self(
            .unreadableProfile, nil, "the provisioning profile in the app cannot be read: \(reason)",
            "Sign the app again with a new profile")
    }

    package static var informationList: Self {
        Self(
            .informationList, nil, "this is an Info.plist, not the entitlements of an app",
            "Use the .entitlements file of the app's target")
    }

    package static func buildSetting(_ text: String) -> Self {
        Self(
            .buildSetting, nil,
            "\(text.excerpt) contains a build setting that Xcode replaces only when it builds the app",
            "Use the entitlements of the built app: codesign -d --entitlements - --xml APP")
    }

    package static func identifierNotAString(_ location: SourceLocation?, key: String, found: String) -> Self {
        Self(
            .identifierNotAString, location, "the value of \(key.excerpt) is \(found), not a string",
            "Use the entitlements of the built app: codesign -d --entitlements - --xml APP")
    }

    package static func malformedIdentifier(_ error: AppIdentifier.Malformed) -> Self {
        Self(.malformedIdentifier, nil, error.problem, error.fix)
    }
}

extension Entitlements.EntryIssue: CatalogIssue {
    package static let title = "Entitlement"
    package static let examples = [Self.buildSetting("$(DOMAIN)"), .notPermitted]

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

extension Int {
    fileprivate var ordinal: String {
        let ending =
            switch (self % 100, self % 10) {
            case (11...13, _): "th"
            case (_, 1): "st"
            case (_, 2): "nd"
            case (_, 3): "rd"
            case _: "th"
            }
        return "\(self)\(ending)"
    }
}
