#pragma once
/* What the C library's module leaves out; empty on other systems. */
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/socket.h>

/* Declared only under _GNU_SOURCE, which a module cannot set. */
extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
#endif
