import Foundation
import Testing

@testable import MotivatorPlatform

@Suite("Client keys") struct ClientKeyTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let rule: String
        let address: String
        let key: [UInt8]
        var testDescription: String { rule }
    }

    @Test(
        "A client is an IPv4 address or an IPv6 /64 prefix",
        arguments: [
            Case(rule: "IPv4: the whole address", address: "192.0.2.1", key: [192, 0, 2, 1]),
            Case(
                rule: "IPv6: the first 64 bits (RFC 6177 §2)", address: "2001:db8:1:2:3:4:5:6",
                key: [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 2]),
            Case(
                rule: "IPv6: the last bit of the prefix counts", address: "2001:db8:1:3:3:4:5:6",
                key: [0x20, 0x01, 0x0D, 0xB8, 0, 1, 0, 3]),
            Case(rule: "IPv4-mapped: as IPv4 (RFC 4291 §2.5.5.2)", address: "::ffff:192.0.2.1", key: [192, 0, 2, 1]),
            Case(rule: "not mapped: ::fffe:0:0/96", address: "::fffe:c000:201", key: [0, 0, 0, 0, 0, 0, 0, 0]),
            Case(rule: "not mapped: ::feff:0:0/96", address: "::feff:c000:201", key: [0, 0, 0, 0, 0, 0, 0, 0]),
            Case(rule: "not mapped: ::1:ffff:0:0/96", address: "::1:ffff:c000:201", key: [0, 0, 0, 0, 0, 0, 0, 0]),
            Case(
                rule: "not mapped: a set bit in the first half", address: "1::ffff:c000:201",
                key: [0, 1, 0, 0, 0, 0, 0, 0]),
            Case(rule: "IPv6 loopback", address: "::1", key: [0, 0, 0, 0, 0, 0, 0, 0]),
        ])
    func keys(_ example: Case) throws {
        let address = try #require(SocketAddress(example.address, port: 443))
        #expect(address.clientKey == example.key)
        #expect(SocketAddress.clientKey(ofAddress: address.bytes) == example.key)
    }

    @Test("A socket for both families reports the address of an IPv4 client as IPv4")
    func mapped() throws {
        let address = try #require(SocketAddress("::ffff:192.0.2.1", port: 443))
        let storage = address.withSystemAddress { source, length in
            var storage = sockaddr_storage()
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(length)))
            }
            return storage
        }
        #expect(SocketAddress(storage)?.description == "192.0.2.1:443")
    }

    @Test("The port is not part of the key")
    func port() throws {
        let first = try #require(SocketAddress("192.0.2.1", port: 1))
        let second = try #require(SocketAddress("192.0.2.1", port: 2))
        #expect(first.clientKey == second.clientKey)
    }
}
