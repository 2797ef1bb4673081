// A library to preload into wrk. Without it, SSL_clear keeps the TLS session of a closed connection for the next
// connection. This version discards the session, which makes every new connection a full handshake.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int SSL_set_session(void *ssl, void *session);

int SSL_clear(void *ssl)
{
    int (*original)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "SSL_clear");
    int result = original(ssl);

    SSL_set_session(ssl, NULL);
    return result;
}
