import MotivatorPlatform
import Testing

@testable import Accounts

@Suite("scrypt") struct ScryptTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        let password: String
        let salt: String
        let log2N: Int
        let r: Int
        let p: Int
        let derived: String
        var testDescription: String { "RFC 7914 §12: \"\(password)\", \"\(salt)\", 2^\(log2N), \(r), \(p)" }
    }

    // The fourth vector of the RFC needs 1 GiB, four times the limit here.
    @Test(
        "The vectors of RFC 7914 §12",
        arguments: [
            Vector(
                password: "", salt: "", log2N: 4, r: 1, p: 1,
                derived: "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                    + "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"),
            Vector(
                password: "password", salt: "NaCl", log2N: 10, r: 8, p: 16,
                derived: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
            Vector(
                password: "pleaseletmein", salt: "SodiumChloride", log2N: 14, r: 8, p: 1,
                derived: "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
                    + "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"),
        ])
    func vectors(_ vector: Vector) throws {
        let derived = try Scrypt.derive(
            Password(vector.password), salt: Array(vector.salt.utf8),
            ScryptParameters(log2N: vector.log2N, r: vector.r, p: vector.p), length: 64)
        #expect(derived.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == vector.derived)
    }

    @Test(
        "Parameters that OpenSSL would refuse are refused before, and all others are computed",
        arguments: [(1, 1, 1), (15, 1, 1), (1, 32, 16), (4, 8, 1)])
    func edges(_ log2N: Int, _ r: Int, _ p: Int) throws {
        let parameters = try ScryptParameters(log2N: log2N, r: r, p: p)
        #expect(try Scrypt.derive(Password("x"), salt: [1], parameters, length: 32).count == 32)
    }

    @Test(
        "Parameters out of range are refused",
        arguments: [(0, 8, 1), (21, 8, 1), (16, 1, 1), (4, 0, 1), (4, 33, 1), (4, 8, 0), (4, 8, 17), (Int.max, 8, 1)])
    func outOfRange(_ log2N: Int, _ r: Int, _ p: Int) {
        let error = #expect(throws: ExplainedFailure.self) { try ScryptParameters(log2N: log2N, r: r, p: p) }
        #expect(error?.problem == "the scrypt parameters ln=\(log2N),r=\(r),p=\(p) are out of range")
    }

    @Test(
        "Parameters that need too much memory or work are refused with the limits",
        arguments: [(19, 8, 1), (20, 3, 1), (18, 8, 9), (17, 16, 9)])
    func tooMuch(_ log2N: Int, _ r: Int, _ p: Int) {
        let error = #expect(throws: ExplainedFailure.self) { try ScryptParameters(log2N: log2N, r: r, p: p) }
        #expect(error?.problem.contains("ln=\(log2N),r=\(r),p=\(p) requires too much") == true)
        #expect(error?.fix.contains("256 MiB") == true)
    }

    @Test("The default is within the bounds")
    func byDefault() throws {
        #expect(try ScryptParameters(log2N: 15, r: 8, p: 3) == .default)
    }
}
