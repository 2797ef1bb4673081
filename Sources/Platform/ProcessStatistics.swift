/// The resources that this process uses.
package enum ProcessStatistics {
    /// The resident memory in bytes; nil if the system does not report it.
    package static var residentBytes: Int? {
        #if os(Linux)
        // The second number is the number of resident pages (proc_pid_statm(5)).
        guard let bytes = try? File.read("/proc/self/statm", limit: 4_096) else { return nil }
        let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard numbers.count > 1, let pages = Int(numbers[1]) else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        #else
        nil
        #endif
    }
}
