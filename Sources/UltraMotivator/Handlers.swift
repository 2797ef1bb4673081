package import Accounts
import HTTPTypes
package import MotivatorHTTP
import MotivatorPlatform
package import MotivatorServer
import MotivatorTLS

/// The health of the server, for supervisors and containers.
struct Health: Handler {
    let accounts: Accounts

    func respond(to request: Request) async -> Response {
        await accounts.isHealthy()
            ? .object(["status": "ok"], .ok)
            : .object(
                ["status": "unavailable", "error": "Accounts are unavailable. The log has the reason."],
                .serviceUnavailable)
    }
}

extension ServerSnapshot {
    /// The content of the admin listener. The listener accepts every host, because clients connect by its address.
    package static func admin(_ accounts: Accounts) -> ServerSnapshot {
        let router = Router(fallback: Routes.adminSite(Health(accounts: accounts)), servesEveryHost: true)
        return ServerSnapshot(router: router, plainRouter: router, context: nil)
    }
}

/// A handler that calls a function.
package struct ClosureHandler: Handler {
    private let body: @Sendable (Request) async -> Response

    package init(_ body: @escaping @Sendable (Request) async -> Response) {
        self.body = body
    }

    package func respond(to request: Request) async -> Response { await body(request) }
}
