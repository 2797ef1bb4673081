#if os(Linux)
import CLinux
#endif

/// Protects the memory of the process, which contains private keys and passwords.
package enum ProcessHardening {
    /// Disables core dumps and, on Linux, makes the process non-dumpable (prctl(2), `PR_SET_DUMPABLE`).
    ///
    /// Other processes of the same user can then neither attach to this process nor read its memory. Processes with
    /// `CAP_SYS_PTRACE` still can. A crash does not write memory to disk. `exec` makes the process dumpable again.
    package static func apply() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        #if os(Linux)
        let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        #else
        let core = RLIMIT_CORE
        #endif
        guard unsafe setrlimit(core, &none) == 0 else { throw SystemError("setrlimit") }
        #if os(Linux)
        guard clinux_set_dumpable(0) == 0 else { throw SystemError("prctl") }
        #endif
    }
}
