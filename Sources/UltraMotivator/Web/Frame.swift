/// The content that all pages share: the header with its links, and the script.
struct Frame: Sendable {
    struct Link: Sendable {
        let path: String
        let text: String
        /// The value of `aria-current`: "page" for the page itself, "true" for a page below it, or nil.
        var current: String?
    }

    let links: [Link]
    let hasFaults: Bool
    /// The start of each link; empty on the site itself.
    let origin: String

    init(_ path: String, hasFaults: Bool, origin: String = "") {
        let pages = [("/check", "Check"), ("/docs", "API")] + (hasFaults ? [("/faults", "Faults")] : [])
        links = (pages + [("/account", "Account")]).map { target, text in
            let current = path == target ? "page" : path.hasPrefix(target + "/") ? "true" : nil
            return Link(path: origin + target, text: text, current: current)
        }
        (self.hasFaults, self.origin) = (hasFaults, origin)
    }

    /// The script that every page loads. It shows passwords, copies examples, and reads dropped files.
    let script = String(decoding: PackageResources.script_js, as: UTF8.self)
    let passkeyScript = String(decoding: PackageResources.passkeys_js, as: UTF8.self)
}
