/// The entries of the app's entitlement, and whether they are about this host.
enum EntitlementRule: String, RuleGroup {
    case unknownService = "entitlement-unknown-service"
    case form = "entitlement-form"
    case scheme = "entitlement-scheme"
    case path = "entitlement-path"
    case query = "entitlement-query"
    case port = "entitlement-port"
    case host = "entitlement-host"
    case wildcard = "entitlement-wildcard"
    case noDot = "entitlement-no-dot"
    case address = "entitlement-address"
    case otherHost = "entitlement-other-host"
    case otherService = "entitlement-other-service"
    case wildcardRoot = "entitlement-wildcard-root"
    case fileElsewhere = "entitlement-file-elsewhere"
    case remark = "entitlement-remark"
    case mode = "entitlement-mode"
    case list = "entitlement-list"

    package var entry: Rule.Entry {
        switch self {
        case .unknownService:
            denied("The service is one of webcredentials, applinks, appclips, activitycontinuation.", .entitlement)
        case .form: denied("An entry is a service, a colon and a host.", .entitlement)
        case .scheme:
            denied("An entry has no scheme: webcredentials:example.com, not https://example.com.", .entitlement)
        case .path: denied("An entry has no path and no slash at its end.", .entitlement)
        case .query: denied("An entry has no query but mode.", .entitlement)
        case .port: denied("A port is a number from 1 to 65535.", .observed)
        case .host: denied("The host is a name as DNS knows it.", .observed)
        case .wildcard: denied("A wildcard is *. in front of the host, and not for App Clips.", .entitlement)
        case .noDot: denied("The host has a dot; localhost alone is taken with ?mode=developer.", .observed)
        case .address: denied("An IP address is taken only with a mode.", .observed)
        case .otherHost:
            .init(
                "The app names the host in an entry of its entitlement.",
                because: "Each has to vouch for the other: without an entry the device never asks the site.",
                .all(.denial), .supporting)
        case .otherService:
            .init(
                "The app names the host for the service that is asked for.",
                because: "Each service has an entry of its own.", .all(.denial), .supporting)
        case .wildcardRoot:
            .init(
                "*.example.com stands for example.com too.",
                because: "TN3155 and devices say so; the archived guide says that it does not.",
                Consequences(documented: .note, device: .note, legacy: .denial), .debuggingLinks)
        case .fileElsewhere:
            .init(
                "The file of a wildcard entry is at the host without the star.",
                because: "A device asks https://example.com/.well-known/… for *.example.com, never a subdomain.",
                .all(.note), .entitlement)
        case .remark:
            .init(
                "An entry is written as the documents have it.",
                because: "A device takes more than they promise.", .all(.warning), .entitlement)
        case .mode:
            .init(
                "A mode is for development and managed devices only.",
                because: "With it a device asks the host itself, but only in developer mode or under management; the "
                    + "app in the store has none.", .all(.note), .entitlement)
        case .list:
            .init(
                "The entitlements hold an array of strings under com.apple.developer.associated-domains.",
                because: "A device takes nothing else, and an app without an entry has no associated domain.",
                .all(.warning), .entitlement)
        }
    }

    private func denied(_ text: String, _ source: Source) -> Rule.Entry {
        .init(text, because: "A device drops an entry that it cannot read, without a word.", .all(.denial), source)
    }
}
