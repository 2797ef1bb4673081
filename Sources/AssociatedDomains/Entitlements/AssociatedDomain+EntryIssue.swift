package import AssociationDiagnostics
import MotivatorPlatform

extension AssociatedDomain {
    /// An issue with an entry that a device accepts.
    package struct EntryIssue: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            // Syntax that a device accepts but the documentation does not allow.
            case serviceCase(Service)
            case path(part: String)
            case query(String)
            case unknownMode(String)
            case modeTwice, modeCase, emptyPort, otherPort, localhost, addressWithMode, wildcardAppClips
            // Entries that work, but perhaps not as intended.
            case credentialsPort
            case hostCase(String)
            case unusualName(String)
            case notADomain(String, kind: String, such: String)
            case privateHost(String)
            case developerMode, ignoredDeveloperMode, managedMode
            /// A wildcard and the host after it. Without a host in the request, this is only a note.
            case wildcardRoot(host: String, isRequested: Bool)
        }

        package let kind: Kind
        fileprivate let text: String
        /// The entry without the parts that a device ignores.
        fileprivate let clean: String

        package init(_ kind: Kind, _ text: String, _ domain: AssociatedDomain) {
            (self.kind, self.text, clean) = (kind, text.excerpt, domain.description.excerpt)
        }
    }
}

extension AssociatedDomain.EntryIssue: CatalogIssue {
    package static let examples: [AssociatedDomain.EntryIssue] = {
        guard let domain = try? AssociatedDomain("webcredentials:example.com") else { return [] }
        let kinds: [Kind] = [
            .serviceCase(.webcredentials), .path(part: ""), .query(""), .unknownMode(""), .modeTwice, .modeCase,
            .emptyPort, .otherPort, .localhost, .addressWithMode, .wildcardAppClips, .credentialsPort, .hostCase(""),
            .unusualName(""), .notADomain("", kind: "", such: ""), .privateHost(""), .developerMode,
            .ignoredDeveloperMode, .managedMode, .wildcardRoot(host: "", isRequested: true),
        ]
        return kinds.map { Self($0, "", domain) }
    }()

    package var entry: CatalogEntry {
        switch kind {
        case .serviceCase(let service):
            undocumented(
                "entitlement-service-case", "The service is in lower case.", "WebCredentials:example.com",
                "has capital letters in its service", "Write the service in lower case: \(service.rawValue)")
        case .path(let part):
            undocumented(
                "entitlement-path", "An entry has no path, no trailing slash and no fragment.",
                "webcredentials:example.com/login", "has \(part) after its host. The device ignores this part",
                "Write \(clean). The components in the association file determine which paths open the app")
        case .query(let query):
            undocumented(
                "entitlement-query", "The query of an entry consists of mode= and a mode.",
                "webcredentials:example.com?a=b",
                "has the query \(query.excerpt), which is not a mode. The device ignores the query",
                "Write \(clean.dropLast())\(AssociatedDomain.corrected(mode: query[...]))\". The modes are developer, managed "
                    + "and developer+managed")
        case .unknownMode(let word):
            undocumented(
                "entitlement-unknown-mode", "A mode is developer, managed or developer+managed.",
                "webcredentials:example.com?mode=debug",
                "has the unknown mode \(word.excerpt). The device ignores the mode",
                "Use developer, managed or developer+managed, or remove the mode")
        case .modeTwice:
            undocumented(
                "entitlement-mode-twice", "An entry has at most one mode.",
                "webcredentials:example.com?mode=managed&mode=developer",
                fixed: "webcredentials:example.com?mode=developer",
                "has several modes. The device uses the last mode", "Keep one mode: \(clean)")
        case .modeCase:
            row(
                "entitlement-mode-case", "A mode is in lower case.", "The documentation writes modes in lower case.",
                SeverityByProfile(documented: .warning), "webcredentials:example.com?mode=Developer",
                "webcredentials:example.com?mode=developer", "The entry \(text) has capital letters in its mode",
                "Write the mode in lower case: \(clean)")
        case .emptyPort:
            undocumented(
                "entitlement-empty-port", "A port follows a colon after the host.", "webcredentials:example.com:",
                "has a colon without a port. The device ignores the colon", "Remove the colon: \(clean)")
        case .otherPort:
            undocumented(
                "entitlement-undocumented-port", "Only a webcredentials entry may specify a port.",
                "applinks:example.com:8443", fixed: "applinks:example.com",
                "has a port, which Apple documents only for webcredentials",
                "Serve the association file on port 443, and remove the port", .debuggingLinks)
        case .localhost:
            undocumented(
                "entitlement-localhost", "The host is a public name.", "webcredentials:localhost?mode=developer",
                "names localhost, which Apple's CDN cannot reach",
                "Before you release the app, replace localhost with your domain")
        case .addressWithMode:
            undocumented(
                "entitlement-address-with-mode", "The host is a DNS name.", "webcredentials:192.0.2.1?mode=managed",
                "names an IP address, which works only with a mode", "Use a host name before you release the app")
        case .wildcardAppClips:
            undocumented(
                "entitlement-wildcard-appclips", "An appclips entry has no wildcard.", "appclips:*.example.com",
                fixed: "appclips:example.com", "has a wildcard", "Write one entry for each host, without *.")
        case .credentialsPort:
            row(
                "entitlement-credentials-port", "A webcredentials entry should not specify a port.",
                "The archived reference allows a port. The current documentation does not mention ports.",
                SeverityByProfile(documented: .warning), "webcredentials:example.com:8443",
                "webcredentials:example.com",
                "The entry \(text) has a port. Only Apple's archived reference documents ports",
                "Serve the association file on port 443, and remove the port", .sharedWebCredentials)
        case .hostCase(let host):
            row(
                "entitlement-host-case", "The host is in lower case.", "Host names are case-insensitive.", .all(.note),
                "webcredentials:Example.com", "webcredentials:example.com",
                "The entry \(text) has capital letters in its host. The device reads them as lower case",
                "Write the host in lower case: \(host.excerpt)")
        case .unusualName(let host):
            row(
                "entitlement-unusual-name", "The labels of the host contain only letters, digits and inner hyphens.",
                "Public authorities do not issue certificates for names with an underscore. RFC 1123 allows hyphens "
                    + "only inside a label.", .all(.warning), "webcredentials:my_site.example.com",
                "webcredentials:my-site.example.com",
                "The host \(host.excerpt) has an underscore, or a label with a hyphen at its start or end",
                "Write the host name as in the DNS. If the host has this name, give it another one")
        case .notADomain(let host, let kind, let such):
            row(
                "entitlement-not-a-domain", "The host is the domain of the website.",
                "Application and bundle identifiers belong in the association file.", .all(.warning),
                "webcredentials:com.example.DemoApp", "webcredentials:example.com",
                "The host \(host.excerpt) looks like \(kind)", "Use the domain of the website\(such)")
        case .privateHost(let host):
            row(
                "entitlement-private-host", "An entry without a mode names a host in the public DNS.",
                "Without a mode, Apple's CDN fetches the file. It cannot reach a private host.",
                SeverityByProfile(device: .warning), "webcredentials:example.test",
                "webcredentials:example.test?mode=developer",
                "The host \(host.excerpt) is not in the public DNS, and the entry has no mode",
                "Add ?mode=developer to test on a device in developer mode, or use a public host", .supporting)
        case .developerMode, .ignoredDeveloperMode:
            row(
                "entitlement-developer-mode", "A released app has no entry with mode=developer.",
                "The mode works only for development-signed apps on devices in developer mode.",
                .all(kind == .developerMode ? .note : .denial),
                "webcredentials:example.com?mode=developer", "webcredentials:example.com",
                kind == .developerMode
                    ? "The entry \(text) works only in developer mode"
                    : "Devices ignore the entry \(text): the app is signed for distribution (get-task-allow is false)",
                kind == .developerMode
                    ? "On the device, turn on Developer Mode and Associated Domains Development. Remove ?mode=developer "
                        + "from the entry before you release the app"
                    : "Remove ?mode=developer from the entry, or sign the app for development")
        case .managedMode:
            row(
                "entitlement-managed-mode", "mode=managed is for managed devices.",
                "The device fetches the file from the host only if device management allows direct downloads.",
                .all(.note), "webcredentials:example.com?mode=managed", "webcredentials:example.com",
                "The entry \(text) works only on managed devices",
                "Install the app through device management, and allow direct downloads of associated domains. For "
                    + "other devices, remove ?mode=managed")
        case .wildcardRoot(let host, let isRequested):
            row(
                "entitlement-wildcard-root", "*.example.com also covers example.com.",
                "TN3155 and tests on devices confirm this rule. The archived guide contradicts it.",
                isRequested
                    ? SeverityByProfile(device: .note, documented: .note, ios9: .denial, ios8: .denial) : .all(.note),
                "webcredentials:*.example.com", "webcredentials:example.com",
                "The entry \(text) covers \(host) itself on iOS 14 and later. Apple's archived guide says that it does "
                    + "not", "To be safe, also add an entry for \(host)", .debuggingLinks)
        }
    }

    private func undocumented(
        _ code: String, _ rule: String, _ example: String, fixed: String = "webcredentials:example.com",
        _ problem: String, _ fix: String, _ source: Source = .entitlement
    ) -> CatalogEntry {
        row(
            code, rule, "Devices accept this form, but Apple does not document it. A later version may reject it.",
            .documentedOnly, example, fixed, "The entry \(text) \(problem)", fix, source)
    }

    private func row(
        _ code: String, _ rule: String, _ reason: String, _ effects: SeverityByProfile, _ example: String,
        _ fixed: String, _ problem: String, _ fix: String, _ source: Source = .entitlement
    ) -> CatalogEntry {
        .init(code, rule, because: reason, effects, source, example: example, fixed: fixed, problem: problem, fix: fix)
    }
}

extension AssociatedDomain {
    /// Returns the issues with the host, the wildcard, the port and the modes.
    func partIssues(_ written: String) -> [EntryIssue.Kind] {
        var issues: [EntryIssue.Kind] = []
        if (try? AppIdentifier(written)) != nil {
            issues.append(.notADomain(written, kind: "an application identifier", such: ""))
        } else if HostText.looksReversed(host) {
            let such = ", such as \"\(HostText.reversed(host))\""
            issues.append(.notADomain(written, kind: "a bundle identifier", such: such))
        } else if written != HostText.lowered(written), !isAddress {
            issues.append(.hostCase(host))
        }
        if isAddress {
            issues.append(.addressWithMode)
        } else if host == "localhost" {
            issues.append(.localhost)
        } else if HostText.isUnusual(host) {
            issues.append(.unusualName(written))
        }
        if modes.isEmpty, HostText.isPrivate(host) { issues.append(.privateHost(written)) }
        if isWildcard {
            if service == .appclips { issues.append(.wildcardAppClips) }
            issues.append(.wildcardRoot(host: host, isRequested: false))
        }
        if port != nil { issues.append(service == .webcredentials ? .credentialsPort : .otherPort) }
        if modes.contains(.developer) { issues.append(.developerMode) }
        if modes.contains(.managed) { issues.append(.managedMode) }
        return issues
    }
}

extension HostText {
    static func looksReversed(_ name: String) -> Bool {
        let labels = name.split(separator: ".")
        guard labels.count > 1, let first = labels.first, let last = labels.last else { return false }
        return ["com", "org", "net", "edu"].contains(first) && !["com", "org", "net", "edu"].contains(last)
    }

    /// Returns the domain of a bundle identifier: its first two labels, reversed.
    package static func reversed(_ name: String) -> String {
        name.split(separator: ".").prefix(2).reversed().joined(separator: ".")
    }

    static func isUnusual(_ name: String) -> Bool {
        name.contains("_") || name.split(separator: ".").contains { $0.hasPrefix("-") || $0.hasSuffix("-") }
    }
}
