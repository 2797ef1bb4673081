import Certificates
import Dispatch
import MotivatorPlatform
import Synchronization
import Testing

@Suite("Exit") struct ExitTests {
    /// The number of digests that the threads have computed.
    static let digests = Atomic<Int>(0)

    /// Waits until the threads have computed this many more digests.
    static func hash(_ more: Int) {
        let end = digests.load(ordering: .relaxed) + more
        while digests.load(ordering: .relaxed) < end { sched_yield() }
    }

    @Test("Threads can still hash while and after the exit handlers of libraries run")
    func hashing() async {
        await #expect(processExitsWith: .success) {
            // This handler is registered before the first call of OpenSSL, so it runs after OpenSSL's handlers.
            atexit { ExitTests.hash(10_000) }
            for number in 0..<2 {
                DispatchQueue(label: "hash-\(number)").async {
                    while true { ExitTests.digests.add(min(Digest.sha256([1]).count, 1), ordering: .relaxed) }
                }
            }
            ExitTests.hash(100)
            exit(0)
        }
    }
}
