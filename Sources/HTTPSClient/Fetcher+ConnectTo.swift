package import MotivatorPlatform

extension Fetcher {
    /// A rule to connect to another address: `HOST:PORT:ADDR:PORT`, like `curl --connect-to`.
    ///
    /// The handshake, the Host field and the certificate check still use the name in the URL.
    package struct ConnectTo: Sendable, Hashable, CustomStringConvertible {
        /// The requested host in lower case; nil matches any host.
        package let host: String?
        /// The requested port; nil matches any port.
        package let port: UInt16?
        /// The host or address to connect to, without brackets; nil for the requested host.
        package let target: String?
        /// The port to connect to; nil for the requested port.
        package let targetPort: UInt16?

        /// Parses `HOST:PORT:ADDR:PORT`.
        /// - Parameter text: four parts separated by colons. A part may be empty. An IPv6 address must be in brackets.
        package init(_ text: String) throws(ExplainedFailure) {
            let parts = try Self.parts(text)
            host = try Self.host(parts[0], in: text)?.lowercased()
            port = try Self.port(parts[1], in: text)
            target = try Self.host(parts[2], in: text)
            targetPort = try Self.port(parts[3], in: text)
        }

        package var description: String {
            func bracketed(_ host: String?) -> String { host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "" }
            func number(_ port: UInt16?) -> String { port.map { "\($0)" } ?? "" }
            return "\(bracketed(host)):\(number(port)):\(bracketed(target)):\(number(targetPort))"
        }

        package func fits(_ request: FetchRequest) -> Bool {
            (host == nil || host == request.host.lowercased()) && (port == nil || port == request.port)
        }

        /// Splits at the colons outside brackets.
        private static func parts(_ text: String) throws(ExplainedFailure) -> [String] {
            var parts = [""]
            var isInBrackets = false
            for scalar in text.unicodeScalars {
                if scalar == ":", !isInBrackets {
                    parts.append("")
                    continue
                }
                if scalar == "[" || scalar == "]" {
                    guard isInBrackets == (scalar == "]") else {
                        throw malformed("\(text.excerpt) has unbalanced brackets", fix: brackets)
                    }
                    isInBrackets = scalar == "["
                }
                parts[parts.count - 1].unicodeScalars.append(scalar)
            }
            guard !isInBrackets else { throw malformed("\(text.excerpt) has unbalanced brackets", fix: brackets) }
            guard parts.count == 4 else {
                let count = parts.count == 1 ? "1 part" : "\(parts.count) parts"
                throw malformed("\(text.excerpt) has \(count) separated by colons, not 4")
            }
            return parts
        }

        private static func host(_ part: String, in text: String) throws(ExplainedFailure) -> String? {
            guard !part.isEmpty else { return nil }
            guard part.contains("[") || part.contains("]") else {
                guard FetchRequest(host: part, target: "/").unsendablePart == nil else {
                    throw malformedHost(part, text)
                }
                return part
            }
            let inner = String(part.dropFirst().dropLast())
            guard part.hasPrefix("["), part.hasSuffix("]"), inner.contains(":"), !inner.utf8.contains(0),
                let address = SocketAddress(inner, port: 0)
            else { throw malformedHost(part, text) }
            return address.host
        }

        private static func port(_ part: String, in text: String) throws(ExplainedFailure) -> UInt16? {
            guard !part.isEmpty else { return nil }
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(part), port > 0 else {
                throw malformed("\(part.excerpt) in \(text.excerpt) is not a port from 1 to 65535")
            }
            return port
        }

        private static let brackets = "Write an IPv6 address in one pair of brackets, such as [::1]"

        private static func malformedHost(_ part: String, _ text: String) -> ExplainedFailure {
            malformed("\(part.excerpt) in \(text.excerpt) is not a host name or address")
        }

        private static func malformed(
            _ problem: String, fix: String = "Write HOST:PORT:ADDR:PORT, such as example.com:443:127.0.0.1:8443"
        ) -> ExplainedFailure {
            ExplainedFailure(problem, fix: fix, exitCode: .usage)
        }
    }
}
