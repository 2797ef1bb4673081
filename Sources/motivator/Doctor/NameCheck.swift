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

    private enum Result {
        case here
        case elsewhere([SocketAddress])
        case failed(FetchFailure)
    }

    func outcomes() -> [StatusTable.Row] {
        var results: [(name: String, result: Result)] = []
        for name in names where !results.contains(where: { $0.name == name }) {
            results.append((name, resolve(name)))
        }
        let missing = results.filter { entry in
            guard case .here = entry.result else { return HostText.isPrivate(entry.name) }
            return false
        }
        let line = "127.0.0.1 \(missing.map(\.name).joined(separator: " "))"
        return results.map { name, result in outcome(name, result, line: line) }
    }

    private func outcome(_ name: String, _ result: Result, line: String) -> StatusTable.Row {
        switch result {
        case .here: return .good(name, "resolves to this machine")
        case .elsewhere(let addresses):
            let text = addresses.map(\.host).joined(separator: ", ")
            guard !HostText.isPrivate(name) else {
                return .problem(
                    name, "resolves to \(text), which is not this machine", Fix("Add to /etc/hosts", line: line))
            }
            return .warning(
                name, "resolves to \(text), which is not this machine",
                "Change its DNS record, unless a proxy with this address forwards to this machine")
        case .failed(let failure):
            guard !HostText.isPrivate(name) else {
                return .problem(name, failure.problem, Fix("Add to /etc/hosts", line: line))
            }
            return .warning(name, failure.problem, "Add a DNS record with the address of this machine")
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

    private func resolve(_ name: String) -> Result {
        do throws(FetchFailure) {
            let addresses = try lookup.addresses(
                of: name, port: 0, until: Fetcher().limited(to: NameCheck.timeout).deadline)
            return addresses.contains { $0.isOfThisMachine } ? .here : .elsewhere(addresses)
        } catch {
            return .failed(error)
        }
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
