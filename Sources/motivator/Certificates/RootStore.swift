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

    /// The kind; on macOS, two names select the same store.
    var effective: RootStoreKind {
        #if os(macOS)
        self == .system ? .macos : self
        #else
        self
        #endif
    }

    /// - Throws: an error if the store or its tool is missing.
    func find() throws(SystemTool.Failure) -> [any RootStore] {
        switch effective {
        case .system: [try DebianStore.find()]
        case .nss: try NSSDatabase.find()
        case .java: [try JavaKeyStore.find()]
        case .simulator: [try SimulatorKeychain.find()]
        case .macos: [try MacKeychain.find()]
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
