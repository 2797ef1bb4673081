import ArgumentParser
import Server

/// Where the admin listener is: an address that the public does not reach, or nowhere.
enum AdminAddress: ExpressibleByArgument, CustomStringConvertible {
    case at(SocketAddress)
    case off

    static let standard = SocketAddress("127.0.0.1", port: 8081).map { AdminAddress.at($0) } ?? .off

    init?(argument: String) {
        if argument == "off" {
            self = .off
            return
        }
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else {
            return nil
        }
        let host = argument[..<colon].drop { $0 == "[" }
        let address = SocketAddress(String(host.hasSuffix("]") ? host.dropLast() : host), port: port)
        guard let address else { return nil }
        self = .at(address)
    }

    var description: String {
        switch self {
        case .at(let address): "\(address)"
        case .off: "off"
        }
    }

    var defaultValueDescription: String { description }

    /// The address to listen on.
    ///
    /// - Throws: `UsageError` for one that the public may reach.
    func listening() throws -> [SocketAddress] {
        switch self {
        case .off: return []
        case .at(let address):
            guard address.isLoopback || address.isPrivate else {
                throw UsageError(
                    "--admin \(address) may be reached by anybody",
                    remedy: "Give an address of this machine or of a private network, such as 127.0.0.1:8081")
            }
            return [address]
        }
    }
}
