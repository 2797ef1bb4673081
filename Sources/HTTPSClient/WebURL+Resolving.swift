extension WebURL {
    /// Resolves a reference against this URL (RFC 3986 §5.2), as in a `Location` field.
    ///
    /// Removes dot segments (§5.2.4). The result has the fragment of the reference. A client that follows a redirect
    /// keeps this URL's fragment if the reference has none (RFC 9110 §10.2.2).
    /// - Parameter reference: a URL or a relative reference, at most `maximumLength` bytes; empty for this URL.
    /// - Throws: `Malformed`, including for a scheme other than `https` and `http`.
    public func resolving(_ reference: String) throws(Malformed) -> WebURL {
        if !reference.isEmpty { try WebURL.checkWhole(reference) }
        let parts = try URLReference(reference)
        if parts.scheme != nil && parts.authority == nil { throw .noHost(reference) }
        if let authority = parts.authority {
            return try WebURL(
                scheme: parts.scheme ?? scheme, authority: authority, path: WebURL.removingDots(parts.path),
                query: parts.query, fragment: parts.fragment)
        }
        let path: String
        var query = parts.query
        if parts.path.isEmpty {
            path = self.path
            query = query ?? self.query
        } else if parts.path.utf8.first == UInt8(ascii: "/") {
            path = WebURL.removingDots(parts.path)
        } else {
            path = WebURL.removingDots(directory + parts.path)
        }
        return try WebURL(
            scheme: scheme, authority: URLAuthority(host: host, port: port), path: path, query: query,
            fragment: parts.fragment)
    }

    /// The path up to its last slash, to which resolving appends a relative path (RFC 3986 §5.2.3).
    private var directory: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(path[...slash])
    }

    /// Removes `.` and `..` from a path (RFC 3986 §5.2.4) in linear time, also if they are percent-encoded (WHATWG URL).
    package static func removingDots(_ path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), path.contains("/.") || path.contains("/%2") else { return path }
        var kept: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment.lowercased().replacing("%2e", with: ".") {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            case _: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}
