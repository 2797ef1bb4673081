import Certificates
import MotivatorPlatform
import Testing

@Suite("The configuration profile of a root") struct MobileConfigurationTests {
    private let shop = ChainWorkshop()

    @Test("The bytes are the same in every run, and differ for another root of the same name")
    func deterministic() throws {
        let one = try shop.authority("Root").certificate
        let other = try shop.authority("Root").certificate
        let bytes = try MobileConfiguration(root: one).bytes()
        #expect(try MobileConfiguration(root: one).bytes() == bytes)
        #expect(try MobileConfiguration(root: other).bytes() != bytes)
        #expect(MobileConfiguration(root: one).identifier != MobileConfiguration(root: other).identifier)
        #expect(bytes.starts(with: Array("<?xml".utf8)))
    }

    @Test("A root without a Common Name has its subject as the display name")
    func unnamed() throws {
        let root = try shop.authority("Root") {
            $0.commonName = nil
            $0.organization = "Example"
        }.certificate
        let text = String(decoding: try MobileConfiguration(root: root).bytes(), as: UTF8.self)
        #expect(text.contains("<string>O=Example</string>"))
    }
}

@Suite("The folder of a CA, read without a change") struct AuthorityInspectionTests {
    @Test("A missing folder and an empty folder have no CA, and stay as they are")
    func missing() throws {
        let bench = try Workbench()
        for folder in [bench.file("none"), bench.path] {
            #expect(throws: CertificateError.noAuthority(folder: folder)) { try Authority.root(in: folder) }
            #expect(AuthorityInspection(folder: folder).root == nil)
        }
        #expect(!AuthorityInspection(folder: bench.file("none")).exists)
        #expect(bench.names("").isEmpty)
    }

    @Test("The root to trust has not expired, and has name constraints")
    func trust() throws {
        let bench = try Workbench()
        let authority = try Authority.open(folder: bench.path, clock: Clock { newYear })
        #expect(try Authority.root(toTrustIn: bench.path, at: newYear) == authority.root)
        let path = authority.certificatePath
        #expect(throws: CertificateError.expired(path: path)) {
            try Authority.root(toTrustIn: bench.path, at: authority.root.notAfter)
        }
        try bench.write("authority.pem", try ChainWorkshop().authority("Any").certificate.pem, mode: 0o644)
        #expect(throws: CertificateError.unconstrained(path: path)) {
            try Authority.root(toTrustIn: bench.path, at: newYear)
        }
    }

    @Test("A root that other users can replace is refused")
    func writable() throws {
        let bench = try Workbench()
        _ = try Authority.open(folder: bench.path, clock: Clock { newYear })
        chmod(bench.file("authority.pem"), 0o666)
        #expect(throws: CertificateError.writableByOthers(path: bench.file("authority.pem"), mode: "0666")) {
            try Authority.root(in: bench.path)
        }
    }

    @Test("Each file that the server refuses is a problem")
    func problems() throws {
        let bench = try Workbench()
        let authority = try Authority.open(folder: bench.path, clock: Clock { newYear })
        let good = AuthorityInspection(folder: bench.path)
        #expect(good.problems.isEmpty && good.root == authority.root && good.hasRootKey && good.fileCount == 4)
        #expect(good.intermediate.map(authority.root.issued) == true)
        chmod(bench.file("authority.key"), 0o644)
        chmod(bench.file("intermediate.pem"), 0o602)
        let bad = AuthorityInspection(folder: bench.path)
        #expect(bad.problems.count == 2 && bad.root == authority.root && bad.intermediate == nil)
        chmod(bench.path, 0o777)
        let open = AuthorityInspection(folder: bench.path)
        #expect(open.exists && open.problems.count == 1 && open.root == nil)
        chmod(bench.path, 0o700)
    }
}
