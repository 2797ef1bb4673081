import Accounts
import Certificates
import HTTPTypes
import MotivatorHTTP
package import MotivatorPlatform
import MotivatorServer
import MotivatorTLS
package import UltraMotivator

/// The module that serves the hosts and paths that are broken on purpose.
package struct Faults: DemoModule {
    private(set) var counters = RequestCounters()
    /// The path of the file around which the faults are built; nil for the demo's file.
    let association: String?

    package let templates = [
        "faults": PackageResources.faults_mustache, "unknown-fault": PackageResources.unknown_fault_mustache,
        "passkey-fault": PackageResources.passkey_fault_mustache,
    ]

    package init(association: String? = nil) { self.association = association }

    /// Reads the file of the user as `load` does.
    /// - Throws: an `ExplainedError` if the faults cannot be built around the file.
    package func checkAssociation(at now: UnixTime) throws {
        _ = try association.map { try IntactFile(path: $0, at: now) }
    }

    package mutating func keepCounters(of old: any DemoModule) {
        if let old = old as? Faults { counters = old.counters }
    }

    package func load(_ context: DemoModuleContext) throws -> DemoAddition {
        guard let authority = context.authority else {
            throw ExplainedFailure(
                "the hosts that are broken on purpose require certificates from the development CA",
                fix: "Remove --faults, or remove --certificate")
        }
        let stranger = try Workshop.makeStranger(context.now)
        let intactFile = try association.map { try IntactFile(path: $0, at: context.now) } ?? .demo(at: context.now)
        let domains = context.domains + ["localhost"]
        var addition = DemoAddition()
        var handshakes: [String: Handshake] = [:]
        var known: Set<String> = []
        let assets = Asset.all(lastModified: context.now)
        /// The responses of each domain by path. They are the same for all requests.
        var responses: [String: [String: Response]] = [:]
        for domain in domains {
            var built: [String: BrokenHost] = [:]
            func build<Result>(_ host: String, _ make: (Workshop) throws -> Result) throws -> Result {
                do {
                    return try make(
                        Workshop(
                            host: host, domain: domain, port: context.port, now: context.now, authority: authority,
                            stranger: stranger, tickets: context.tickets, counters: counters,
                            accounts: context.accounts, file: intactFile))
                } catch {
                    throw ExplainedFailure(
                        "the host \(host) cannot be created: \(error)", fix: "Remove --faults, and report this problem",
                        exitCode: .unavailable)
                }
            }
            for fault in FaultHost.all {
                let host = fault.host(on: domain)
                let broken = try build(host, fault.build)
                addition.sites.append((host, site(broken)))
                known.insert(host)
                built[fault.name] = broken
                if case .valid = broken.handshake { continue }
                handshakes[host] = broken.handshake
            }
            for fault in PasskeyFault.all {
                let origin = "https://\(domain)\(context.port == 443 ? "" : ":\(context.port)")"
                let page = context.pages.render(fault, "passkey-fault", at: "/faults/passkeys", of: origin)
                let hosts = try build(fault.host(on: domain)) { try fault.build($0, page) }
                addition.sites += hosts.map { ($0.host, site($0.site, assets)) }
                known.formUnion(hosts.map(\.host))
            }
            let page = FaultPages(
                domain: domain, port: context.port, file: intactFile, version: context.version, hosts: built)
            responses[domain] = ["/faults": page.response(context.pages), "/faults.json": page.list()]
            addition.sites.append((".faults.\(domain)", page.unknownSite(context.pages, at: context.now)))
        }
        let hosts = known.union(domains)
        addition.addRoutes = { [counters, responses] site, domain in
            for (path, response) in responses[domain] ?? [:] {
                let local = responses["localhost"]?[path] ?? response
                site.route(
                    .get, path, to: ClosureHandler { $0.head.hostText?.lowercased() == "localhost" ? local : response })
            }
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
        addition.choose = { [handshakes] name in
            guard let name, domains.contains(where: { name.hasSuffix(".faults.\($0)") }) else { return nil }
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

    private func site(_ broken: BrokenHost, _ assets: [Asset] = []) -> Site {
        var site = Site()
        site.serve(assets)
        // The demo's error pages link to pages that this host does not serve.
        site.errors = ErrorRenderer()
        for (path, reply) in broken.replies { site.route(.get, path, to: ClosureHandler(reply.response)) }
        site.route(.get, FaultPages.picturePath, to: ClosureHandler { _ in .picture(PackageResources.connected_svg) })
        return site
    }
}
