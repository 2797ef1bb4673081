package import Logging
import MotivatorHTTP
import MotivatorPlatform
package import MotivatorServer

/// The devices on the local network that have read the association file.
package final class DeviceReads: Sendable {
    private struct Read: Hashable, Sendable {
        let address: String
        let status: Int
    }

    /// The maximum number of reads in the log, because other machines on the network can imitate devices.
    private static let maximumReads = 64
    /// The User-Agent name of the program that reads the file on Apple's devices.
    private static let daemon = Array("swcd".utf8)

    private let reads = Guarded<Set<Read>>([])
    private let log: Logger

    package init(log: Logger) { self.log = log }

    /// Returns a recorder that reports each request for the association file.
    package static func recorder(limit: Int, for reads: DeviceReads?) -> TrafficRecorder {
        TrafficRecorder(limit: limit, keptPaths: ServedAssociation.paths) { peer, head, status in
            reads?.add(peer, head, status)
        }
    }

    /// Whether a device has received the file.
    var hasFile: Bool { reads.withLock { $0.contains { $0.status == 200 } } }

    private func add(_ peer: Peer, _ head: RequestHead, _ status: Int) {
        guard peer.tlsVersion != nil, head.withValue(.userAgent, { $0?.contains(Self.daemon) ?? false }) else { return }
        let read = Read(address: peer.address.host, status: status)
        guard reads.withLock({ $0.count < Self.maximumReads && $0.insert(read).inserted }) else { return }
        guard status == 200 else {
            return log.warning(
                "the device \(read.address) requested the association file and received status \(status)")
        }
        log.notice(
            "the device \(read.address) has read the association file. Run your app on it, and request a password.")
    }
}
