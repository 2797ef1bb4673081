/// One item of the credentials that a website and its apps share.
public struct SharedCredential: Sendable, Hashable {
    public let server: String
    public let account: String
    public let password: String
    public let port: UInt16?

    public init(server: String, account: String, password: String, port: UInt16? = nil) {
        (self.server, self.account, self.password, self.port) = (server, account, password, port)
    }
}
