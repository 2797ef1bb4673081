/// Diagnostics about the connection to the host.
package enum NetworkDiagnostic: String, DiagnosticGroup {
    case unknownHost = "network-unknown-host"
    case nameFailed = "network-name-failed"
    case unreachable = "network-unreachable"
    case timedOut = "network-timed-out"
    case closed = "network-closed"
    case notRequested = "network-not-requested"
    case privateHost = "network-private-host"
    case cdn = "network-cdn-failure"

    package var row: Diagnostic.Row {
        switch self {
        case .unknownHost:
            .init(
                "The host name resolves to an address.",
                because: "Without an address, no client can fetch the file. Apple's CDN uses the public DNS.",
                .all(.denial), .supporting, example: "a host without an A or AAAA record")
        case .nameFailed:
            .init(
                "The DNS lookup of the host name succeeds.",
                because: "A resolver failure does not mean that the name is invalid. The next lookup may succeed.",
                .all(.retry), .observed, example: "SERVFAIL")
        case .unreachable:
            .init(
                "The host accepts connections on port 443, or on the port in the entry.",
                because: "The device tries again after 3 to 4 hours.", .all(.retry), .observed,
                example: "connection refused")
        case .timedOut:
            .init(
                "The host responds in time.",
                because: "Apple's CDN reports SWCERR00301. The device tries again after 3 to 4 hours.",
                .all(.retry), .observed, example: "no response within 15 seconds")
        case .closed:
            .init(
                "The host sends the whole response before it closes the connection.",
                because: "The device ignores an incomplete file and tries again after 3 to 4 hours.", .all(.retry),
                .observed, example: "a connection reset")
        case .notRequested:
            .init(
                "This machine can send the request.",
                because: "A failure on this machine does not indicate a problem with the site.", .all(.retry),
                .observed, example: "no free file descriptor")
        case .privateHost:
            .init(
                "Apple's CDN can reach the host, or the entitlement entry has a mode.",
                because: "The CDN rejects private addresses with SWCERR00202. With ?mode=developer, the device fetches "
                    + "the file directly from the host.",
                SeverityByProfile(device: .denial), .debuggingLinks,
                message: "Apple's CDN cannot reach {host}: {cause} (SWCERR00202).",
                fix: "During development, add ?mode=developer to the entitlement entry. To check a staging host as if "
                    + "it were public, use --assume-public.", example: "example.test, 192.168.1.7")
        case .cdn:
            .init(
                "Apple's CDN can fetch the file.",
                because: "Devices fetch the file from the CDN, which reports failures in Apple-Failure-Reason.",
                SeverityByProfile(device: .denial), .debuggingLinks, message: "Apple's CDN reports {reason}.",
                fix: "{action}", example: "Apple-Failure-Reason: SWCERR00301 Timeout")
        }
    }
}
