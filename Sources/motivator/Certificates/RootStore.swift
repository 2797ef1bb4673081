import ArgumentParser
import Certificates
import MotivatorPlatform

/// A trust store of this machine: the system's own, a browser's database, or Java's key store.
///
/// `TrustChange` decides what to do. A store only reads the state of a root, adds the root, or removes it.
protocol RootStore {
    /// The file, the folder or the device, for messages.
    var location: String { get }

    func state(of root: TrustedRoot) throws -> RootState
    func add(_ root: TrustedRoot) throws
    /// Removes the root that `add` added.
    func remove(_ root: TrustedRoot) throws
}

enum RootState {
    /// The store does not trust the root.
    case absent
    /// The store trusts the root under the name that this program uses.
    case installed
    /// The store trusts the root, but another program or the user added the root under another name.
    case foreign
    /// The store's tool cannot list its roots.
    case unknown
}

enum RootStoreKind: String, CaseIterable, ExpressibleByArgument {
    case system, nss, java, simulator

    static var usual: [RootStoreKind] {
        #if os(macOS)
        allCases
        #else
        [.system, .nss, .java]
        #endif
    }

    /// - Throws: an error if the store or its tool is missing.
    func find() throws(SystemTool.Failure) -> [any RootStore] {
        switch self {
        #if os(macOS)
        case .system: [try MacKeychain.find()]
        #else
        case .system: [try DebianStore.find()]
        #endif
        case .nss: try NSSDatabase.find()
        case .java: [try JavaKeyStore.find()]
        case .simulator: [try SimulatorKeychain.find()]
        }
    }
}

struct TrustedRoot {
    let certificate: Certificate
    /// The absolute path of the certificate (PEM).
    let path: String

    var folder: String { path.split(separator: "/").dropLast().map { "/" + $0 }.joined() }
    var name: String { certificate.storeName }
    /// The SHA-256 digest as most tools print it.
    var digest: String { certificate.fingerprintText }

    /// Creates a root from a CA's folder.
    /// - Parameter folder: the CA's folder, as an absolute path or a path relative to the current folder.
    init(_ certificate: Certificate, folder: String) {
        self.certificate = certificate
        path = File.resolved(folder + "/authority.pem")
    }
}

/// An operation that adds a root to trust stores or removes it, and reports a result for each store.
struct TrustChange {
    enum Action: String { case install, remove }

    /// The result for a store, or for a kind of stores that is unavailable.
    struct Result {
        enum Status: String {
            case installed
            case alreadyInstalled = "already-installed"
            case removed
            case notInstalled = "not-installed"
            /// The store or its tool is missing.
            case unavailable
            case failed
        }

        let kind: RootStoreKind
        var location = ""
        let status: Status
        /// Nil for a success.
        var failure: SystemTool.Failure?
    }

    let action: Action
    let root: TrustedRoot

    /// Changes the stores of the given kinds one by one. A failure does not affect the other stores.
    func apply(to kinds: [RootStoreKind]) -> [Result] {
        kinds.flatMap { kind -> [Result] in
            do throws(SystemTool.Failure) {
                return try kind.find().map { result(in: $0, kind) }
            } catch {
                return [Result(kind: kind, status: .unavailable, failure: error)]
            }
        }
    }

    /// Changes one store, and compares its state before and after.
    func result(in store: any RootStore, _ kind: RootStoreKind) -> Result {
        do {
            let status = try action == .install ? install(in: store) : remove(from: store)
            return Result(kind: kind, location: store.location, status: status)
        } catch {
            return Result(kind: kind, location: store.location, status: .failed, failure: SystemTool.Failure(error))
        }
    }

    private func install(in store: any RootStore) throws -> Result.Status {
        switch try store.state(of: root) {
        case .installed, .foreign: return .alreadyInstalled
        case .unknown, .absent:
            try store.add(root)
            guard try store.state(of: root) != .absent else {
                throw SystemTool.Failure(
                    "the store does not trust the root, although its tool reported success", fix: .printCommands)
            }
            return .installed
        }
    }

    private func remove(from store: any RootStore) throws -> Result.Status {
        switch try store.state(of: root) {
        case .absent: return .notInstalled
        case .unknown: try store.remove(root)
        case .foreign:
            throw SystemTool.Failure(
                "another program or user added the root under another name",
                fix: "Remove the root with the store's own tool")
        case .installed:
            try store.remove(root)
            guard try store.state(of: root) == .absent else {
                throw SystemTool.Failure(
                    "the store still trusts the root, although its tool reported success",
                    fix: "Remove the root with the store's own tool")
            }
        }
        return .removed
    }

    /// Returns the exit code of the first failure. A missing store is an error only if no store is available or the
    /// user requested stores by name.
    static func exitCode(of results: [Result], isRequested: Bool) -> MotivatorPlatform.ExitCode {
        if let failure = results.first(where: { $0.status == .failed })?.failure { return failure.exitCode }
        let missing = results.count { $0.status == .unavailable }
        return missing > 0 && (isRequested || missing == results.count) ? .unavailable : .yes
    }
}

extension TrustChange.Result {
    private var problem: String? { failure.map { $0.problem + "." } }

    var row: StatusTable.Row {
        let level: StatusTable.Level =
            switch status {
            case .installed, .alreadyInstalled, .removed: .good
            case .notInstalled, .unavailable: .neutral
            case .failed: .bad
            }
        let message = [location, problem ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
        return .init(
            level: level, status: status.rawValue.replacing("-", with: " "), subject: kind.rawValue,
            message: message, fix: failure?.instruction ?? "")
    }

    var json: JSONNode {
        let result: JSONNode = [
            "store": .text(kind.rawValue), "location": location.isEmpty ? .null : .text(location),
            "result": .text(status.rawValue), "message": .optional(problem),
        ]
        return result.adding(failure?.instruction ?? "")
    }
}
