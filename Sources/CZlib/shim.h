#pragma once
#include <zlib.h>

/* deflateInit2 is a macro, which Swift does not import. */
static inline int ultra_gzip_start(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
