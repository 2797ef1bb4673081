import FuzzSupport
import MotivatorHTTP
import MotivatorPlatform

/// Checks a host. A host in brackets must be an address exactly when the C library accepts it. Any other host must have
/// the bytes of a registered name.
func checkAuthority(_ value: [UInt8]) {
    let host = value.withFieldBytes { HostSyntax.host(in: $0) }
    if let host {
        require(host.lowerBound == 0 && !host.isEmpty && host.upperBound <= value.count, "a host is outside the value")
        let port = value[host.upperBound...]
        require(port.isEmpty || port.first == UInt8(ascii: ":"), "there are bytes between the host and the port")
        require(
            port.count <= 6 && port.dropFirst().allSatisfy { (0x30...0x39).contains($0) }, "a port is not a number"
        )
        let number = Int(String(decoding: port.dropFirst(), as: UTF8.self)) ?? 0
        require(number <= 65_535, "a port is out of range")
        if value[0] != UInt8(ascii: "[") {
            require(value[host].allSatisfy { $0 > 0x20 && $0 < 0x7F && !"/?#@[]\\:".utf8.contains($0) }, "a bad byte")
        }
    }
    guard value.first == UInt8(ascii: "["), value.last == UInt8(ascii: "]") else { return }
    let inside = value.dropFirst().dropLast()
    guard !inside.contains(0), !inside.contains(UInt8(ascii: "]")) else { return }
    var address = in6_addr()
    let isAddress = inet_pton(AF_INET6, String(decoding: inside, as: UTF8.self), &address) == 1
    require((host != nil) == isAddress, "the C library disagrees about an address")
}
