/// Apple's three functions for credentials that a website and its apps share.
public protocol SharedWebCredentials: Sendable {
    func add(domain: String, account: String, password: String?) async -> SharedCredentialError?
    func request(domain: String?, account: String?) async -> Result<[SharedCredential], SharedCredentialError>
    func createPassword() -> String
}
