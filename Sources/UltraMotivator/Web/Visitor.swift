import Accounts
import Certificates
import HTTPTypes
import MotivatorHTTP
import MotivatorPlatform

/// The visitor who sent a request, identified by cookies.
struct Visitor: Sendable {
    private static let sessionCookie = "__Host-motivator_session"
    private static let visitCookie = "__Host-motivator_visit"
    /// The attributes of all cookies (RFC 6265bis §4.1.3). Only this host can set such cookies, only over TLS, and
    /// scripts cannot read them.
    private static let attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax"
    /// The maximum lifetime of a session in seconds, as sent to browsers. The store enforces it.
    private static let sessionLifetime = AccountOptions().sessionLifetime

    private static let returnCookie = "__Host-motivator_return"

    let session: (token: SessionToken, name: String, state: Session)?
    /// Whether the visitor opened the page of passkeys before the sign-in.
    let returnsToPasskeys: Bool
    /// The secret that form tokens are bound to: the session's token, or a random value for a visitor without a session.
    private let secret: String
    private let isNew: Bool

    /// - Throws: the explanation of `AccountError.unavailable` if the store cannot look up a session cookie.
    init(_ head: RequestHead, accounts: Accounts) async throws(Explanation) {
        let cookies = Cookies(head)
        returnsToPasskeys = cookies.values(of: Self.returnCookie).first == "passkeys"
        if let token = cookies.values(of: Self.sessionCookie).lazy.compactMap({ SessionToken($0) }).first,
            let session = try await Explanation.of(await accounts.session(token))
        {
            self.session = (token, session.name, session)
            secret = token.text
            isNew = false
            return
        }
        session = nil
        let known = cookies.values(of: Self.visitCookie).first { Self.isSecret($0) }
        // Any value in this format is accepted, because only this host can set the cookie.
        secret = known ?? (0..<32).map { _ in UInt8.random(in: 0...255) }.hexadecimal
        isNew = known == nil
    }

    /// The token in this visitor's forms, which prevents other sites from submitting them.
    var formToken: String { Digest.hmacSHA256(key: Array(secret.utf8), Array("form token".utf8)).hexadecimal }

    func accepts(formToken: String) -> Bool { Digest.isSame(Array(formToken.utf8), Array(self.formToken.utf8)) }

    /// Sets the cookie that this response's form tokens are bound to, unless the visitor already has it.
    func mark(_ response: inout Response) {
        if isNew { response.fields.append(Self.cookie("\(Self.visitCookie)=\(secret)")) }
    }

    /// Sets the cookie that leads back to the page of passkeys after the sign-in.
    static func returnToPasskeys(in response: inout Response) {
        response.fields.append(cookie("\(returnCookie)=passkeys", maximumAge: 600))
    }

    /// Leads a response of a sign-in back to the page of passkeys.
    func leadBack(_ response: inout Response) {
        guard returnsToPasskeys else { return }
        response.fields[.location] = "/account/passkeys"
        response.fields.append(Self.cookie("\(Self.returnCookie)=", maximumAge: 0))
    }

    static func begin(_ token: SessionToken, in response: inout Response) {
        response.fields.append(cookie("\(sessionCookie)=\(token.text)", maximumAge: sessionLifetime))
        response.fields.append(cookie("\(visitCookie)=", maximumAge: 0))
    }

    static func end(in response: inout Response) { response.fields.append(cookie("\(sessionCookie)=", maximumAge: 0)) }

    private static func isSecret(_ text: String) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    fileprivate static func cookie(_ pair: String, maximumAge: Int64? = nil) -> HTTPField {
        HTTPField(name: .setCookie, value: pair + attributes + (maximumAge.map { "; Max-Age=\($0)" } ?? ""))
    }
}

/// A success message that the home page shows once. A cookie carries the message's name across the redirect.
enum Notice: String {
    case signedUp, changed, deleted, signedOut, passkeyAdded, passkeyRenamed, passkeyRemoved

    private static let cookie = "__Host-motivator_notice"

    init?(_ head: RequestHead) {
        guard let name = Cookies(head).values(of: Self.cookie).first else { return nil }
        self.init(rawValue: name)
    }

    var sentence: String {
        switch self {
        case .signedUp: "Account created. You are signed in. Now open your app, and request the password."
        case .changed: "Password changed. You are signed out everywhere else."
        case .deleted: "Account deleted. Delete the saved password from your password manager too."
        case .signedOut: "You are signed out."
        case .passkeyAdded: "Passkey added."
        case .passkeyRenamed: "Passkey renamed."
        case .passkeyRemoved: "Passkey removed. Delete it from your password manager too."
        }
    }

    /// Adds the cookie, which expires after a minute. Later visits then do not show the message.
    func add(to response: inout Response) {
        response.fields.append(Visitor.cookie("\(Self.cookie)=\(rawValue)", maximumAge: 60))
    }

    static func clear(in response: inout Response) {
        response.fields.append(Visitor.cookie("\(cookie)=", maximumAge: 0))
    }
}
