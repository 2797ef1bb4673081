import MotivatorPlatform

/// A password hash in the PHC string format: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`. The format encodes the salt and the
/// hash in base64 without padding.
struct PasswordHash: Sendable, Equatable {
    /// The invalid part of a hash string.
    enum Failure: Error, Equatable {
        case structure, scheme, parameters, salt, hash
    }

    static let saltLength = 16
    static let length = 32

    let parameters: ScryptParameters
    let salt: [UInt8]
    let hash: [UInt8]
}

extension PasswordHash {
    /// Parses a hash and checks its parameters, because the database may come from another program. The parameters
    /// determine the memory and time of a verification.
    /// - Parameter text: a string in the exact format of `text`.
    init(_ text: String) throws(Failure) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty else { throw .structure }
        guard parts[1].elementsEqual("scrypt".utf8) else { throw .scheme }
        guard let parameters = Self.parameters(parts[2]) else { throw .parameters }
        // Check the lengths first to avoid decoding a long text.
        guard parts[3].count == 22, let salt = Base64.decode(parts[3], .standard), salt.count == Self.saltLength else {
            throw .salt
        }
        guard parts[4].count == 43, let hash = Base64.decode(parts[4], .standard), hash.count == Self.length else {
            throw .hash
        }
        self.init(parameters: parameters, salt: salt, hash: hash)
    }

    var text: String {
        let values = "ln=\(parameters.log2N),r=\(parameters.r),p=\(parameters.p)"
        return "$scrypt$\(values)$\(Base64.encode(salt, .standard))$\(Base64.encode(hash, .standard))"
    }

    /// Parses the parameters in a hash's prefix, which ends before the salt, such as `$scrypt$ln=15,r=8,p=3`.
    static func parameters(inPrefix prefix: String) -> ScryptParameters? {
        let parts = prefix.utf8.split(separator: UInt8(ascii: "$"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].isEmpty, parts[1].elementsEqual("scrypt".utf8) else { return nil }
        return parameters(parts[2])
    }

    private static func parameters(_ text: some Collection<UInt8>) -> ScryptParameters? {
        let parts = text.split(separator: UInt8(ascii: ","), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let log2N = number(parts[0], "ln="), let r = number(parts[1], "r="),
            let p = number(parts[2], "p=")
        else { return nil }
        return try? ScryptParameters(log2N: log2N, r: r, p: p)
    }

    /// Parses a name and one or two decimal digits without a leading zero.
    private static func number(_ text: some Collection<UInt8>, _ name: String) -> Int? {
        guard text.starts(with: name.utf8) else { return nil }
        let digits = text.dropFirst(name.utf8.count)
        guard (1...2).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int(String(decoding: digits, as: UTF8.self))
    }
}
