import Accounts
import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform
import MotivatorServer
import MotivatorTLS
package import UltraMotivator

/// The module that serves the hosts and paths that are broken on purpose.
package struct Faults: DemoModule {
    private let counters = RequestCounters()
    package let page: ModulePage? = ModulePage(
        path: "/faults", name: "Faults", task: "Test with faults", subject: "hosts that are broken on purpose")

    package let templates = ["faults": PackageResources.faults_mustache]

    package init() {}

    package func load(_ context: DemoModuleContext) throws -> DemoAddition {
        guard let authority = context.authority else {
            throw ExplainedFailure(
                "the hosts that are broken on purpose require certificates from the development CA",
                fix: "Remove --faults, or remove --certificate")
        }
        let stranger = try Workshop.makeStranger(context.now)
        let domains = context.domains + ["localhost"]
        func workshop(_ host: String, _ domain: String) -> Workshop {
            Workshop(
                host: host, domain: domain, port: context.port, now: context.now, authority: authority,
                stranger: stranger, tickets: context.tickets, counters: counters, accounts: context.accounts)
        }
        var addition = DemoAddition()
        var handshakes: [String: Handshake] = [:]
        var known: Set<String> = []
        for domain in domains {
            for fault in FaultHost.all {
                let host = fault.host(on: domain)
                let workshop = workshop(host, domain)
                let broken: BrokenHost
                do {
                    broken = try fault.build(workshop)
                } catch {
                    throw Self.cannotCreate(host, error)
                }
                addition.sites.append((host, site(broken)))
                known.insert(host)
                if case .valid = broken.handshake { continue }
                handshakes[host] = broken.handshake
            }
            for fault in PasskeyFault.all {
                let hosts: [(host: String, site: BrokenHost)]
                do {
                    hosts = try fault.build(workshop(fault.host(on: domain), domain))
                } catch {
                    throw Self.cannotCreate(fault.host(on: domain), error)
                }
                addition.sites += hosts.map { ($0.host, site($0.site)) }
                known.formUnion(hosts.map(\.host))
            }
        }
        let hosts = known.union(domains)
        addition.addRoutes = { [counters] site, domain in
            let port = context.port
            site.route(
                .get, "/faults",
                to: ClosureHandler { FaultPages(for: $0, domain: domain, port: port).response(context.pages) })
            site.route(
                .get, "/faults.json",
                to: ClosureHandler { FaultPages(for: $0, domain: domain, port: port).list() })
            site.route(
                .post, "/faults/reset",
                to: ClosureHandler { request in
                    guard SameOrigin.allows(request.head) else {
                        return context.pages.errors.response(403, SameOrigin.refusal, for: request.head)
                    }
                    let client = ClientAddress(request.peer.address.bytes)
                    await counters.reset(domains.map { FaultHost.flaky.host(on: $0) }, client, context.accounts)
                    return Response(.seeOther, fields: [.location: "/faults"])
                })
            FaultPaths.addRoutes(to: &site, hosts: hosts)
        }
        addition.paths = FaultPaths.descriptions
        let shared = try authority.issue(hosts: domains.map { "*.faults.\($0)" })
        let intact = try TLSContext(identity: shared, tickets: context.tickets)
        addition.choose = { [handshakes, known] name in
            guard let name, known.contains(name) else { return nil }
            if case .certificate(let own) = handshakes[name] { return own }
            return intact
        }
        addition.greet = { [handshakes] hello in
            switch hello.serverName.flatMap({ handshakes[$0] }) {
            case .outdated(let context): .use(context)
            case .stall: .stall
            case .close: .close
            case .valid, .certificate, nil: .proceed
            }
        }
        return addition
    }

    private func site(_ broken: BrokenHost) -> Site {
        var site = Site()
        // The demo's error pages link to pages that this host does not serve.
        site.errors = ErrorRenderer()
        let replies = broken.others.merging([
            "/.well-known/apple-app-site-association": broken.wellKnown, "/apple-app-site-association": broken.root,
        ]) { $1 }
        for (path, reply) in replies { site.route(.get, path, to: ClosureHandler(reply)) }
        site.route(
            .get, FaultPages.picturePath,
            to: ClosureHandler { _ in
                Response(
                    .ok,
                    fields: [
                        .contentType: "image/svg+xml", .cacheControl: "no-store",
                        .crossOriginResourcePolicy: "cross-origin",
                    ], content: FaultPages.picture
                )
            })
        return site
    }

    private static func cannotCreate(_ host: String, _ error: any Error) -> ExplainedFailure {
        ExplainedFailure(
            "the host \(host) cannot be created: \(error)", fix: "Remove --faults, and report this problem",
            exitCode: .unavailable)
    }
}
