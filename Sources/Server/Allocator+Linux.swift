#if canImport(Glibc)
import CLinux
#endif

/// The settings of the C library's memory allocator. Without glibc, the allocator keeps its own settings.
package enum Allocator {
    /// The maximum number of arenas. By default, glibc creates up to eight per processor. Each arena keeps free memory
    /// that other threads cannot use, and reserves 64 MiB of address space.
    private static let arenas: Int32 = 4

    /// Limits the number of arenas. Call it before the process starts threads.
    package static func limitArenas() {
        #if canImport(Glibc)
        mallopt(M_ARENA_MAX, arenas)
        #endif
    }

    /// Returns free memory to the system. Threads that allocate memory may wait meanwhile.
    static func trim() {
        #if canImport(Glibc)
        malloc_trim(0)
        #endif
    }
}
