package import AssociatedDomains
package import HTTPSClient
package import MotivatorPlatform

package struct AutoFillOffer: Sendable, Hashable {
    package let credential: SharedCredential
    /// The app that associates the item's site with the page; nil for an item of the page's own host.
    package let app: AppIdentifier?
}

package struct FilledField: Sendable, Hashable {
    package let field: PageForm.Field
    package let value: String
    /// Whether the device generated the value. Generated values are not saved yet.
    package let isGenerated: Bool
}

extension SimulatedDevice {
    /// Returns the items that AutoFill offers for a page.
    ///
    /// The items belong to exactly the page's host and port, or to a site that an app associates with the page. Both
    /// sites must have approved the app for `webcredentials`.
    package func offers(for url: WebURL) -> [AutoFillOffer] { state.offers(for: url) }

    /// Returns the hosts of items that the user may expect on a page. They differ from the page's host in a leading
    /// `www.` or in the port.
    package func relatedHosts(of url: WebURL) -> [String] {
        state.relatedHosts(of: [url.host], account: nil).filter { $0 != url.credentialAuthority }
    }

    /// Fills a form. The picked item fills the fields for the user name and the current password. One generated
    /// password fills all fields for a new password.
    ///
    /// A sign-up form gets no user name. If no password satisfies a form's rules, the generated password has Apple's
    /// usual format.
    /// - Parameter url: the URL of the page. Only its host and port count.
    package func fill(_ form: PageForm, at url: WebURL) async throws(ExplainedFailure) -> [FilledField] {
        await beginOperation()
        defer { endOperation() }
        guard state.autoFill else { throw .autoFillOff }
        guard form.needsItem else { return form.filled(with: nil) }
        let offers = state.offers(for: url).map(\.credential)
        guard !offers.isEmpty else { throw .nothingToOffer(host: url.host, relatedHosts(of: url)) }
        guard let picked = await pick(from: offers, for: nil) else { throw .nothingPicked }
        return form.filled(with: picked)
    }
}

extension PageForm {
    /// The first rules for a new password, as a device reads them.
    var readRules: (rules: PasswordRules?, mistakes: [PasswordRules.Malformed])? {
        fields.lazy.filter { $0.token == .newPassword }.compactMap(\.passwordRules).first.map(PasswordRules.read)
    }

    /// Why a device ignores the `passwordrules` of the form; nil if it follows them.
    package var rulesFault: (any ExplainedError)? { readRules.flatMap { PageForm.fault($0.rules, $0.mistakes) } }

    /// Returns why a device ignores rules that it has read; nil if it follows them.
    static func fault(_ rules: PasswordRules?, _ mistakes: [PasswordRules.Malformed]) -> (any ExplainedError)? {
        guard let rules else { return mistakes.last }
        do throws(ExplainedFailure) {
            _ = try RuledPasswordGenerator(rules)
            return nil
        } catch {
            return error
        }
    }

    fileprivate func filled(with credential: SharedCredential?) -> [FilledField] {
        let new = (try? readRules?.rules?.generate()) ?? PasswordGenerator().next()
        return fields.compactMap { field in
            switch field.token {
            case .username: credential.map { FilledField(field: field, value: $0.account, isGenerated: false) }
            case .currentPassword: credential.map { FilledField(field: field, value: $0.password, isGenerated: false) }
            case .newPassword: FilledField(field: field, value: new, isGenerated: true)
            case nil: nil
            }
        }
    }
}

extension DeviceState {
    fileprivate func offers(for url: WebURL) -> [AutoFillOffer] {
        guard autoFill else { return [] }
        let port = url.port ?? 443
        let approved = records.filter { $0.service == .webcredentials && $0.siteApproval == .approved }
        var offers = credentials.filter { $0.server == url.host && $0.port ?? 443 == port }
            .map { AutoFillOffer(credential: $0, app: nil) }
        for own in approved where own.entry.host == url.host && own.entry.securePort == port {
            for other in approved where other.app == own.app {
                offers += credentials.filter { item in
                    item.server == other.entry.host && item.port ?? 443 == other.entry.securePort
                        && !offers.contains { $0.credential.isSameItem(as: item) }
                }.map { AutoFillOffer(credential: $0, app: own.app) }
            }
        }
        return offers
    }
}

extension WebURL {
    /// The host, with the port if it is not 443.
    var credentialAuthority: String { host + (port.map { $0 == 443 ? "" : ":\($0)" } ?? "") }
}

extension ExplainedFailure {
    static let autoFillOff = ExplainedFailure(
        "AutoFill is turned off", fix: "Turn on AutoFill", exitCode: .notPermitted)
    static let nothingPicked = ExplainedFailure(
        "the user picked no item", fix: "Pick an account with --choose", exitCode: .no)

    /// No item matches. The related hosts have items that the user may expect.
    static func nothingToOffer(host: String, _ related: [String]) -> ExplainedFailure {
        let others = related.isEmpty ? "" : ", but an item exists for \(related.map(\.quoted).joined(separator: ", "))"
        return ExplainedFailure(
            "no saved password matches \(host.quoted)\(others)",
            fix: "Save a password for exactly this host, or associate both sites with one app", exitCode: .no)
    }
}
