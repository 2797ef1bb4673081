#pragma once
/* This target has no declarations. Linking it changes how OpenSSL behaves at exit. */
