import Certificates
import MotivatorPlatform
import Testing

/// A kind of damage that makes a saved file unusable.
enum Damage: String, CaseIterable, Sendable {
    case missing, empty, truncated, garbage, otherPair

    func apply(to name: String, on bench: Workbench, other: [UInt8]) throws {
        switch self {
        case .missing: unlink(bench.file(name))
        case .empty: try bench.write(name, [])
        case .truncated: try bench.write(name, Array(bench.read(name).dropLast(60)))
        case .garbage: try bench.write(name, Array("garbage".utf8))
        case .otherPair: try bench.write(name, other)
        }
    }
}

@Suite("Saved identities that are incomplete or damaged") struct SavedIdentityTests {
    private let bench: Workbench
    private let folder: String

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
    }

    private func open() throws -> Authority { try Authority.open(folder: folder, clock: Clock { newYear }) }

    private func other(_ file: String) throws -> [UInt8] {
        if file == "key" { return try PrivateKey.generate(.p256).pem }
        return try ChainWorkshop().leaf(by: nil).certificate.pem
    }

    /// Returns whether the saved files are a matching pair.
    private func isWhole(_ name: String) -> Bool {
        let loaded = try? Identity.load(certificate: folder + "/\(name).pem", key: folder + "/\(name).key")
        return loaded != nil
    }

    @Test("A leaf is issued again", arguments: ["pem", "key"], Damage.allCases)
    func leaf(file: String, damage: Damage) throws {
        let authority = try open()
        let first = try authority.identity(for: "a.test").certificate
        try damage.apply(to: "certs/a.test.\(file)", on: bench, other: other(file))
        let second = try authority.identity(for: "a.test")
        #expect(second.certificate != first && second.key.belongs(to: second.certificate))
        #expect(second.chain.count == 1 && isWhole("a.test"))
        #expect(bench.mode("certs/a.test.key") == 0o600)
        #expect(try open().identity(for: "a.test").certificate == second.certificate)
    }

    @Test("A leaf whose file has no intermediate, or another one, is issued again", arguments: [false, true])
    func chain(hasOther: Bool) throws {
        let authority = try open()
        let first = try authority.identity(for: "a.test")
        let rest = hasOther ? authority.root.pem : []
        try bench.write("certs/a.test.pem", first.certificate.pem + rest)
        let second = try authority.identity(for: "a.test")
        #expect(second.certificate != first.certificate && second.chain == first.chain)
    }

    @Test("The same root issues a new intermediate", arguments: ["pem", "key"], Damage.allCases)
    func intermediate(file: String, damage: Damage) throws {
        let before = try open()
        let first = try before.issue(hosts: ["a.test"]).chain
        try damage.apply(to: "certs/intermediate.\(file)", on: bench, other: other(file))
        let after = try open()
        let second = try after.issue(hosts: ["a.test"]).chain
        #expect(after.root == before.root && second != first && after.root.issued(second[0]))
        #expect(try PrivateKey.load(path: folder + "/intermediate.key").belongs(to: second[0]))
        #expect(try Certificate.load(path: folder + "/intermediate.pem") == second)
    }

    @Test(
        "A whole intermediate of another root is not used, with and without the root's key", arguments: [true, false])
    func foreignIntermediate(hasRootKey: Bool) throws {
        let root = try open().root
        _ = try Authority.open(folder: bench.file("other"), clock: Clock { newYear })
        for file in ["intermediate.pem", "intermediate.key"] {
            try bench.write("certs/" + file, bench.read("other/" + file))
        }
        if hasRootKey {
            #expect(try root.issued(open().issue(hosts: ["a.test"]).chain[0]))
        } else {
            unlink(folder + "/authority.key")
            #expect(throws: CertificateError.rootKeyNeeded(folder: folder, ended: nil)) { try open() }
        }
    }

    @Test(
        "An intermediate without its root's key is an error when it is damaged", arguments: ["pem", "key"],
        Damage.allCases)
    func offline(file: String, damage: Damage) throws {
        _ = try open()
        unlink(folder + "/authority.key")
        try damage.apply(to: "certs/intermediate.\(file)", on: bench, other: other(file))
        let error = #expect(throws: CertificateError.self) { try open() }
        #expect(error == .rootKeyNeeded(folder: folder, ended: nil))
        #expect(error?.problem.contains("is missing or damaged") == true)
    }

    @Test("A damaged root certificate is an error, not a new root", arguments: [Damage.empty, .garbage])
    func root(damage: Damage) throws {
        _ = try open()
        try damage.apply(to: "certs/authority.pem", on: bench, other: [])
        #expect(throws: CertificateError.missing(source: folder + "/authority.pem")) { try open() }
        #expect(try bench.read("certs/authority.pem").isEmpty == (damage == .empty))
    }

    @Test("A truncated root certificate is an error that names the file")
    func truncatedRoot() throws {
        _ = try open()
        try Damage.truncated.apply(to: "certs/authority.pem", on: bench, other: [])
        let error = #expect(throws: CertificateError.self) { try open() }
        #expect(error?.problem.contains(folder + "/authority.pem") == true)
    }

    @Test("A damaged root key is an error when it has to sign", arguments: Damage.allCases)
    func rootKey(damage: Damage) throws {
        let root = try open().root
        try damage.apply(to: "certs/authority.key", on: bench, other: other("key"))
        #expect(try open().root == root, "the root key is not required while the intermediate is fresh")
        unlink(folder + "/intermediate.pem")
        let error = #expect(throws: (any Error).self) { try open() }
        switch damage {
        case .missing: #expect(error as? CertificateError == .rootKeyNeeded(folder: folder, ended: nil))
        case .otherPair:
            #expect(
                error as? CertificateError
                    == .rootKeyMismatch(certificate: folder + "/authority.pem", key: folder + "/authority.key"))
        case .empty, .garbage: #expect(error as? CertificateError == .keyMissing(source: folder + "/authority.key"))
        case .truncated: #expect((error as? CertificateError)?.problem.contains("authority.key") == true)
        }
    }
}
