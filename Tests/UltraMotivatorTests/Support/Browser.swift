import Testing

@testable import UltraMotivator

/// A browser without JavaScript. It keeps cookies, fills in forms, and sends the fields of a real browser.
struct Browser {
    static let type = "application/x-www-form-urlencoded"

    let backend: Backend
    let address: String
    /// The cookies by name.
    var cookies: [String: String] = [:]

    /// - Parameter address: The client's address.
    init(_ backend: Backend, from address: String = "192.0.2.1") {
        self.backend = backend
        self.address = address
    }

    mutating func get(_ path: String) async throws -> Reply {
        try await send("GET", path)
    }

    /// Opens the form at a path, and returns its token.
    mutating func token(_ path: String) async throws -> String {
        try HTMLForm(await get(path), action: path).token
    }

    /// Opens the form at a path, fills in the form and submits it.
    ///
    /// - Parameters:
    ///   - token: The form token, or nil for the form's own token.
    ///   - lines: More field lines.
    mutating func submit(
        _ path: String, _ values: [(String, String)], token: String? = nil, lines: [String] = []
    ) async throws -> Reply {
        let token = if let token { token } else { try await self.token(path == "/signout" ? "/" : path, of: path) }
        return try await post(path, values + [("form_token", token)], lines: lines)
    }

    /// Sends a form without opening it first.
    mutating func post(_ path: String, _ values: [(String, String)], lines: [String] = []) async throws -> Reply {
        let content = values.map { "\($0)=\(Self.encoded($1))" }.joined(separator: "&")
        return try await send("POST", path, ["Content-Type: \(Self.type)"] + lines, content: content)
    }

    mutating func send(
        _ method: String, _ path: String, _ lines: [String] = [], content: String = ""
    ) async throws -> Reply {
        var lines = lines + ["Accept: text/html,application/xhtml+xml"]
        if !lines.contains(where: { $0.hasPrefix("Host:") }) { lines.insert("Host: \(Backend.host)", at: 0) }
        if method != "GET", !lines.contains(where: { $0.hasPrefix("Sec-Fetch-Site:") || $0.hasPrefix("Origin:") }) {
            lines.append("Sec-Fetch-Site: same-origin")
        }
        if !cookies.isEmpty {
            lines.append("Cookie: " + cookies.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; "))
        }
        let reply = try await backend.send(method, path, lines, content: content, from: address)
        for cookie in reply.cookies { cookies[cookie.name] = cookie.ends ? nil : cookie.value }
        return reply
    }

    private mutating func token(_ page: String, of action: String) async throws -> String {
        try HTMLForm(await get(page), action: action).token
    }

    /// Returns text with every byte escaped, as a browser may send it.
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in (byte < 16 ? "%0" : "%") + String(byte, radix: 16) }.joined()
    }
}

extension Browser {
    static let password = "four small red foxes"
    static let other = "seven slow grey geese"

    @discardableResult
    mutating func signUp(_ name: String, _ password: String = Self.password) async throws -> Reply {
        try await submit(
            "/signup", [("username", name), ("password", password), ("confirm_password", password)])
    }

    @discardableResult
    mutating func signIn(_ name: String, _ password: String = Self.password) async throws -> Reply {
        try await submit("/signin", [("username", name), ("password", password)])
    }

    /// The name in the home page's greeting, or nil without a session.
    mutating func signedInAs() async throws -> String? {
        let text = try await get("/").text
        return text.firstMatch(of: #/<h1>Hello, (.*)</h1>/#).map { String($0.output.1) }
    }
}

/// A form on a page.
struct HTMLForm {
    /// A field with its attributes. An attribute without a value has an empty string.
    struct Field {
        let name: String
        let attributes: [String: String]

        subscript(name: String) -> String? { attributes[name] }
    }

    let page: String
    let fields: [Field]
    let attributes: [String: String]

    /// - Parameter action: The path to which the browser submits the form.
    init(_ reply: Reply, action: String) throws {
        page = reply.text
        let form = try #require(
            page.matches(of: #/<form ([^>]*)>([\s\S]*?)</form>/#).first {
                $0.output.1.contains("action=\"\(action)\"")
            },
            "no form for \(action) in \(reply.status): \(reply.text)")
        attributes = Self.attributes(form.output.1)
        fields = form.output.2.matches(of: #/<input ([^>]*)>/#).map { match in
            let attributes = Self.attributes(match.output.1)
            return Field(name: attributes["name"] ?? "", attributes: attributes)
        }
    }

    private static func attributes(_ text: Substring) -> [String: String] {
        text.matches(of: #/([a-z-]+)(?:="([^"]*)")?/#).reduce(into: [:]) { attributes, match in
            attributes[String(match.output.1)] = match.output.2.map(String.init) ?? ""
        }
    }

    subscript(name: String) -> Field? { fields.first { $0.name == name } }

    /// The value of the hidden field.
    var token: String { self["form_token"]?["value"] ?? "" }

    /// The names of the visible fields.
    var visible: [String] { fields.filter { $0["type"] != "hidden" }.map(\.name) }

    /// Returns the text of an element with an id, up to the next tag.
    func text(id: String) -> String? {
        guard let start = page.firstRange(of: " id=\"\(id)\"")?.upperBound else { return nil }
        return page[start...].drop { $0 != ">" }.dropFirst().prefix { $0 != "<" }.description
    }
}
