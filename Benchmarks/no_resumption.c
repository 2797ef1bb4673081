// Preloaded into wrk, which keeps the TLS session of a closed connection in SSL_clear and offers it on the next one.
// Forgetting the session there makes every new connection a full handshake.
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
