#pragma once
#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Swift does not import values that the headers define as function-like or nested macros.
static const uint64_t COPENSSL_OP_NO_COMPRESSION = SSL_OP_NO_COMPRESSION;
static const uint64_t COPENSSL_OP_NO_RENEGOTIATION = SSL_OP_NO_RENEGOTIATION;
static const uint64_t COPENSSL_OP_CLIENT_RENEGOTIATION =
    SSL_OP_ALLOW_CLIENT_RENEGOTIATION | SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION;
static const uint64_t COPENSSL_OP_LEGACY_SERVER_CONNECT = SSL_OP_LEGACY_SERVER_CONNECT;
/* Compressed certificates (RFC 8879) exist in OpenSSL 3.2 and later. */
#ifdef SSL_OP_NO_RX_CERTIFICATE_COMPRESSION
static const uint64_t COPENSSL_OP_NO_RX_CERTIFICATE_COMPRESSION = SSL_OP_NO_RX_CERTIFICATE_COMPRESSION;
#else
static const uint64_t COPENSSL_OP_NO_RX_CERTIFICATE_COMPRESSION = 0;
#endif
static const uint64_t COPENSSL_OP_NO_TICKET = SSL_OP_NO_TICKET;
static const unsigned long COPENSSL_NAME_ONE_LINE = XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB;
