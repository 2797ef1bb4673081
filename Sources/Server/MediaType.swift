/// The media types of files by the ending of their names.
enum MediaType {
    /// - Parameter name: the last segment of a path.
    /// - Returns: the value of Content-Type, and whether compressing helps.
    static func of(_ name: String) -> (type: String, isCompressible: Bool) {
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
        return table[ending] ?? ("application/octet-stream", false)
    }

    private static let table: [String: (String, Bool)] = [
        "html": ("text/html; charset=utf-8", true), "htm": ("text/html; charset=utf-8", true),
        "css": ("text/css; charset=utf-8", true), "js": ("text/javascript; charset=utf-8", true),
        "mjs": ("text/javascript; charset=utf-8", true), "json": ("application/json", true),
        "map": ("application/json", true), "webmanifest": ("application/manifest+json", true),
        "txt": ("text/plain; charset=utf-8", true), "md": ("text/markdown; charset=utf-8", true),
        "xml": ("application/xml", true), "svg": ("image/svg+xml", true), "wasm": ("application/wasm", true),
        "ico": ("image/x-icon", false), "png": ("image/png", false), "jpg": ("image/jpeg", false),
        "jpeg": ("image/jpeg", false), "gif": ("image/gif", false), "webp": ("image/webp", false),
        "avif": ("image/avif", false), "woff": ("font/woff", false), "woff2": ("font/woff2", false),
        "pdf": ("application/pdf", false), "zip": ("application/zip", false), "gz": ("application/gzip", false),
        "mp4": ("video/mp4", false), "pem": ("application/x-pem-file", false),
        "cer": ("application/x-x509-ca-cert", false), "der": ("application/x-x509-ca-cert", false),
        "mobileconfig": ("application/x-apple-aspen-config", false),
    ]
}
