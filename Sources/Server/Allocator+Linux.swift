#if os(Linux)
import CLinux
import MotivatorPlatform
#endif

/// The memory of the process. Without glibc, the allocator keeps its own settings.
package enum Allocator {
    /// Limits the number of arenas. By default, glibc creates up to eight per processor. Each arena keeps free memory
    /// that other threads cannot use, and reserves 64 MiB of address space. Call it before the process starts threads.
    package static func limitArenas(to count: Int32) {
        #if canImport(Glibc)
        mallopt(M_ARENA_MAX, count)
        #endif
    }

    /// Returns free memory to the system, and unmaps the program's code. Threads that allocate memory may wait meanwhile.
    ///
    /// The process maps a page of code again when it needs it. Of the 23 MiB that the start maps, a server under load
    /// needs 1.2 MiB.
    package static func trim() {
        #if canImport(Glibc)
        malloc_trim(0)
        #endif
        #if os(Linux)
        unsafe madvise(clinux_program_start(), Int(clinux_program_size()), MADV_DONTNEED)
        #endif
    }
}
