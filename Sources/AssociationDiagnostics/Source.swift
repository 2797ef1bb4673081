/// The source of a rule: a document or an observation.
public struct Source: Sendable, Hashable, CustomStringConvertible {
    /// The title of the document and its section.
    public let title: String
    /// The date of the document, or the first system version that applies the rule.
    public let date: String
    /// The URL of the document, or nil for an observation.
    public let link: String?

    public var description: String { "\(title), \(date)" }

    init(_ title: String, _ date: String, _ link: String? = nil) {
        (self.title, self.date, self.link) = (title, date, link)
    }

    private static let documentation = "https://developer.apple.com/documentation/"
    private static let archive = "https://developer.apple.com/library/archive/documentation/"

    package static let supporting = Source(
        "Apple, Supporting associated domains", "since iOS 14 (2020-09)",
        documentation + "xcode/supporting-associated-domains")
    package static let entitlement = Source(
        "Apple, Associated Domains Entitlement", "developer mode since iOS 14 (2020-09)",
        documentation + "bundleresources/entitlements/com.apple.developer.associated-domains")
    package static let applinks = Source(
        "Apple, applinks and its parts", "since iOS 13 (2019-09)", documentation + "bundleresources/applinks")
    package static let debuggingLinks = Source(
        "Apple, TN3155 Debugging universal links", "2023", documentation + "technotes/tn3155-debugging-universal-links")
    package static let sharedWebCredentials = Source(
        "Apple, Shared Web Credentials Reference (archived)", "since iOS 8 (2014-09)",
        documentation + "security/shared_web_credentials")
    package static let appSearch = Source(
        "Apple, App Search Programming Guide (archived), Support Universal Links", "since iOS 9 (2015-09)",
        archive + "General/Conceptual/AppSearch/UniversalLinks.html")
    package static let sizeLimit = Source(
        "Apple, App Search Programming Guide (archived), Support Universal Links", "since iOS 9.3.1 (2016-03)",
        archive + "General/Conceptual/AppSearch/UniversalLinks.html")
    package static let bundleIdentifier = Source(
        "Apple, CFBundleIdentifier", "since iOS 2 (2008-07)",
        documentation + "bundleresources/information-property-list/cfbundleidentifier")
    package static let trustedCertificates = Source(
        "Apple, Requirements for trusted certificates in iOS 13 and macOS 10.15", "since iOS 13 (2019-09)",
        "https://support.apple.com/103769")
    package static let certificateLimits = Source(
        "Apple, About upcoming limits on trusted certificates", "2020-03", "https://support.apple.com/102028")
    package static let transportSecurity = Source(
        "Apple, NSAppTransportSecurity", "since iOS 9 (2015-09)",
        documentation + "bundleresources/information-property-list/nsapptransportsecurity")

    package static let assetLinks = Source(
        "Google, Digital Asset Links, Statement list syntax", "since Android 6 (2015-10)",
        "https://developers.google.com/digital-asset-links/v1/statements")
    package static let appLinks = Source(
        "Android, Verify Android App Links (Digital Asset Links)", "since Android 6 (2015-10)",
        "https://developer.android.com/training/app-links/verify-android-applinks")

    package static let autoFill = Source(
        "Apple, Enabling Password AutoFill on an HTML input element", "since iOS 12 (2018-09)",
        documentation + "security/enabling-password-autofill-on-an-html-input-element")
    package static let passwordRules = Source(
        "Apple, Customizing Password AutoFill rules", "since iOS 12 (2018-09)",
        documentation + "security/customizing-password-autofill-rules")
    package static let passwordForms = Source(
        "Chromium, Password form styles that Chromium understands", "2015",
        "https://www.chromium.org/developers/design-documents/form-styles-that-chromium-understands/")
    package static let changeURL = Source(
        "W3C, A well-known URL for changing passwords", "since iOS 12 (2018-09)",
        "https://www.w3.org/TR/change-password-url/")

    package static let applePasskeys = Source(
        "Apple, Connecting to a service with passkeys", "since iOS 16 (2022-09)",
        documentation + "authenticationservices/connecting-to-a-service-with-passkeys")
    package static let passkeyEndpoints = Source(
        "W3C, A well-known URL for relying party passkey endpoints", "2026", "https://www.w3.org/TR/passkey-endpoints/")
    package static let androidPasskeys = Source(
        "Android, Credential Manager, Prerequisites", "since Android 9 (2018-08)",
        "https://developer.android.com/identity/sign-in/credential-manager")
    package static func webAuthn(_ section: String) -> Source {
        Source("W3C, Web Authentication Level 3, section \(section)", "2026-07", "https://w3c.github.io/webauthn/")
    }

    package static let linkTests = Source("Ultra Motivator, URL tests", "2026")

    package static let observed = Source("Observed on devices and with Apple's tools", "since iOS 14 (2020-09)")
    package static let observedFiles = Source("Found in published files", "2026")

    package static func json(_ section: String) -> Source { rfc(8259, section, "2017-12") }
    package static func cms(_ section: String) -> Source { rfc(5652, section, "2009-09") }
    package static func http(_ section: String) -> Source { rfc(9110, section, "2022-06") }
    package static func messages(_ section: String) -> Source { rfc(9112, section, "2022-06") }
    package static func x509(_ section: String) -> Source { rfc(5280, section, "2008-05") }
    package static func hostNames(_ section: String) -> Source { rfc(9525, section, "2023-11") }

    private static func rfc(_ number: Int, _ section: String, _ date: String) -> Source {
        Source(
            "RFC \(number), section \(section)", date, "https://www.rfc-editor.org/rfc/rfc\(number)#section-\(section)")
    }
}
