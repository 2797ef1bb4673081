import Platform

/// An IP address as certificates hold it: 4 or 16 bytes in network order.
struct AddressBytes: Hashable, Sendable {
    let bytes: [UInt8]

    /// - Parameter bytes: 4 or 16 of them, or it is no address.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// - Parameter text: four decimal numbers, or RFC 4291 text without a zone.
    init?(text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, text, &bytes) == 1 {
            self.bytes = Array(bytes.prefix(4))
        } else if unsafe inet_pton(AF_INET6, text, &bytes) == 1 {
            self.bytes = bytes
        } else {
            return nil
        }
    }

    /// The usual text, in the form of RFC 5952 for IPv6.
    var text: String {
        var text = [CChar](repeating: 0, count: 64)
        unsafe inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
