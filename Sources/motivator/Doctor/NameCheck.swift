import AssociatedDomains
import HTTPSClient
import MotivatorPlatform
import MotivatorServer

struct NameCheck {
    /// The time limit for resolving one name, in seconds. A name in /etc/hosts resolves immediately.
    private static let timeout = 5

    /// The time limit for the name of this machine at start. A multicast DNS responder on this machine answers at once.
    private static let localTimeout = 1

    var names: [String] = []
    var lookup = NameLookup.system

    func outcomes() -> [StatusTable.Row] {
        let results = names.distinct.map { (name: $0, obstacle: obstacle(for: $0)) }
        let missing = results.filter { $0.obstacle != nil && HostText.isPrivate($0.name) }.map(\.name)
        let line = "127.0.0.1 \(missing.joined(separator: " "))"
        return results.map { name, obstacle in
            guard let obstacle else { return .good(name, "resolves to this machine") }
            return HostText.isPrivate(name)
                ? .problem(name, obstacle.problem, Fix("Add to /etc/hosts", line: line))
                : .warning(name, obstacle.problem, obstacle.fix)
        }
    }

    /// Returns why a name does not resolve to this machine, and what to do for a public name; nil if it does.
    private func obstacle(for name: String) -> (problem: String, fix: Fix)? {
        do throws(FetchFailure) {
            let addresses = try lookup.addresses(
                of: name, port: 0, until: Fetcher().limited(to: NameCheck.timeout).deadline)
            if addresses.contains(where: \.isOfThisMachine) { return nil }
            return (
                "resolves to \(addresses.map(\.host).joined(separator: ", ")), which is not this machine",
                "Change its DNS record, unless a proxy with this address forwards to this machine"
            )
        } catch {
            return (error.problem, "Add a DNS record with the address of this machine")
        }
    }

    /// Returns the name of this machine in multicast DNS, if it resolves to one of the addresses. Otherwise, no
    /// responder announces it.
    func localName(at addresses: [SocketAddress]) -> String? {
        let deadline = Fetcher().limited(to: NameCheck.localTimeout).deadline
        guard let name = LocalNetwork.name,
            let found = try? lookup.addresses(of: name, port: 0, until: deadline)
        else { return nil }
        return found.contains { one in addresses.contains { $0.bytes == one.bytes } } ? name : nil
    }
}

extension SocketAddress {
    /// Whether a network interface of this machine has the address. A socket can bind only to such an address.
    fileprivate var isOfThisMachine: Bool {
        let address = SocketAddress(bytes: bytes, port: 0)
        switch address?.listenError {
        case nil, .inUse?: return true
        case .notPermitted?, .noSuchAddress?, .failed?: return false
        }
    }
}
