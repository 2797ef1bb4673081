import MotivatorPlatform
import TestSupport
import Testing

@testable import SharedWebCredentials

@Suite("The file of a device's state")
struct DeviceStateFileTests {
    private let scratch: TemporaryDirectory
    private let path: String

    init() throws {
        scratch = try TemporaryDirectory()
        path = scratch.file("device.json")
    }

    private func saved(_ account: String) -> DeviceState {
        var state = DeviceState()
        state.credentials = [.demo(account)]
        return state
    }

    @Test("Without a file, the device is new, and saving creates the file")
    func new() throws {
        let file = try DeviceStateFile(path)
        #expect(file.isNew && file.state == DeviceState())
        #expect(scratch.names() == ["device.json.lock"])
    }

    @Test("A saved state is read again, and only its owner can read it")
    func roundTrip() throws {
        do { try DeviceStateFile(path).save(saved("ray")) }
        let file = try DeviceStateFile(path)
        #expect(!file.isNew && file.state == saved("ray"))
        for name in scratch.names() {
            var status = stat()
            #expect(stat(scratch.file(name), &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        #expect(scratch.names() == ["device.json", "device.json.lock"])
    }

    @Test("A second command fails with exit code 75 while the device is in use, and succeeds afterwards")
    func lock() throws {
        do {
            let first = try DeviceStateFile(path)
            #expect(throws: ExplainedFailure.deviceInUse(path: path)) { try DeviceStateFile(path, patience: 0) }
            #expect(ExplainedFailure.deviceInUse(path: path).exitCode.rawValue == 75)
            try first.save(saved("ray"))
            #expect(throws: ExplainedFailure.deviceInUse(path: path)) { try DeviceStateFile(path, patience: 0) }
        }
        #expect(try DeviceStateFile(path, patience: 0).state == saved("ray"))
    }

    @Test("Concurrent commands wait for each other, and no change is lost")
    func atOnce() async throws {
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let file = try DeviceStateFile(path, patience: 60)
                    var state = file.state
                    state.credentials.append(.demo("\(number)"))
                    try file.save(state)
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(try DeviceStateFile(path).state.credentials.map(\.account)) == Set((0..<20).map { "\($0)" }))
    }

    @Test("Another name for the file has the same lock, and a link stays a link")
    func links() throws {
        do { try DeviceStateFile(path).save(saved("ray")) }
        let link = scratch.file("link.json")
        #expect(symlink(path, link) == 0)
        do {
            let file = try DeviceStateFile(link)
            #expect(throws: ExplainedFailure.deviceInUse(path: path)) { try DeviceStateFile(path, patience: 0) }
            try file.save(saved("vicki"))
        }
        #expect(try DeviceStateFile(path).state == saved("vicki"))
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    static let contents: [(name: String, content: String, problem: String)] = [
        ("empty", "", "is empty"), ("cut off", #"{"format": "ultra-motivator device state", "ver"#, "truncated"),
        ("foreign JSON", #"{"name":"package"}"#, "not the state of a simulated device"),
        ("no JSON", "PNG", "truncated or damaged"),
        ("newer", #"{"format":"ultra-motivator device state","version":3,"more":true}"#, "has version 3"),
    ]

    @Test("An invalid state is reported with its file and the reason, and not changed", arguments: contents)
    func malformed(_ name: String, _ content: String, _ problem: String) throws {
        try File.write(Array(content.utf8), to: path, mode: 0o600)
        do throws(ExplainedFailure) {
            _ = try DeviceStateFile(path)
            Issue.record("\(name): it was accepted")
        } catch {
            #expect(error.problem.contains(problem) && error.problem.contains(path), "\(name): \(error)")
            #expect(error.exitCode == .badInput)
        }
        #expect(try File.read(path, limit: 1_000) == Array(content.utf8))
    }

    @Test("A file that others can read is refused and not changed", arguments: [0o640, 0o604, 0o644, 0o666])
    func readable(_ mode: Int) throws {
        let bytes = try saved("ray").encoded()
        try File.write(bytes, to: path, mode: mode_t(mode))
        let fault = ExplainedFailure.device(.readableByOthers(path: path, mode: "0" + String(mode, radix: 8)))
        #expect(throws: fault) { try DeviceStateFile(path) }
        #expect(fault.problem.contains("passwords") && fault.fix.contains("chmod 600"))
        #expect(try File.read(path, limit: 1 << 20) == bytes)
    }

    @Test("A folder, a missing folder and a lock that is a link are refused")
    func places() throws {
        #expect(throws: ExplainedFailure.device(.notAFile(path: scratch.path))) {
            try DeviceStateFile(scratch.path)
        }
        #expect(throws: ExplainedFailure.self) { try DeviceStateFile(scratch.file("no/device.json")) }
        let target = scratch.file("target")
        #expect(symlink(target, path + ".lock") == 0)
        #expect(throws: ExplainedFailure.self) { try DeviceStateFile(path) }
        #expect(!scratch.names().contains("target"))
    }

    @Test("A write that fails leaves the old content")
    func failedWrite() throws {
        do { try DeviceStateFile(path).save(saved("ray")) }
        let file = try DeviceStateFile(path)
        var state = saved("vicki")
        state.neverSaved = [String(repeating: "a", count: DeviceStateFile.maximumSize)]
        #expect(throws: ExplainedFailure.self) { try file.save(state) }
        #expect(try DeviceState(json: File.read(path, limit: 1 << 20)) == saved("ray"))
        #expect(scratch.names() == ["device.json", "device.json.lock"])
    }
}
