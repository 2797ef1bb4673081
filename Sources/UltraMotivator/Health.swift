public import Accounts
import HTTP
import HTTPTypes
public import Server
import TLS

/// Whether the server can do its work, for supervisors and containers.
struct Health: Handler {
    let accounts: Accounts

    func respond(to request: Request) async -> Response {
        await accounts.isHealthy()
            ? .object(["status": "ok"], .ok)
            : .object(
                ["status": "unavailable", "error": "Accounts cannot be read or written; the log says why."],
                .serviceUnavailable)
    }
}

extension ServerSnapshot {
    /// What the admin listener answers with; it is asked by address, so every host is right.
    public static func admin(_ accounts: Accounts) -> ServerSnapshot {
        let router = Router(
            fallback: Routes.adminSite(Health(accounts: accounts)), servesEveryHost: true, errors: .demo)
        return ServerSnapshot(router: router, plainRouter: router, context: nil)
    }
}
