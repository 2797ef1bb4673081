#if os(Linux)
import Foundation
import MotivatorPlatform

extension PortOwner {
    /// The maximum size of a connection table in bytes, which is enough for 100,000 connections.
    private static let tableLimit = 16 << 20

    /// Finds the program that listens on a port by reading the tables in /proc.
    ///
    /// Source: proc(5), /proc/net/tcp.
    static func find(port: UInt16) -> PortOwner? {
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let content = try? table.content(limit: tableLimit) else { continue }
            for line in content.split(separator: "\n").dropFirst() {
                let words = line.split(separator: " ")
                // The columns are: number, local address, remote address, state (0A is LISTEN), … user, …, inode.
                guard words.count > 9, words[3] == "0A",
                    words[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }) == port
                else { continue }
                let process = process(withSocket: String(words[9]))
                let name = process.flatMap { try? "/proc/\($0)/comm".content(limit: 4_096) }
                return PortOwner(
                    process: process, name: name.map { String($0.prefix { $0 != "\n" }) }, user: Int(words[7]))
            }
        }
        return nil
    }

    /// Returns the process that has a socket open. Skips processes that this user may not inspect.
    private static func process(withSocket inode: String) -> Int? {
        let files = FileManager.default
        let processes = ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int($0) }
        return processes.first { process in
            let folder = "/proc/\(process)/fd"
            let numbers = (try? files.contentsOfDirectory(atPath: folder)) ?? []
            return numbers.contains {
                (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == "socket:[\(inode)]"
            }
        }
    }
}

extension String {
    fileprivate func content(limit: Int) throws(FileError) -> String {
        String(decoding: try File.read(self, limit: limit), as: UTF8.self)
    }
}
#endif
