import MotivatorPlatform
import MotivatorServer

struct PortCheck {
    let addresses: [SocketAddress]
    let admin: SocketAddress?

    func outcomes(https: UInt16, plain: UInt16) -> [StatusTable.Row] {
        var all = addresses.map { ("HTTPS", at($0, https)) }
        if plain != 0 { all += addresses.map { ("HTTP", at($0, plain)) } }
        if let admin { all.append(("admin", admin)) }
        let isServing = admin.map { $0.listenError != nil && HealthCheck.isServing($0) } ?? false
        return all.filter { $0.1.port != 0 }.map { use, address in
            let subject = "\(use) \(address)"
            guard let error = address.listenError else { return .good(subject, "free") }
            if isServing, case .inUse = error { return .good(subject, "in use by a running motivator") }
            return .problem(subject, error)
        }
    }

    private func at(_ address: SocketAddress, _ port: UInt16) -> SocketAddress {
        var address = address
        address.port = port
        return address
    }
}
