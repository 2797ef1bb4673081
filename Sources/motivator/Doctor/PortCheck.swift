import MotivatorPlatform
import MotivatorServer

struct PortCheck {
    let addresses: [SocketAddress]
    let admin: SocketAddress?

    func outcomes(https: UInt16, plain: UInt16) -> [StatusTable.Row] {
        var all = addresses.map { ("HTTPS", "--port", at($0, https)) }
        if plain != 0 { all += addresses.map { ("HTTP", "--plain-port", at($0, plain)) } }
        if let admin { all.append(("admin", "--admin", admin)) }
        let isServing = admin.map { $0.listenError != nil && HealthCheck.isHealthy($0) } ?? false
        return all.filter { $0.2.port != 0 }.map { use, option, address in
            outcome("\(use) \(address)", address, option: option, isServing: isServing)
        }
    }

    private func outcome(
        _ subject: String, _ address: SocketAddress, option: String, isServing: Bool
    ) -> StatusTable.Row {
        switch address.listenError {
        case nil: return .good(subject, "free")
        case .inUse:
            let owner = PortOwner.find(port: address.port)
            if owner?.name == "motivator" || (owner?.name == nil && isServing) {
                return .good(subject, "in use by a running motivator\(owner?.process.map { " (process \($0))" } ?? "")")
            }
            return .problem(
                subject, "in use by \(owner?.text ?? "an unknown program")",
                "Stop that program, or choose another port with \(option)")
        case .notPermitted(let address)?:
            return .problem(
                subject, "this user is not permitted to listen on port \(address.port)",
                "Choose a port above 1023 with \(option)")
        case .noSuchAddress?, .failed?:
            let error = address.listenError ?? .noSuchAddress(address)
            return .problem(subject, error.problem, Fix(error.fix))
        }
    }

    private func at(_ address: SocketAddress, _ port: UInt16) -> SocketAddress {
        var address = address
        address.port = port
        return address
    }
}

struct PortOwner {
    /// The process ID, if this user may see it.
    var process: Int?
    /// The name of the program, if this user may see the process.
    var name: String?
    var user: Int?

    var text: String {
        if let name, let process { return "\(name.printable) (process \(process))" }
        return user.map { "a program of user \($0)" } ?? "an unknown program"
    }
}
