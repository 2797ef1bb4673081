import COpenSSL
import MotivatorPlatform

/// An X.509 certificate (RFC 5280). It owns its OpenSSL object.
// Sendable unchecked: OpenSSL counts references atomically, and caches extensions under its own lock.
@safe public final class Certificate: @unchecked Sendable {
    /// The maximum size of a certificate file in bytes. A bundle of all public roots fits.
    public static let fileLimit = 1 << 20

    package let pointer: OpaquePointer

    package init(owning pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    /// Retains a certificate that OpenSSL owns.
    package convenience init(sharing pointer: OpaquePointer) {
        unsafe X509_up_ref(pointer)
        unsafe self.init(owning: pointer)
    }

    deinit {
        unsafe X509_free(pointer)
    }

    /// Parses a certificate in DER form.
    /// - Parameter der: exactly one certificate.
    public convenience init(der: [UInt8], source: String) throws(CertificateError) {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        let (pointer, left) = unsafe Bio.decoding(der) { unsafe d2i_X509(nil, $0, $1) }
        guard let pointer = unsafe pointer else {
            throw .malformed(source: source, position: 1, reason: OpenSSLErrors.drain())
        }
        unsafe self.init(owning: pointer)
        guard left == 0 else { throw .trailingBytes(source: source, count: left) }
    }

    /// Parses all certificates in PEM text, in order. Skips other blocks.
    /// - Returns: at least one certificate.
    /// - Throws: `CertificateError`, even if only one of several blocks is malformed.
    public static func chain(pem: [UInt8], source: String) throws(CertificateError) -> [Certificate] {
        OpenSSLErrors.clear()
        defer { OpenSSLErrors.clear() }
        var found: [Certificate] = []
        let atEnd = unsafe Bio.reading(pem) { bio -> Bool in
            var isPasswordRequested = false
            while let pointer = unsafe withUnsafeMutablePointer(
                to: &isPasswordRequested, { unsafe PEM_read_bio_X509(bio, nil, Bio.refusePassword, $0) })
            {
                unsafe found.append(Certificate(owning: pointer))
            }
            let code = ERR_peek_last_error()
            return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE
        }
        guard atEnd == true else {
            throw .malformed(source: source, position: found.count + 1, reason: OpenSSLErrors.drain())
        }
        guard !found.isEmpty else { throw .missing(source: source) }
        return found
    }

    /// Reads all certificates in a PEM file.
    /// - Returns: at least one certificate.
    /// - Throws: `FileError`, `CertificateError`.
    public static func load(path: String) throws -> [Certificate] {
        try chain(pem: File.read(path, limit: fileLimit), source: path)
    }

    /// The certificate in PEM form.
    public var pem: [UInt8] {
        unsafe Bio.collecting { unsafe PEM_write_bio_X509($0, pointer) == 1 } ?? []
    }

    /// The certificate in DER form.
    public var der: [UInt8] {
        unsafe Bio.encoding { unsafe i2d_X509(pointer, $0) } ?? []
    }

    /// The SHA-256 digest of the DER form: 32 bytes.
    public var fingerprint: [UInt8] { Digest.sha256(der) }

    /// The SHA-256 digest in the form that most tools print, for visual comparison.
    package var fingerprintText: String { fingerprint.map(\.hexadecimal).joined(separator: ":") }

    /// The name of the certificate in trust stores. It contains the start of the digest, so no two roots share a name.
    package var storeName: String { "motivator-\(fingerprint.prefix(8).hexadecimal)" }
}

extension Certificate: Equatable {
    /// Compares the DER forms.
    public static func == (one: Certificate, other: Certificate) -> Bool {
        unsafe X509_cmp(one.pointer, other.pointer) == 0
    }
}
