import Certificates
import MotivatorPlatform

struct AuthorityCheck {
    /// The warning period before the root expires, in days. Within this period, all clients must start to trust a new
    /// root.
    private static let warningDays: UnixTime = 60

    let authority: AuthorityInspection
    let now: UnixTime

    private var renewal: String { "motivator certificate authority --renew --certificates \(folder)" }
    private var folder: String { authority.folder.shellQuoted }

    /// Checks the owners and modes of the CA's files, and whether the CA may sign for the domains.
    func files(_ domains: [String]) throws -> [StatusTable.Row] {
        let (folder, problems) = (authority.folder.quoted, authority.problems)
        guard problems.isEmpty else { return problems.map { .problem("CA", $0.problem, Fix($0.fix)) } }
        guard authority.exists else { return [.good("CA", "the folder \(folder) does not exist yet")] }
        let constraints = authority.root.flatMap(NameConstraints.init(of:))
        let refused = try domains.filter { try constraints?.permits(SubjectName($0)) == false }
        let line = renewal + refused.map { " --permit \($0.shellQuoted)" }.joined()
        let errors = refused.map { CertificateError.notPermitted(name: $0, folder: authority.folder) }
        return [.good("CA", "the owners and modes of the \(authority.fileCount) files in \(folder) are safe")]
            + errors.map { .problem("CA", $0.problem, Fix("Create a new root, and then trust it", line: line)) }
    }

    func trust() -> [StatusTable.Row] {
        guard let certificate = authority.root else {
            guard authority.problems.isEmpty else { return [] }
            return [.good("CA", "\(authority.folder.quoted) contains no CA; the server creates a CA when it starts")]
        }
        let root = TrustedRoot(certificate, folder: authority.folder)
        return [system(certificate)] + databases(root)
    }

    private func system(_ root: Certificate) -> StatusTable.Row {
        do {
            // On Linux, OpenSSL reads the system's bundle. On macOS, it reads its own bundle.
            let verdict = try ChainVerifier(trust: nil, at: now).verdict(on: [root], host: nil)
            if case .system = verdict.anchor { return .good("system", "trusts the CA") }
        } catch {
            return .warning("system", error)
        }
        // The command changes only Debian's store and a Mac's keychain. Other systems need other commands.
        let isKnown = (try? RootStoreKind.system.find()) != nil
        return .problem(
            "system", "does not trust the CA",
            isKnown
                ? Fix("Run", line: "sudo \(command(.system))")
                : Fix("Run the command for your system from", line: "motivator certificate trust --print"))
    }

    private func databases(_ root: TrustedRoot) -> [StatusTable.Row] {
        guard !NSSDatabase.databases(in: Environment["HOME"] ?? "/").isEmpty else {
            return [.good("NSS", "this user has no Chromium or Firefox database")]
        }
        do throws(SystemTool.Failure) {
            return try NSSDatabase.find().map { database($0, root) }
        } catch {
            return [.warning("NSS", error)]
        }
    }

    private func database(_ store: NSSDatabase, _ root: TrustedRoot) -> StatusTable.Row {
        do {
            switch try store.state(of: root) {
            case .installed, .foreign: return .good("NSS", "\(store.location.quoted) trusts the CA")
            case .absent, .unknown:
                return .problem(
                    "NSS", "\(store.location.quoted) does not trust the CA", Fix("Run", line: command(.nss)))
            }
        } catch {
            return .warning("NSS", SystemTool.Failure(error))
        }
    }

    private func command(_ kind: RootStoreKind) -> String {
        "motivator certificate trust --install --store \(kind.rawValue) --certificates \(folder)"
    }

    /// Checks whether the clock is plausible.
    /// - Parameter check: the check of the CA; nil if the server does not use the CA.
    static func clock(at now: UnixTime, _ check: AuthorityCheck?) -> StatusTable.Row {
        let shown = Timestamp.text(now)
        guard now >= Version.released else {
            return .problem("clock", "shows \(shown), before the release of this program", "Set the clock")
        }
        guard let check, let root = check.authority.root, now < root.notBefore else {
            return .good("clock", "shows \(shown), which is plausible")
        }
        return .problem(
            "clock", "shows \(shown), before the CA was created (\(Timestamp.text(root.notBefore)))",
            Fix("Set the clock. If it is correct, run", line: check.renewal))
    }

    /// Checks whether the certificates are valid.
    func validity() -> [StatusTable.Row] {
        [authority.root.map { root($0) }, authority.intermediate.map { intermediate($0) }].compactMap(\.self)
    }

    private func root(_ root: Certificate) -> StatusTable.Row {
        let end = Timestamp.text(root.notAfter)
        let fix = Fix("Create a new root, and then trust it", line: renewal)
        if root.notAfter <= now { return .problem("root", "expired on \(end)", fix) }
        if root.notAfter <= now + AuthorityCheck.warningDays * 86_400 {
            return .warning("root", "expires on \(end)", fix)
        }
        return .good("root", "valid until \(end)")
    }

    private func intermediate(_ certificate: Certificate) -> StatusTable.Row {
        let end = Timestamp.text(certificate.notAfter)
        guard !authority.hasRootKey else {
            return .good("intermediate", "valid until \(end); the server renews it in time")
        }
        let error = CertificateError.rootKeyNeeded(folder: authority.folder, ended: certificate.notAfter)
        if certificate.notAfter <= now { return .problem("intermediate", error) }
        if certificate.isWorn(at: now) {
            let warning = ExplainedFailure.intermediateEnds(folder: authority.folder, at: certificate.notAfter)
            return .warning("intermediate", warning.problem, Fix(warning.fix))
        }
        return .good("intermediate", "valid until \(end); the root key is not in the folder")
    }
}
