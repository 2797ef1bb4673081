import AssociatedDomains
import HTTPSClient
import MotivatorPlatform

/// The result of one more request about a response without the file. Only `check --hints` and terminals send it.
package enum HintProbe: Hashable, Sendable {
    /// The server also sends a page for a path that cannot exist.
    case everyPath
    /// This host, with or without `www.`, has the file.
    case otherHost(String)
    /// The server sends the file to a browser.
    case onlyForBrowsers
}

struct HintPage {
    /// The number of bytes to search: 64 KB. Start pages, error pages and challenge pages name themselves early.
    private static let searchLimit = 65_536

    let response: FetchedResponse
    /// The start of the content in lower case.
    let text: String

    init(_ response: FetchedResponse) {
        self.response = response
        text = String(decoding: response.content.prefix(HintPage.searchLimit), as: UTF8.self).lowercased()
    }

    var isHTML: Bool {
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.prefix(1_024)
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
            || (start.hasPrefix("<") && !start.hasPrefix("<br")
                && response.first("content-type")?.lowercased().contains("html") == true)
    }

    private func has(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }

    private func field(_ name: String, has parts: String...) -> Bool {
        let value = response.first(name)?.lowercased() ?? ""
        return parts.contains { value.contains($0) }
    }

    private var isFromObjectStore: Bool {
        (has("<error>") && has("<code>")) || has("<li>code: nosuchkey", "<li>code: accessdenied")
            || field("server", has: "amazons3", "uploadserver", "windows-azure-blob", "aliyunoss", "minio")
    }

    private var isChallenge: Bool {
        response.first("x-datadome") != nil
            || has(
                "challenge-platform", "cf-chl", "_incapsula_", "captcha", "<title>just a moment", "aws-waf-token",
                "px-captcha")
    }

    private var isLogin: Bool {
        let words = ["login", "log-in", "signin", "sign-in", "sign_in", "sso", "oauth", "authorize", "cas", "auth"]
        let target = response.first("location")?.lowercased() ?? ""
        let parts = target.split { "/?&=.#".contains($0) }.map(String.init)
        return parts.contains { words.contains($0) } || (isHTML && has("type=\"password\"", "type='password'"))
    }

    private var isDirectory: Bool {
        isHTML && has("<title>index of /", "<h1>index of /", "directory listing for", "<title>directory: /")
            || has("[to parent directory]")
    }

    /// The hint for a response without the file, by its most specific sign.
    var hint: String? {
        let status = response.status
        let text = text.filter { !$0.isWhitespace }
        return if response.first("cf-mitigated") != nil {
            "Cloudflare challenged the request. In a rule of its firewall, allow the user agents AASA-Bot and CFNetwork."
        } else if status == 400, has("no required ssl certificate was sent", "the ssl certificate error") {
            "The server requires a client certificate (mutual TLS), but devices and Apple's CDN send none. Exempt the path."
        } else if isChallenge {
            "A bot filter may have responded. Allow the user agents AASA-Bot and CFNetwork."
        } else if isLogin {
            "The path may require a login. Exclude the path from the login."
        } else if isDirectory {
            "The page lists a directory: the folder exists, but the file is not in it."
        } else if field("location", has: "site-association/", "assetlinks.json/") {
            "The server adds a slash to the path. Exclude the path from this rule. If a folder has the name of the file, "
                + "replace it with the file, which has no extension."
        } else if [403, 404].contains(status), isFromObjectStore {
            "The file may be missing: object stores respond with 403 for a file that does not exist, and deploy tools "
                + "often skip folders that begin with a dot, such as .well-known."
        } else if status == 404, field("server", has: "microsoft-iis") || field("x-powered-by", has: "asp.net") {
            "IIS serves no file without an extension until a MIME type is mapped for it: in web.config, map \".\" to "
                + "application/json."
        } else if status == 200, text == "[]" || text == "{}" {
            "If a hosting service generates this file, set the app in the service, or disable the generated file."
        } else if status == 200, isHTML {
            "The server may rewrite unknown paths to its start page, as single-page apps do. Serve the file before "
                + "this rule."
        } else {
            nil
        }
    }
}

extension FileFetch.Step {
    /// The likely reason why the response does not have the file. A hint is never a verdict.
    var hint: String? {
        switch probe {
        case .everyPath:
            "The server rewrites unknown paths to a page: it also sends one for a path that cannot exist. Serve the "
                + "file before this rule."
        case .otherHost(let host): "The file is on \(host). Each host needs its own file."
        case .onlyForBrowsers:
            "The server sends the file only to browsers: a bot filter may have responded. Allow the user agents "
                + "AASA-Bot and CFNetwork."
        case nil: fetched.response.flatMap { HintPage($0).hint }
        }
    }
}

extension Issue {
    func with(hint: String?) -> Issue { changing { $0.hint = hint } }
}

extension [Issue] {
    /// Returns the issues with a hint in the first issue that makes a device deny the file.
    func with(hint: @autoclosure () -> String?) -> [Issue] {
        guard let index = firstIndex(where: { $0.effects.device == .denial }) else { return self }
        var issues = self
        issues[index] = self[index].with(hint: hint())
        return issues
    }
}

extension Fetcher {
    /// The time limit of the additional request, in seconds. A hint must not delay a report for long.
    private static let probeSeconds = 5
    private static let browser =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
        + "Version/18.0 Mobile/15E148 Safari/604.1"

    /// Sends one more request if the response shows that the file is missing or HTML.
    func probe(after step: FileFetch.Step) -> HintProbe? {
        guard let response = step.fetched.response else { return nil }
        var request = step.fetched.request
        /// Returns whether the response is HTML, or nil if it does not have status 200.
        func isHTML(_ request: FetchRequest) -> Bool? {
            let other = limited(to: Self.probeSeconds).fetch(request).response
            return other.flatMap { $0.status == 200 ? HintPage($0).isHTML : nil }
        }
        switch response.status {
        case 200 where HintPage(response).isHTML:
            request.target = "/.well-known/ultra-motivator-no-such-file"
            return isHTML(request) == true ? .everyPath : nil
        case 404, 410:
            let isBelow = request.host.hasPrefix("www.")
            guard request.address == nil else { return nil }
            request.host = isBelow ? String(request.host.dropFirst(4)) : "www.\(request.host)"
            return isHTML(request) == false ? .otherHost(request.host) : nil
        case 401, 403, 406, 429, 503:
            request.fields.append((name: "User-Agent", value: Self.browser))
            return isHTML(request) == false ? .onlyForBrowsers : nil
        case _: return nil
        }
    }
}
