import Certificates
import MotivatorPlatform
import Testing

@Suite("The CA folder and the owner of its keys") struct AuthorityFolderTests {
    private let bench: Workbench
    private let folder: String

    init() throws {
        bench = try Workbench()
        folder = bench.file("certs")
    }

    private func open() throws -> Authority { try Authority.open(folder: folder, clock: Clock { newYear }) }

    @Test(
        "A folder that other users can write to is refused", arguments: [0o770, 0o775, 0o720, 0o702, 0o777] as [mode_t])
    func writable(mode: mode_t) throws {
        _ = try open()
        chmod(folder, mode)
        let error = #expect(throws: CertificateError.self) { try open() }
        #expect(error == .writableByOthers(path: folder, mode: "0" + String(mode, radix: 8)))
        #expect(error?.fix.hasSuffix("chmod go-w \(folder)") == true && error?.exitCode == .notPermitted)
        #expect(throws: CertificateError.self) { try Authority.create(folder: folder, permitted: []) }
        chmod(folder, 0o700)
        #expect(throws: Never.self) { try open() }
    }

    @Test("A folder that other users can write to gets no new CA")
    func writableAndEmpty() throws {
        mkdir(folder, 0o700)
        chmod(folder, 0o777)
        #expect(throws: CertificateError.writableByOthers(path: folder, mode: "0777")) { try open() }
        #expect(bench.mode("certs/authority.key") == 0)
    }

    @Test("A folder that other users can only read is accepted", arguments: [0o700, 0o750, 0o755] as [mode_t])
    func readable(mode: mode_t) throws {
        mkdir(folder, 0o700)
        chmod(folder, mode)
        #expect(throws: Never.self) { try open() }
        #expect(bench.mode("certs") == mode, "the mode of an existing folder does not change")
    }

    @Test("A folder that becomes writable while the CA is in use is refused at the next write")
    func later() throws {
        let authority = try open()
        chmod(folder, 0o777)
        #expect(throws: CertificateError.writableByOthers(path: folder, mode: "0777")) {
            try authority.identity(for: "a.test")
        }
        #expect(bench.mode("certs/a.test.key") == 0)
    }

    @Test("A symbolic link is as safe as the folder that it leads to")
    func link() throws {
        let target = bench.file("target")
        mkdir(target, 0o700)
        symlink(target, folder)
        #expect(throws: Never.self) { try open() }
        #expect(bench.mode("target/authority.key") == 0o600)
        chmod(target, 0o770)
        #expect(throws: CertificateError.writableByOthers(path: folder, mode: "0770")) { try open() }
    }

    @Test(
        "A key that other users can read is refused, also when it is not needed now",
        arguments: ["authority", "intermediate"])
    func exposed(name: String) throws {
        _ = try open()
        let key = folder + "/\(name).key"
        for mode: mode_t in [0o640, 0o604, 0o620, 0o601] {
            chmod(key, mode)
            #expect(throws: FileError.readableByOthers(path: key, mode: "0" + String(mode, radix: 8))) {
                try open()
            }
        }
        chmod(key, 0o400)
        #expect(throws: Never.self) { try open() }
    }

    @Test("A certificate that other users can change is refused", arguments: ["authority", "intermediate"])
    func changeable(name: String) throws {
        _ = try open()
        let certificate = folder + "/\(name).pem"
        chmod(certificate, 0o664)
        #expect(throws: CertificateError.writableByOthers(path: certificate, mode: "0664")) { try open() }
    }

    @Test("A named pipe instead of a key is rejected without waiting", arguments: ["authority", "intermediate"])
    func pipe(name: String) throws {
        _ = try open()
        let key = folder + "/\(name).key"
        unlink(key)
        mkfifo(key, 0o600)
        #expect(throws: FileError.notAFile(path: key)) { try open() }
    }

    /// Only root can give a file to another user.
    private static let canGiveAway = geteuid() == 0
    private static let other: uid_t = 12_345

    @Test("A folder of another user is refused", .enabled(if: canGiveAway))
    func foreignFolder() throws {
        _ = try open()
        chown(folder, Self.other, 0)
        let error = #expect(throws: CertificateError.self) { try open() }
        #expect(error == .foreignOwner(path: folder, owner: Self.other, user: 0))
        #expect(error?.exitCode == .notPermitted)
        #expect(error?.problem == "\"\(folder)\" belongs to user 12345, but this process runs as user 0")
    }

    @Test(
        "A file of another user is refused", .enabled(if: canGiveAway),
        arguments: ["authority.key", "intermediate.key", "authority.pem", "intermediate.pem"])
    func foreignFile(name: String) throws {
        _ = try open()
        chown(folder + "/" + name, Self.other, 0)
        #expect(throws: CertificateError.foreignOwner(path: folder + "/" + name, owner: Self.other, user: 0)) {
            try open()
        }
    }

    @Test("A leaf whose key belongs to another user is issued again", .enabled(if: canGiveAway))
    func foreignLeaf() throws {
        let first = try open().identity(for: "a.test").certificate
        chown(folder + "/a.test.key", Self.other, 0)
        #expect(try open().identity(for: "a.test").certificate != first)
        var status = stat()
        #expect(stat(folder + "/a.test.key", &status) == 0 && status.st_uid == 0)
    }

    @Test("A file that cannot be replaced is an error, and no temporary file remains")
    func irreplaceable() throws {
        let authority = try open()
        mkdir(folder + "/a.test.key", 0o700)
        let before = bench.names("certs")
        #expect(throws: FileError.self) { try authority.identity(for: "a.test") }
        #expect(bench.names("certs") == before)
    }

    @Test("If a new key cannot be saved, no certificate of the old key remains")
    func halfSaved() throws {
        let authority = try open()
        _ = try authority.identity(for: "a.test")
        unlink(folder + "/a.test.key")
        mkdir(folder + "/a.test.key", 0o700)
        #expect(throws: FileError.self) { try authority.identity(for: "a.test") }
        #expect(!bench.names("certs").contains("a.test.pem"))
    }

    @Test("A symbolic link instead of the lock is refused, and its target is not created")
    func linkedLock() throws {
        mkdir(folder, 0o700)
        symlink(bench.file("target"), folder + "/.lock")
        let error = #expect(throws: CertificateError.self) { try open() }
        #expect(error == .cannotLock(path: folder + "/.lock", SystemError("open", code: ELOOP)))
        #expect(!bench.names("").contains("target"))
    }

    @Test("The files of a wildcard have a name without a star")
    func wildcard() throws {
        let identity = try open().identity(for: "*.demo.test")
        #expect(identity.certificate.dnsNames == ["*.demo.test"])
        let paths = try open().save(identity, as: "*.demo.test")
        #expect(paths.certificate == folder + "/_wildcard.demo.test.pem")
        #expect(paths.key == folder + "/_wildcard.demo.test.key")
        #expect(try Identity.load(certificate: paths.certificate, key: paths.key).certificate == identity.certificate)
        #expect(bench.names("certs").filter { $0.contains("demo") }.count == 2)
    }

    @Test("No temporary file remains")
    func leftovers() throws {
        _ = try open().identity(for: "a.test")
        let names = bench.names("certs")
        #expect(
            names == [
                ".lock", "a.test.key", "a.test.pem", "authority.key", "authority.pem", "intermediate.key",
                "intermediate.pem",
            ])
    }
}
