package import MotivatorHTTP
import MotivatorPlatform

/// A recorder that keeps the last requests and failed handshakes of a server, for an inspector.
///
/// Each loop writes to its own lane, so loops do not share data. The memory is bounded.
package final class TrafficRecorder: Sendable {
    package struct Entry: Sendable {
        /// The lane of the entry. The lane and the number identify the entry.
        package internal(set) var lane = 0
        package internal(set) var number = 0
        /// The time of the response in milliseconds since 1970.
        package internal(set) var time: Int64 = 0
        /// The time from the complete head to the response, in milliseconds.
        package internal(set) var duration: Int64 = 0
        package internal(set) var peer: Peer?
        /// The head as received, truncated to `TrafficRecorder.headLimit`; empty for a failed handshake or a malformed
        /// head.
        package internal(set) var head: [UInt8] = []
        /// The status; 0 for a failed handshake, or if the server sent no response.
        package internal(set) var status = 0
        package internal(set) var bytes = 0
        /// The content; nil unless the recorder keeps the content of the path.
        package internal(set) var content: Content?
        /// The reason why the handshake failed; nil for a request.
        package internal(set) var failure: String?
    }

    /// The content of responses, with the problem that a reader finds in it. Entries with equal content share it,
    /// so that a reader checks a file once and not for each request.
    package final class Content: Sendable {
        package let bytes: [UInt8]
        /// Whether the response had Content-Encoding: gzip.
        package let isGzip: Bool
        /// The time of the first response with this content, in milliseconds since 1970.
        package let time: Int64
        fileprivate let path: Int
        private let problem = Guarded<String??>(nil)

        fileprivate init(_ bytes: [UInt8], isGzip: Bool, path: Int, time: Int64) {
            (self.bytes, self.isGzip, self.path, self.time) = (bytes, isGzip, path, time)
        }

        /// Returns the problem, or nil if there is none. Calls `find` the first time only.
        package func problem(_ find: (Content) -> String?) -> String? {
            problem.withLock { known in
                let text = known ?? find(self)
                known = text
                return text
            }
        }
    }

    /// The position after the last entry that a reader has seen, for each lane.
    package typealias Cursor = [Int]

    /// The maximum number of recorded bytes per head.
    package static let headLimit = 4 << 10

    /// The number of contents per loop that later entries can share: two paths, each with and without gzip.
    private static let sharedContents = 4
    /// The maximum age of a content that later entries share, in milliseconds. A signature can expire in the meantime.
    private static let sharedAge: Int64 = 3_600_000

    private let limit: Int
    private let keptPaths: [[UInt8]]
    private let lanes = Guarded<[Lane]>([])
    private let observe: (@Sendable (Peer, RequestHead, _ status: Int) -> Void)?

    /// - Parameters:
    ///   - limit: the maximum number of entries, at least 1.
    ///   - observe: is called on the event loop after each response for one of the kept paths, so it must be fast.
    package init(
        limit: Int, keptPaths: [String] = [], observe: (@Sendable (Peer, RequestHead, _ status: Int) -> Void)? = nil
    ) {
        (self.limit, self.observe) = (limit, observe)
        self.keptPaths = keptPaths.map { Array($0.utf8) }
    }

    func makeLane() -> Lane {
        lanes.withLock { lanes in
            let lane = Lane(lanes.count, limit: limit, keptPaths, observe)
            lanes.append(lane)
            return lane
        }
    }

    /// Returns the entries after a position, in order of time.
    /// - Parameter cursor: the position; empty for all entries.
    package func entries(after cursor: Cursor = []) -> (entries: [Entry], cursor: Cursor) {
        let lanes = lanes.withLock { $0 }
        let parts = lanes.enumerated().map { index, lane in
            lane.entries(after: index < cursor.count ? cursor[index] : 0)
        }
        let merged = parts.flatMap(\.entries).sorted { ($0.time, $0.lane, $0.number) < ($1.time, $1.lane, $1.number) }
        return (merged.suffix(limit), parts.map(\.end))
    }

    final class Lane: Sendable {
        private struct Ring {
            var entries: [Entry] = []
            var count = 0
            /// The last contents, newest first.
            var contents: [Content] = []
        }

        private let index: Int
        private let limit: Int
        private let keptPaths: [[UInt8]]
        private let observe: (@Sendable (Peer, RequestHead, Int) -> Void)?
        private let ring = Guarded(Ring())

        fileprivate init(
            _ index: Int, limit: Int, _ keptPaths: [[UInt8]], _ observe: (@Sendable (Peer, RequestHead, Int) -> Void)?
        ) {
            (self.index, self.limit, self.keptPaths, self.observe) = (index, limit, keptPaths, observe)
        }

        func record(
            _ peer: Peer, _ head: RequestHead?, time: Int64, duration: Int64, status: Int, bytes: Int,
            content: [UInt8]?, isGzip: Bool = false
        ) {
            let path = head.flatMap { keptPath(of: $0) }
            if let head, path != nil { observe?(peer, head, status) }
            let kept = path.flatMap { path in content.map { keep($0, isGzip: isGzip, path: path, time: time) } }
            write { entry in
                (entry.peer, entry.time, entry.duration) = (peer, time, duration)
                (entry.status, entry.bytes) = (status, bytes)
                entry.content = kept
                entry.failure = nil
                // The next request in this slot reuses the memory.
                entry.head.removeAll(keepingCapacity: true)
                head?.withReceivedBytes { bytes in
                    entry.head.append(contentsOf: bytes.part(0..<min(bytes.count, TrafficRecorder.headLimit)))
                }
            }
        }

        func keepsContent(of head: RequestHead) -> Bool { keptPath(of: head) != nil }

        private func keptPath(of head: RequestHead) -> Int? {
            head.withPath { path in keptPaths.firstIndex { path.elementsEqual($0) } }
        }

        /// Returns the content to keep, which earlier entries may share.
        private func keep(_ bytes: [UInt8], isGzip: Bool, path: Int, time: Int64) -> Content {
            ring.withLock { ring in
                let known = ring.contents.first { content in
                    content.path == path && abs(time - content.time) < TrafficRecorder.sharedAge
                        && content.isGzip == isGzip && content.bytes == bytes
                }
                if let known { return known }
                let new = Content(bytes, isGzip: isGzip, path: path, time: time)
                ring.contents = [new] + ring.contents.prefix(TrafficRecorder.sharedContents - 1)
                return new
            }
        }

        func record(failedHandshakeOf peer: Peer, time: Int64, reason: String) {
            write { entry in
                entry = Entry(time: time, peer: peer, failure: reason)
            }
        }

        private func write(_ change: (inout Entry) -> Void) {
            ring.withLock { ring in
                let slot = ring.count % limit
                if slot == ring.entries.count { ring.entries.append(Entry()) }
                change(&ring.entries[slot])
                ring.count += 1
                (ring.entries[slot].lane, ring.entries[slot].number) = (index, ring.count)
            }
        }

        fileprivate func entries(after number: Int) -> (entries: [Entry], end: Int) {
            ring.withLock { ring in
                // After a restart, a reader's position may be later than the last entry.
                let known = number > ring.count ? 0 : number
                return ((max(known, ring.count - limit, 0)..<ring.count).map { ring.entries[$0 % limit] }, ring.count)
            }
        }
    }
}
