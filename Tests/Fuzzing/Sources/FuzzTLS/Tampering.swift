/// A change to the client's bytes on their way to the server.
struct Tampering {
    enum Kind: UInt8 {
        case none, insert, overwrite, drop, flip, repeated, truncate, record
    }

    let kind: Kind
    /// The offset in the client's bytes. The hello has about 300 bytes, and the client's whole handshake about 400.
    let offset: Int
    /// The number of affected bytes for an operation without garbage, or the number of the client's key updates.
    let amount: Int
    let garbage: [UInt8]

    /// Parses two bytes of offset, a byte of kind, a byte of amount, and the garbage.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        let fields = Array(bytes.prefix(4))
        offset = (Int(fields[0]) << 8 | Int(fields[1])) % 1024
        kind = Kind(rawValue: fields[2] & 7) ?? .none
        amount = Int(fields[3])
        garbage = Array(bytes.dropFirst(4))
    }

    /// The number of key updates. Only undisturbed sessions have them.
    var keyUpdates: Int { kind == .none ? amount & 63 : 0 }

    /// Returns the bytes that replace `removed` bytes at the offset, or nil if too few bytes have arrived.
    func change(_ rest: ArraySlice<UInt8>, before: [UInt8]) -> (removed: Int, inserted: [UInt8])? {
        let some = amount + 1
        switch kind {
        case .none, .truncate: return (0, [])
        case .insert: return (0, garbage)
        case .overwrite: return rest.isEmpty ? nil : (min(garbage.count, rest.count), garbage)
        case .drop: return rest.isEmpty ? nil : (min(some, rest.count), [])
        case .flip:
            guard let first = rest.first else { return nil }
            return (1, [first ^ UInt8(truncatingIfNeeded: some)])
        case .repeated: return (0, Array(before.suffix(some)))
        case .record:
            // A record with a valid header: a type from the amount, the version TLS 1.2, and the garbage.
            let length = garbage.count
            let type = UInt8(20 + amount % 5)
            return (0, [type, 3, 3, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)] + garbage)
        }
    }
}

/// The relay between the client and the server.
struct Relay {
    private let tampering: Tampering
    /// The client's bytes that were delivered before the change, or held back until enough bytes have arrived.
    private var before: [UInt8] = []
    private var isTruncated = false
    private(set) var hasTampered = false
    private var isDone = false

    init(_ tampering: Tampering) {
        self.tampering = tampering
    }

    /// Delivers the client's data. Returns the number of bytes.
    mutating func forward(from client: SocketPair, to server: inout SocketPair) -> Int {
        let bytes = client.receive()
        guard !isDone else {
            if !isTruncated { send(bytes[...], to: server) }
            return bytes.count
        }
        before += bytes
        let start = before.count - bytes.count
        guard before.count >= tampering.offset else {
            send(bytes[...], to: server)
            return bytes.count
        }
        send(before[start..<max(start, tampering.offset)], to: server)
        let rest = before[max(start, tampering.offset)...]
        guard let change = tampering.change(rest, before: Array(before[..<tampering.offset])) else {
            return bytes.count
        }
        isDone = true
        hasTampered = tampering.kind != .none
        isTruncated = tampering.kind == .truncate
        if isTruncated {
            server.endSending()
        } else {
            send(change.inserted + rest.dropFirst(change.removed), to: server)
        }
        return bytes.count + change.inserted.count
    }

    /// Delivers the server's data. Returns the number of bytes.
    func copyBack(from server: SocketPair, to client: SocketPair) -> Int {
        let bytes = server.receive()
        send(bytes[...], to: client)
        return bytes.count
    }

    private func send(_ bytes: some Collection<UInt8>, to pair: SocketPair) {
        guard !bytes.isEmpty else { return }
        Array(bytes).withUnsafeBytes { pair.send($0) }
    }
}
