import ArgumentParser
import MotivatorPlatform

/// The address of the admin listener, or "off". The address must not be public.
enum AdminAddress: ExpressibleByArgument, CustomStringConvertible {
    case at(SocketAddress)
    case off

    static let standard = SocketAddress("127.0.0.1", port: 8081).map { AdminAddress.at($0) } ?? .off

    init?(argument: String) {
        if argument == "off" {
            self = .off
            return
        }
        guard let colon = argument.lastIndex(of: ":") else { return nil }
        let digits = argument[argument.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else { return nil }
        var host = argument[..<colon]
        // An IPv6 address requires brackets. Other addresses must not have them.
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard host.contains(":") == isBracketed, let address = SocketAddress(String(host), port: port) else {
            return nil
        }
        self = .at(address)
    }

    var description: String {
        switch self {
        case .at(let address): "\(address)"
        case .off: "off"
        }
    }

    var defaultValueDescription: String { description }

    func listening() throws -> [SocketAddress] {
        switch self {
        case .off: return []
        case .at(let address):
            try require(
                address.isLoopback || address.isPrivate, "--admin \(address) is a public address",
                fix: "Use a loopback or private address, such as 127.0.0.1:8081")
            return [address]
        }
    }
}
