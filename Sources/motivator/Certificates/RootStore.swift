import ArgumentParser
import Certificates
import MotivatorPlatform

/// A trust store of this machine: the system's own, a browser's database, or Java's key store.
///
/// `TrustChange` decides what to do. A store only reads the state of a root, adds the root, or removes it.
protocol RootStore {
    var kind: RootStoreKind { get }
    /// The file, the folder or the device, for messages.
    var location: String { get }

    func state(of root: TrustedRoot) throws -> RootState
    func add(_ root: TrustedRoot) throws
    /// Removes the root that `add` added.
    func remove(_ root: TrustedRoot) throws
}

enum RootState: Equatable {
    /// The store does not trust the root.
    case absent
    /// The store trusts the root under the name that this program uses.
    case installed
    /// The store trusts the root, but another program or the user added the root under this name.
    case foreign(name: String, removal: Fix)
    /// The store's tool cannot list its roots.
    case unknown
}

enum RootStoreKind: String, CaseIterable, ExpressibleByArgument {
    case system, nss, java, simulator, macos

    static var usual: [RootStoreKind] {
        #if os(macOS)
        [.macos, .nss, .java, .simulator]
        #else
        [.system, .nss, .java]
        #endif
    }

    func find() -> [FoundStore] {
        switch self {
        case .system:
            #if os(macOS)
            MacKeychain.find()
            #else
            DebianStore.find()
            #endif
        case .nss: NSSDatabase.find()
        case .java: JavaKeyStore.find()
        case .simulator: SimulatorKeychain.find()
        case .macos: MacKeychain.find()
        }
    }
}

extension RootStoreKind {
    func unavailable(_ problem: String, _ fix: Fix) -> [FoundStore] { [.unavailable(self, problem: problem, fix)] }
}

enum FoundStore {
    case store(any RootStore)
    /// The store or its tool is missing.
    case unavailable(RootStoreKind, problem: String, Fix)
}

struct TrustedRoot {
    let certificate: Certificate
    /// The absolute path of the certificate (PEM).
    let path: String

    var name: String { certificate.storeName }
    /// The SHA-256 digest as most tools print it.
    var digest: String { certificate.fingerprintText }

    /// Creates a root from a CA's folder.
    /// - Parameter folder: the CA's folder, as an absolute path or a path relative to the current folder.
    init(_ certificate: Certificate, folder: String) {
        self.certificate = certificate
        let file = folder + "/authority.pem"
        let absolute = unsafe realpath(file, nil)
        defer { unsafe free(absolute) }
        path = unsafe absolute.map { unsafe String(cString: $0) } ?? file
    }
}
