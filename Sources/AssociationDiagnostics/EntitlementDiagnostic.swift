/// Diagnostics about the entries of the app's entitlement and the hosts that they cover.
package enum EntitlementDiagnostic: String, DiagnosticGroup {
    // Entries that a device drops. The entry parser writes the messages.
    case unknownService = "entitlement-unknown-service"
    case form = "entitlement-form"
    case scheme = "entitlement-scheme"
    case port = "entitlement-port"
    case host = "entitlement-host"
    case wildcard = "entitlement-wildcard"
    case noDot = "entitlement-no-dot"
    case address = "entitlement-address"
    // Entries that a device accepts but the documentation does not allow.
    case serviceCase = "entitlement-service-case"
    case path = "entitlement-path"
    case query = "entitlement-query"
    case unknownMode = "entitlement-unknown-mode"
    case modeTwice = "entitlement-mode-twice"
    case modeCase = "entitlement-mode-case"
    case emptyPort = "entitlement-empty-port"
    case otherPort = "entitlement-undocumented-port"
    case localhost = "entitlement-localhost"
    case addressWithMode = "entitlement-address-with-mode"
    case wildcardAppClips = "entitlement-wildcard-appclips"
    // Entries that work, but perhaps not as intended.
    case credentialsPort = "entitlement-credentials-port"
    case hostCase = "entitlement-host-case"
    case unusualName = "entitlement-unusual-name"
    case notADomain = "entitlement-not-a-domain"
    case publicSuffix = "entitlement-public-suffix"
    case privateHost = "entitlement-private-host"
    case developerMode = "entitlement-developer-mode"
    case managedMode = "entitlement-managed-mode"
    case wildcardRoot = "entitlement-wildcard-root"
    case fileElsewhere = "entitlement-file-elsewhere"
    case wildcardCredentials = "entitlement-wildcard-credentials"
    // The entries as a whole.
    case otherHost = "entitlement-other-host"
    case otherService = "entitlement-other-service"
    case manyDomains = "entitlement-many-domains"
    case list = "entitlement-list"
    case profile = "entitlement-profile"

    package var row: Diagnostic.Row {
        switch self {
        case .unknownService:
            dropped(
                """
                The service is webcredentials, applinks, appclips, activitycontinuation, messagefilter, \
                classificationreport or authsrv.
                """, .entitlement,
                "weblinks:example.com")
        case .form: dropped("An entry consists of a service, a colon and a host.", .entitlement, "example.com")
        case .scheme: dropped("An entry has no URL scheme.", .entitlement, "webcredentials:https://example.com")
        case .port: dropped("A port is a number from 1 to 65535.", .observed, "webcredentials:example.com:0")
        case .host: dropped("The host is a valid DNS name.", .observed, "webcredentials:example..com")
        case .wildcard:
            dropped("A wildcard is written as *. before the host.", .entitlement, "webcredentials:www.*.example.com")
        case .noDot: dropped("The host contains a dot.", .observed, "webcredentials:example")
        case .address: dropped("An entry with an IP address also has a mode.", .observed, "webcredentials:192.0.2.1")
        case .serviceCase:
            undocumented(
                "The service is in lower case.", "The entry {entry} has capital letters in its service.",
                "Write the service in lower case: {service}.", "WebCredentials:example.com")
        case .path:
            undocumented(
                "An entry has no path, no trailing slash and no fragment.",
                "The entry {entry} has {part} after its host. The device ignores this part.",
                "Write {clean}. The components in the association file determine which paths open the app.",
                "webcredentials:example.com/login")
        case .query:
            undocumented(
                "The query of an entry consists of mode= and a mode.",
                "The entry {entry} has the query {query}, which is not a mode. The device ignores the query.",
                "Write {clean}. The modes are developer, managed and developer+managed.",
                "webcredentials:example.com?a=b")
        case .unknownMode:
            undocumented(
                "A mode is developer, managed or developer+managed.",
                "The entry {entry} has the unknown mode {word}. The device ignores the mode.",
                "Use developer, managed or developer+managed, or remove the mode.",
                "webcredentials:example.com?mode=debug")
        case .modeTwice:
            undocumented(
                "An entry has at most one mode.", "The entry {entry} has several modes. The device uses the last mode.",
                "Keep one mode: {clean}.", "webcredentials:example.com?mode=managed&mode=developer")
        case .modeCase:
            .init(
                "A mode is in lower case.", because: "The documentation writes modes in lower case.",
                SeverityByProfile(documented: .warning), .entitlement,
                message: "The entry {entry} has capital letters in its mode.",
                fix: "Write the mode in lower case: {clean}.",
                example: "webcredentials:example.com?mode=Developer")
        case .emptyPort:
            undocumented(
                "A port follows a colon after the host.",
                "The entry {entry} has a colon without a port. The device ignores the colon.",
                "Remove the colon: {clean}.", "webcredentials:example.com:")
        case .otherPort:
            undocumented(
                "Only a webcredentials entry may specify a port.",
                "The entry {entry} has a port, which Apple documents only for webcredentials.",
                "Serve the association file on port 443, and remove the port.", "applinks:example.com:8443",
                .debuggingLinks)
        case .localhost:
            undocumented(
                "The host is a public name.", "The entry {entry} names localhost, which works only in developer mode.",
                "Remove the entry before you release the app.", "webcredentials:localhost?mode=developer")
        case .addressWithMode:
            undocumented(
                "The host is a DNS name.", "The entry {entry} names an IP address, which works only with a mode.",
                "Use a host name before you release the app.", "webcredentials:192.0.2.1?mode=developer")
        case .wildcardAppClips:
            undocumented(
                "An appclips entry has no wildcard.", "The entry {entry} has a wildcard.",
                "Add one entry for each subdomain.", "appclips:*.example.com")
        case .credentialsPort:
            .init(
                "A webcredentials entry should not specify a port.",
                because: "The archived reference allows a port. The current documentation does not mention ports.",
                SeverityByProfile(documented: .warning), .sharedWebCredentials,
                message: "The entry {entry} has a port, which only the archived reference documents.",
                fix: "Serve the association file on port 443, and remove the port.",
                example: "webcredentials:example.com:8443")
        case .hostCase:
            .init(
                "The host is in lower case.", because: "Host names are case-insensitive.", .all(.note), .entitlement,
                message: "The entry {entry} has capital letters in its host. The device reads them as lower case.",
                fix: "Write the host in lower case: {host}.", example: "webcredentials:Example.com")
        case .unusualName:
            .init(
                "The labels of the host contain only letters, digits and inner hyphens.",
                because: "Public authorities do not issue certificates for names with an underscore. RFC 1123 allows "
                    + "hyphens only inside a label.", .all(.warning), .entitlement,
                message: "The host {host} has an underscore, or a label with a hyphen at its start or end.",
                fix: "Check that the host name is correct.", example: "webcredentials:my_site.example.com")
        case .notADomain:
            .init(
                "The host is the domain of the website.",
                because: "Application and bundle identifiers belong in the association file.", .all(.warning),
                .entitlement, message: "The host {host} looks like {kind}.",
                fix: "Use the domain of the website{such}.",
                example: "webcredentials:com.example.DemoApp")
        case .publicSuffix:
            .init(
                "A wildcard covers only names that belong to one owner.",
                because: "Anyone can register names below a public suffix.", .all(.warning), .entitlement,
                message: "The wildcard {host} covers names that others can register.",
                fix: "Use your own domain after *., as in \"*.example.{suffix}\".", example: "applinks:*.co.uk")
        case .privateHost:
            .init(
                "An entry without a mode names a host in the public DNS.",
                because: "Without a mode, Apple's CDN fetches the file. It cannot reach a private host.",
                SeverityByProfile(device: .warning), .supporting,
                message: "The host {host} is not in the public DNS, and the entry has no mode.",
                fix: "Add ?mode=developer to test on a device in developer mode, or use a public host.",
                example: "webcredentials:example.test")
        case .developerMode:
            .init(
                "A released app has no entry with mode=developer.",
                because: "The mode works only for development-signed apps on devices in developer mode.",
                .all(.note), .entitlement,
                message: "The entry {entry} works only in developer mode.",
                fix: "On the device, turn on Developer Mode and Associated Domains Development. Remove "
                    + "?mode=developer from the entry before you release the app.",
                example: "webcredentials:example.com?mode=developer")
        case .managedMode:
            .init(
                "mode=managed is for managed devices.",
                because: "The device fetches the file from the host only if device management allows direct downloads.",
                .all(.note), .entitlement, message: "The entry {entry} works only on managed devices.",
                fix: "Install the app through device management, and allow direct downloads of associated domains.",
                example: "webcredentials:example.com?mode=managed")
        case .wildcardRoot:
            .init(
                "*.example.com also covers example.com.",
                because: "TN3155 and tests on devices confirm this rule. The archived guide contradicts it.",
                SeverityByProfile(device: .note, documented: .note, ios9: .denial, ios8: .denial), .debuggingLinks,
                message: "The entry {entry} covers {host} itself on devices with iOS 14 or later, but not according "
                    + "to the archived guide.", fix: "To be safe, also add an entry for {host}.",
                example: "applinks:*.example.com for example.com")
        case .fileElsewhere:
            .init(
                "The file for a wildcard entry is at the host that follows *. in the entry.",
                because: "For *.example.com, the device requests https://example.com/.well-known/…, never a subdomain.",
                .all(.note), .entitlement,
                message: "For {host}, a device with the entry {entry} requests the file from {fileHost}.",
                fix: "Serve the file at {url}. A separate entry for {host} requires a file at that host.",
                example: "applinks:*.example.com for www.example.com")
        case .wildcardCredentials:
            .init(
                "A webcredentials entry names the exact host.",
                because: "The shared-credential functions accept only an entry that names the exact host.",
                .all(.note), .sharedWebCredentials,
                message: "The entry {entry} covers {host}, but the shared-credential functions accept only "
                    + "{fileHost}.",
                fix:
                    "To save and request passwords for {host}, add the entry webcredentials:{host} and serve its file.",
                example: "webcredentials:*.example.com for www.example.com")
        case .otherHost:
            .init(
                "An entry of the app covers the host.",
                because:
                    "The app and the site must list each other. Without an entry, the device never requests the file.",
                .all(.denial), .supporting, message: "No entry of the app covers {host}. The app lists {entries}.",
                fix: "Add the entry {addition}.", example: "webcredentials:example.org for example.com")
        case .otherService:
            .init(
                "An entry of the app has the requested service.", because: "Each service requires its own entry.",
                .all(.denial), .supporting, message: "The app lists {host} for {present}, not for {service}.",
                fix: "Add the entry {addition}.", example: "applinks:example.com for shared passwords")
        case .manyDomains:
            .init(
                "An app lists no more than about 20 to 30 domains.", because: "Apple recommends this limit.",
                .all(.warning), .sharedWebCredentials,
                message: "The app lists {count} domains. Apple recommends at most about 20 to 30.",
                fix: "Replace subdomains with a wildcard, as in \"{service}:*.example.com\".",
                example: "31 webcredentials entries")
        case .list:
            .init(
                "The entitlements contain an array of strings under com.apple.developer.associated-domains.",
                because: "The device reads only this array. An app without an entry has no associated domains.",
                .all(.warning), .entitlement, example: "<dict/>")
        case .profile:
            .init(
                "The provisioning profile of the app permits associated domains.",
                because:
                    "A device refuses to install an app with an entitlement that its profile does not permit. The "
                    + "app's signature contains the entries.",
                .all(.denial), .entitlement, example: "a profile without com.apple.developer.associated-domains")
        }
    }

    private func dropped(_ text: String, _ source: Source, _ example: String) -> Diagnostic.Row {
        .init(
            text, because: "The device silently drops invalid entries.", .all(.denial), source,
            example: example)
    }

    private func undocumented(
        _ text: String, _ message: String, _ fix: String, _ example: String, _ source: Source = .entitlement
    ) -> Diagnostic.Row {
        .init(
            text, because: "Devices accept this form, but Apple does not document it. A later version may reject it.",
            .documentedOnly, source,
            message: message, fix: fix, example: example)
    }
}
