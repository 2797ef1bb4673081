import AssociatedDomains
import MotivatorPlatform

/// The state of a host in the output of Android's `pm get-app-links`.
struct AppLinksState {
    /// The app, as `PACKAGE=FINGERPRINT`. A missing value remains a placeholder.
    let app: String
    let host: String
    /// A word such as `verified`, or the number of an error.
    let state: String

    var hasFailed: Bool { Int(state) != nil || state == "legacy_failure" }
    var line: String { "\(host) for \(app.prefix { $0 != "=" }): \(hasFailed ? "failed (\(state))" : state)\n" }
    var json: JSONNode { ["android_app": .text(app), "domain": .text(host), "state": .text(state)] }

    /// Returns the states in a text. Ignores other lines.
    static func found(in text: String) -> [AppLinksState] {
        var (states, package, fingerprint, isState) = ([AppLinksState](), "PACKAGE", "FINGERPRINT", false)
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split { $0.isWhitespace || "[],".contains($0) }
            let name = words.first?.last == ":" ? String(words[0].dropLast()) : ""
            if words.count == 1, AndroidApp.isPackage(name) {
                (package, fingerprint, isState) = (name, "FINGERPRINT", false)
            } else if name == "Signatures", words.count > 1 {
                fingerprint = CertificateFingerprint(String(words[1]))?.description ?? fingerprint
            } else if isState, words.count == 2, (try? AssociatedDomain("applinks:\(name)")) != nil {
                states.append(.init(app: "\(package)=\(fingerprint)", host: name, state: String(words[1]).printable))
            } else {
                isState = line.contains("Domain verification state:")
            }
        }
        return states
    }
}
