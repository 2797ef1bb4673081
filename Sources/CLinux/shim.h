#pragma once
/* Declarations that the C library's module omits. Empty on systems other than Linux. */
#ifdef __linux__
#include <linux/openat2.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Declared only under _GNU_SOURCE, which a module cannot set. <sys/socket.h> is not included here, because its types
   would then belong to this module or to that of the C library, depending on the order of compilation. */
struct sockaddr;
extern int accept4(int listener, struct sockaddr *address, unsigned int *length, int flags);

/* The linker defines the start of the program, and the end of its code. */
extern const char __executable_start, etext;
static inline void *clinux_program_start(void) { return (void *)&__executable_start; }
static inline unsigned long clinux_program_size(void) { return (unsigned long)(&etext - &__executable_start); }

/* Report a lock to the thread sanitizer, which does not detect it (compiler-rt, tsan_interface.h). */
extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

/* Swift cannot call functions with variadic arguments. */
static inline int clinux_set_dumpable(unsigned long value) { return prctl(PR_SET_DUMPABLE, value, 0, 0, 0); }

/* The C library has no function for openat2(2). <unistd.h> is not included, for the same reason as <sys/socket.h>. */
extern long syscall(long number, ...);
static inline int clinux_open_beneath(int folder, const char *path, int flags) {
    struct open_how how = {.flags = (unsigned int)flags, .resolve = RESOLVE_BENEATH};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}
#endif
