#include <openssl/crypto.h>

/* Prevents OpenSSL's exit handler, which frees memory that other threads may still use. The system frees the memory of a
   process in any case. This function runs before main, because OpenSSL registers the handler in its first call. */
__attribute__((constructor)) static void keep_memory_at_exit(void) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}
