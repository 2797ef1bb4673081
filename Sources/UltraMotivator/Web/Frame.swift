/// The content that all pages share: the header with its links, and the script.
struct Frame: Sendable {
    struct Link: Sendable {
        let path: String
        let text: String
        /// The value of `aria-current`: "page" for the page itself, "true" for a page below it, or nil.
        var current: String?
        var isAccount = false
    }

    let links: [Link]
    let hasFaults: Bool

    init(_ path: String, isSignedIn: Bool?, hasFaults: Bool) {
        func link(_ target: String, _ text: String, isAccount: Bool = false) -> Link {
            let current = path == target ? "page" : path.hasPrefix(target + "/") ? "true" : nil
            return Link(path: target, text: text, current: current, isAccount: isAccount)
        }
        let account =
            isSignedIn == false
            ? [link("/signin", "Sign in", isAccount: true), link("/signup", "Sign up", isAccount: true)]
            : [link("/account", "Account", isAccount: true)]
        links =
            [link("/check", "Check"), link("/docs", "API")] + (hasFaults ? [link("/faults", "Faults")] : []) + account
        self.hasFaults = hasFaults
    }

    /// The script that every page loads. It shows passwords, copies examples, and reads dropped files.
    let script = String(decoding: PackageResources.script_js, as: UTF8.self)
    let passkeyScript = String(decoding: PackageResources.passkeys_js, as: UTF8.self)
}
