import MotivatorPlatform

/// The host and the port of a URL (RFC 3986 §3.2). A user name is rejected.
package struct URLAuthority {
    package let host: String
    package let port: UInt16?
}

extension URLAuthority {
    init(_ scalars: ArraySlice<Unicode.Scalar>, of text: String) throws(WebURL.Malformed) {
        guard !scalars.contains("@") else { throw .userInformation(text) }
        guard scalars.first == "[" else {
            let end = scalars.firstIndex(of: ":") ?? scalars.endIndex
            let host = String(scalars: scalars[..<end])
            guard !host.isEmpty else { throw .noHost(text) }
            port = try URLAuthority.port(scalars[end...], of: text)
            self.host = try URLAuthority.name(host, of: text)
            return
        }
        guard let end = scalars.firstIndex(of: "]") else {
            throw .malformedAddress(text, host: String(scalars: scalars))
        }
        let host = String(scalars: scalars[(scalars.startIndex + 1)..<end])
        guard !host.isEmpty else { throw .noHost(text) }
        port = try URLAuthority.port(scalars[(end + 1)...], of: text)
        guard !host.utf8.contains(0), let address = SocketAddress(host, port: 0), address.bytes.count == 16 else {
            throw .malformedAddress(text, host: host)
        }
        self.host = address.host
    }

    private static func port(
        _ scalars: ArraySlice<Unicode.Scalar>, of text: String
    ) throws(WebURL.Malformed) -> UInt16? {
        guard let colon = scalars.first else { return nil }
        let digits = String(scalars: colon == ":" ? scalars.dropFirst() : scalars)
        // An empty port means the default port (RFC 3986 §3.2.3).
        if colon == ":", digits.isEmpty { return nil }
        guard colon == ":", digits.unicodeScalars.allSatisfy(\.isASCIIDigit), let port = UInt16(digits), port > 0 else {
            throw .malformedPort(text, port: digits)
        }
        return port
    }

    private static func name(_ written: String, of text: String) throws(WebURL.Malformed) -> String {
        if written.unicodeScalars.contains(where: { !$0.isASCII }) { throw .internationalHost(text, host: written) }
        for scalar in written.unicodeScalars {
            guard scalar.isASCIILetter || scalar.isASCIIDigit || scalar == "-" || scalar == "." || scalar == "_" else {
                throw .hostCharacter(written, scalar)
            }
        }
        let host = written.lowercased()
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard !labels.contains("") else { throw .emptyLabel(text, host: host) }
        guard host.utf8.count <= 253, labels.allSatisfy({ $0.utf8.count <= 63 }) else { throw .hostTooLong(host) }
        if let last = labels.last, isNumber(last) {
            // Some parsers treat a number with a leading zero as octal.
            let isAddress = labels.count == 4 && labels.allSatisfy { UInt8($0).map { String($0) } == String($0) }
            guard isAddress else { throw .malformedAddress(text, host: host) }
        }
        return host
    }

    /// Returns whether a label is a number.
    ///
    /// Browsers treat a host whose last label is a number as an IPv4 address (WHATWG URL, "ends in a number").
    private static func isNumber(_ label: Substring) -> Bool {
        label.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } || label.hasPrefix("0x")
    }
}
