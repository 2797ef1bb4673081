/// The way to the host.
enum NetworkRule: String, RuleGroup {
    case unknownHost = "network-unknown-host"
    case nameFailed = "network-name-failed"
    case unreachable = "network-unreachable"
    case timedOut = "network-timed-out"
    case closed = "network-closed"
    case notAsked = "network-not-asked"
    case privateAddress = "network-private-address"
    case cdn = "network-cdn-failure"

    package var entry: Rule.Entry {
        switch self {
        case .unknownHost:
            .init(
                "The host's name has an address.",
                because: "Without one nobody gets the file; Apple's CDN looks the name up in the public DNS.",
                .all(.denial), .supporting)
        case .nameFailed:
            .init(
                "The host's name can be looked up.",
                because: "A resolver that fails says nothing about the name; it may answer the next time.",
                .all(.retry), .observed)
        case .unreachable:
            .init(
                "The host takes connections at port 443, or at the port of the entry.",
                because: "A device tries again after 3 to 4 hours.", .all(.retry), .observed)
        case .timedOut:
            .init(
                "The host answers in good time.",
                because: "Apple's CDN gives up with SWCERR00301, and a device tries again after 3 to 4 hours.",
                .all(.retry), .observed)
        case .closed:
            .init(
                "The host sends its whole answer before it closes the connection.",
                because: "Half a file is no file; a device tries again after 3 to 4 hours.", .all(.retry), .observed)
        case .notAsked:
            .init(
                "The site can be asked from here.",
                because: "What stops the tool on this machine says nothing about the site.", .all(.retry), .observed)
        case .privateAddress:
            .init(
                "Apple's CDN reaches the host, or the entitlement has a mode.",
                because: "The CDN refuses private addresses with SWCERR00202; with ?mode=developer a device asks the "
                    + "host itself.", Consequences(device: .warning), .debuggingLinks)
        case .cdn:
            .init(
                "Apple's CDN could get the file.",
                because: "Devices ask the CDN, not the host; it tells why it has no file in Apple-Failure-Reason.",
                Consequences(device: .denial), .debuggingLinks)
        }
    }
}
