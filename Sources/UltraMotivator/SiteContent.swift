import Accounts
import Certificates
import HTTP
import Platform
import Server

/// What every host serves alike.
struct SiteContent: Sendable {
    let web: Web
    let operations: Operations
    let openAPI: Representation
    let documentation: Representation
    let assetLinks: Representation?
    let securityContact: SecurityContact
    let files: StaticFiles
    let servesEcho: Bool
    let check: CheckPage
    let checkForm: Representation
    let checkCodes: Representation

    /// - Throws: when a template is malformed.
    init(_ demo: Demo, accounts: Accounts, files: StaticFiles, root: Certificate?, now: UnixTime) throws {
        let pages = try Pages()
        func page(_ text: String) -> Representation {
            Representation(Array(text.utf8), type: "text/html; charset=utf-8", lastModified: now)
        }
        let motivator = demo.motivator
        let minimum = accounts.minimumPasswordLength
        let suggester = try PasswordSuggester(minimum: minimum)
        web = Web(
            accounts: accounts, pages: pages, motivator: motivator, suggester: suggester, minimum: minimum)
        operations = Operations(
            API(accounts: accounts, motivator: motivator, suggester: suggester), TutorialAPI(accounts: accounts),
            minimum: minimum)
        openAPI = Representation(
            OpenAPI.document(operations.all).bytes(), type: "application/json", lastModified: now)
        documentation = page(pages.documentation(operations.all.map(\.documentation)))
        assetLinks =
            demo.androidApps.isEmpty
            ? nil
            : Representation(
                AndroidApp.links(demo.androidApps).bytes(), type: "application/json", lastModified: now)
        // The mailbox that RFC 2142 §4 gives to security at every domain.
        securityContact = SecurityContact(
            contact: "mailto:security@\(demo.domains.first ?? "localhost")", clock: .system)
        self.files = files
        servesEcho = demo.servesEcho
        check = CheckPage(
            pages: pages, queues: demo.checkQueues, allowsFetch: demo.allowsFetch, roots: [root].compactMap(\.self),
            clock: .system)
        checkForm = page(check.blank)
        checkCodes = page(pages.codes(CodeList()))
    }
}
