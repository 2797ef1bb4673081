@testable import SharedWebCredentials

/// A call to `add`, and its expected results.
struct AddCase: Sendable, CustomStringConvertible {
    let name: String
    /// The row of the table. If two rows apply, the first takes precedence.
    let source: String
    var system = DeviceSystem.current
    var entries = ["webcredentials:\(Bench.host)"]
    var site = SiteResponse.good
    var autoFill = true
    var never: [String] = []
    var saved: [SharedCredential] = []
    /// Whether the calling app has an identifier.
    var isIdentified = true
    var domain = Bench.host
    var account = "ray"
    var password: String? = "secret"
    var answer = Prompt.Answer.yes
    /// Apple's error number, or 0 for success.
    var code: Int32 = 0
    var prompts: [Prompt.Kind] = []
    /// The saved passwords after the call, or nil if they do not change.
    var after: [SharedCredential]?
    var approval = Approval.unspecified
    /// The site's approval; nil if the case is not about the site.
    var siteApproval: Approval?

    var description: String { "\(name) (\(source))" }
}

extension AddCase {
    private static let ray = SharedCredential.demo("ray")
    private static let old = SharedCredential.demo("ray", "old")
    private static let other = "webcredentials:other.test"

    static let rows: [AddCase] = [
        .init(name: "empty domain", source: "row 1", domain: "", code: -50),
        .init(name: "empty account", source: "row 1", account: "", code: -50),
        .init(name: "empty password, no item", source: "row 1, M5, R35", password: "", code: -50),
        .init(name: "empty password, item exists", source: "row 1, M5, R35", saved: [ray], password: "", code: -50),
        .init(name: "empty password, iOS 8", source: "row 1, M5, R35", system: .iOS8, password: "", code: -50),
        .init(name: "AutoFill off", source: "row 2", autoFill: false, code: -909),
        .init(name: "no identifier", source: "row 3", isIdentified: false, code: -34018),
        .init(name: "no entry", source: "row 3", entries: [], code: -34018),
        .init(name: "another host", source: "row 3", entries: [other], code: -34018),
        .init(name: "a subdomain", source: "row 3", domain: "www.\(Bench.host)", code: -34018),
        .init(name: "a parent", source: "row 3", domain: "test", code: -34018),
        .init(name: "another service", source: "row 3", entries: ["applinks:\(Bench.host)"], code: -34018),
        .init(name: "site denies", source: "row 4", site: .missing, code: -25293, siteApproval: .denied),
        .init(
            name: "site does not answer", source: "row 4", site: .unavailable, code: -25293,
            siteApproval: .unspecified),
        .init(
            name: "site names another app", source: "row 4", site: .naming("D3KQX62K1A.com.example.Other"),
            code: -25293, siteApproval: .denied),
        .init(
            name: "site names the app for another service", source: "row 4",
            site: .json(#"{"appclips":{"apps":["D3KQX62K1A.com.example.DemoApp"]}}"#), code: -25293,
            siteApproval: .denied),
        .init(
            name: "site names the app with another case of the bundle", source: "row 4",
            site: .naming("D3KQX62K1A.com.example.demoapp"), code: -25293, siteApproval: .denied),
        .init(
            name: "site names an app whose identifier is longer", source: "row 4",
            site: .naming("D3KQX62K1A.com.example.DemoAppX"), code: -25293, siteApproval: .denied),
        .init(
            name: "site names an app whose identifier is shorter", source: "row 4",
            site: .naming("D3KQX62K1A.com.example.DemoAp"), code: -25293, siteApproval: .denied),
        .init(name: "never for this host", source: "row 5", never: [Bench.host], code: -25299),
        .init(
            name: "never for this host, in capital letters and with a port", source: "row 5", never: [Bench.host],
            domain: "\(Bench.host.uppercased()):443", code: -25299),
        .init(
            name: "never for another host", source: "row 5", never: ["www.\(Bench.host)"], prompts: [.save],
            after: [ray], approval: .approved),
        .init(name: "same password", source: "row 6", saved: [ray], answer: .no),
        .init(
            name: "other password, yes", source: "row 7", saved: [old], prompts: [.update], after: [ray],
            approval: .approved),
        .init(
            name: "other password, Not Now", source: "row 7", saved: [old], answer: .no, prompts: [.update],
            approval: .denied),
        .init(
            name: "no password, yes", source: "row 8", saved: [ray], password: nil, prompts: [.delete], after: [],
            approval: .approved),
        .init(
            name: "no password, Not Now", source: "row 8", saved: [ray], password: nil, answer: .no, prompts: [.delete],
            approval: .denied),
        .init(name: "no item, no password", source: "row 9", password: nil, after: []),
        .init(
            name: "other password, yes, iOS 9", source: "row 7", system: .iOS9, saved: [old], prompts: [.update],
            after: [ray], approval: .approved),
        .init(
            name: "no password, yes, iOS 8", source: "row 8", system: .iOS8, saved: [ray], password: nil,
            prompts: [.delete], after: [], approval: .approved),
        .init(
            name: "other password, Not Now, iOS 8", source: "row 7", system: .iOS8, saved: [old], answer: .no,
            prompts: [.update], approval: .denied),
        .init(
            name: "no password, Not Now, iOS 9", source: "row 8", system: .iOS9, saved: [ray], password: nil,
            answer: .no, prompts: [.delete], approval: .denied),
        .init(name: "no item, iOS 8", source: "row 10", system: .iOS8, answer: .no, after: [ray]),
        .init(name: "no item, iOS 9", source: "row 10", system: .iOS9, answer: .no, after: [ray]),
        .init(name: "no item, yes", source: "row 10", prompts: [.save], after: [ray], approval: .approved),
        .init(
            name: "no item, Not Now: error nil, nothing stored", source: "row 10", answer: .no, prompts: [.save],
            after: [], approval: .denied),
        .init(name: "no item, never", source: "row 10", answer: .never, prompts: [.save], after: [], approval: .denied),
        .init(
            name: "never is not offered for updates", source: "row 7", saved: [old], answer: .never, prompts: [.update],
            approval: .denied),
        .init(
            name: "an answer of the picker is no yes", source: "row 10", answer: .choice(0), prompts: [.save],
            after: [],
            approval: .denied),
    ]

    static let orders: [AddCase] = [
        .init(name: "empty domain, AutoFill off", source: "1 before 2", autoFill: false, domain: "", code: -50),
        .init(name: "empty account, AutoFill off", source: "1 before 2", autoFill: false, account: "", code: -50),
        .init(name: "empty account, no entry", source: "1 before 3", entries: [], account: "", code: -50),
        .init(name: "empty account, no identifier", source: "1 before 3", isIdentified: false, account: "", code: -50),
        .init(name: "empty account, site denies", source: "1 before 4", site: .missing, account: "", code: -50),
        .init(name: "empty password, AutoFill off", source: "1 before 2", autoFill: false, password: "", code: -50),
        .init(name: "empty password, no entry", source: "1 before 3", entries: [], password: "", code: -50),
        .init(name: "AutoFill off, no entry", source: "2 before 3", entries: [other], autoFill: false, code: -909),
        .init(
            name: "AutoFill off, no identifier", source: "2 before 3", autoFill: false, isIdentified: false, code: -909),
        .init(name: "AutoFill off, site denies", source: "2 before 4", site: .missing, autoFill: false, code: -909),
        .init(name: "AutoFill off, never", source: "2 before 5", autoFill: false, never: [Bench.host], code: -909),
        .init(name: "AutoFill off, same password", source: "2 before 6", autoFill: false, saved: [ray], code: -909),
        .init(
            name: "no entry for the host, site of the other denies", source: "3 before 4", site: .missing,
            domain: "www.\(Bench.host)", code: -34018),
        .init(
            name: "no entry, never", source: "3 before 5", entries: [other], never: [Bench.host], code: -34018),
        .init(name: "site denies, never", source: "4 before 5", site: .missing, never: [Bench.host], code: -25293),
        .init(name: "site denies, same password", source: "4 before 6", site: .missing, saved: [ray], code: -25293),
        .init(
            name: "site denies, nothing to delete", source: "4 before 9", site: .missing, password: nil, code: -25293),
        .init(
            name: "never, same password", source: "5 before 6", never: [Bench.host], saved: [ray], code: -25299),
        .init(
            name: "never, other password", source: "5 before 7", never: [Bench.host], saved: [old], code: -25299),
        .init(
            name: "never, to delete", source: "5 before 8", never: [Bench.host], saved: [ray], password: nil,
            code: -25299),
        .init(
            name: "never, nothing to delete", source: "5 before 9", never: [Bench.host], password: nil, code: -25299),
        .init(
            name: "item on iOS 8: asked all the same", source: "7 before 10", system: .iOS8, saved: [old], answer: .no,
            prompts: [.update], approval: .denied),
    ]

    static let sites: [AddCase] = [
        .init(
            name: "capital letters in the call", source: "row 3", domain: "Ultra-Motivator.TEST", prompts: [.save],
            after: [ray], approval: .approved),
        .init(
            name: "capital letters in the entry", source: "row 3", entries: ["webcredentials:ULTRA-motivator.test"],
            prompts: [.save], after: [ray], approval: .approved),
        .init(
            name: "the port of the entry", source: "row 3", entries: ["webcredentials:\(Bench.host):8443"],
            domain: "\(Bench.host):8443", prompts: [.save], after: [.demo("ray", port: 8443)], approval: .approved),
        .init(
            name: "without a port, that of the entry", source: "row 3", entries: ["webcredentials:\(Bench.host):8443"],
            prompts: [.save], after: [.demo("ray", port: 8443)], approval: .approved),
        .init(
            name: "another port", source: "row 3", entries: ["webcredentials:\(Bench.host):8443"],
            domain: "\(Bench.host):443", code: -34018),
        .init(
            name: "a port that the entry lacks", source: "row 3", domain: "\(Bench.host):8443", code: -34018),
        .init(
            name: "443 written out", source: "row 3", domain: "\(Bench.host):443", prompts: [.save], after: [ray],
            approval: .approved),
        .init(
            name: "the second of two ports", source: "row 3",
            entries: ["webcredentials:\(Bench.host)", "webcredentials:\(Bench.host):8443"],
            domain: "\(Bench.host):8443", prompts: [.save], after: [.demo("ray", port: 8443)]),
        .init(
            name: "an item of another port is another item", source: "row 6", saved: [.demo("ray", port: 8443)],
            prompts: [.save], after: [.demo("ray", port: 8443), ray], approval: .approved),
        .init(
            name: "an item of another account is another item", source: "row 6", saved: [.demo("vicki")],
            prompts: [.save], after: [.demo("vicki"), ray], approval: .approved),
        .init(
            name: "accounts are compared byte by byte", source: "row 6", saved: [.demo("e\u{301}")], account: "\u{E9}",
            prompts: [.save], after: [.demo("e\u{301}"), .demo("\u{E9}")], approval: .approved),
        .init(
            name: "passwords are compared byte by byte", source: "row 6", saved: [.demo("ray", "e\u{301}")],
            password: "\u{E9}", prompts: [.update], after: [.demo("ray", "\u{E9}")], approval: .approved),
        .init(
            name: "a wildcard counts as its bare host", source: "row 3", entries: ["webcredentials:*.\(Bench.host)"],
            prompts: [.save], after: [ray], approval: .approved),
        .init(
            name: "a wildcard counts for no subdomain", source: "row 3", entries: ["webcredentials:*.\(Bench.host)"],
            domain: "www.\(Bench.host)", code: -34018),
        .init(
            name: "a malformed entry is as if it were not there", source: "row 3",
            entries: ["webcredentials:https://\(Bench.host)"], code: -34018),
        .init(name: "a URL is not a domain", source: "row 3", domain: "https://\(Bench.host)/", code: -34018),
        .init(name: "port 0", source: "row 3", domain: "\(Bench.host):0", code: -34018),
        .init(name: "an empty port", source: "row 3", domain: "\(Bench.host):", code: -34018),
        .init(name: "a port with a sign", source: "row 3", domain: "\(Bench.host):+443", code: -34018),
        .init(name: "a port past the range", source: "row 3", domain: "\(Bench.host):65979", code: -34018),
        .init(name: "a colon alone", source: "row 3", domain: ":", code: -34018),
        .init(name: "brackets", source: "row 3", domain: "[\(Bench.host)", code: -34018),
        .init(name: "a zero byte", source: "row 3", domain: "\(Bench.host)\0", code: -34018),
        .init(
            name: "a megabyte of a domain", source: "row 3", domain: String(repeating: "a.", count: 500_000),
            code: -34018),
    ]
}
