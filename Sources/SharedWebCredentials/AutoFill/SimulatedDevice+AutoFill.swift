package import AssociatedDomains
package import HTTPSClient
package import MotivatorPlatform

/// An item that AutoFill offers for a page.
package struct AutoFillOffer: Sendable, Hashable {
    package let credential: SharedCredential
    /// The app that associates the item's site with the page; nil for an item of the page's own host.
    package let app: AppIdentifier?
}

/// A value that AutoFill enters into a field.
package struct FilledField: Sendable, Hashable {
    package let field: PageForm.Field
    package let value: String
    /// Whether the device generated the value. It is saved nowhere yet.
    package let isGenerated: Bool
}

extension SimulatedDevice {
    /// Returns the items that AutoFill offers for a page: those of exactly its host and port, and those of sites that an
    /// app associates with it.
    ///
    /// Both sites must have approved the app for `webcredentials`.
    package func offers(for url: WebURL) -> [AutoFillOffer] { state.offers(for: url) }

    /// Returns the hosts of items that the user may miss on a page: `www.` for the bare name or the reverse, or another
    /// port.
    package func relatedHosts(of url: WebURL) -> [String] {
        state.relatedHosts(of: [url.host], account: nil).filter { $0 != url.credentialAuthority }
    }

    /// Fills a form: the picked item into the fields for the user name and the current password, and one generated
    /// password into the fields for a new one.
    ///
    /// A form that only has a field for a new password gets no user name. If its rules cannot be satisfied, the password
    /// has Apple's usual form.
    ///
    /// - Parameters:
    ///   - form: the form.
    ///   - url: the page. Only its host and port count.
    /// - Throws: `AutoFillError`.
    package func fill(_ form: PageForm, at url: WebURL) async throws(AutoFillError) -> [FilledField] {
        let result: Result<[FilledField], AutoFillError> = await exclusively {
            guard state.autoFill else { return .failure(.off) }
            let offers = form.needsItem ? state.offers(for: url) : []
            var picked: SharedCredential?
            if form.needsItem {
                guard !offers.isEmpty else { return .failure(.nothingToOffer(host: url.host, relatedHosts(of: url))) }
                let prompt = Prompt(kind: .pick, app: nil, choices: offers.map { Prompt.Choice($0.credential) })
                guard let line = prompt.picked(by: await prompter.answer(prompt)) else { return .failure(.cancelled) }
                picked = offers[line].credential
            }
            return .success(form.filled(with: picked))
        }
        return try result.get()
    }
}

extension PageForm {
    /// The first malformed or unsatisfiable `passwordrules` of the form; nil if there are none.
    package var rulesFault: (any ExplainedError)? {
        do {
            _ = try newPassword()
            return nil
        } catch {
            return error as? any ExplainedError
        }
    }

    fileprivate func filled(with credential: SharedCredential?) -> [FilledField] {
        let new = (try? newPassword()) ?? PasswordGenerator().next()
        return fields.compactMap { field in
            switch field.token {
            case .username: credential.map { FilledField(field: field, value: $0.account, isGenerated: false) }
            case .currentPassword: credential.map { FilledField(field: field, value: $0.password, isGenerated: false) }
            case .newPassword: FilledField(field: field, value: new, isGenerated: true)
            case nil: nil
            }
        }
    }

    /// Generates a password that satisfies the first rules of the form.
    private func newPassword() throws -> String {
        let rules = fields.lazy.filter { $0.token == .newPassword }.compactMap(\.passwordRules).first
        return try rules.map { try PasswordRules($0).generate() } ?? PasswordGenerator().next()
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
    fileprivate var credentialAuthority: String { host + (port.map { $0 == 443 ? "" : ":\($0)" } ?? "") }
}

/// Why AutoFill fills nothing.
package enum AutoFillError: ExplainedError, Hashable {
    case off
    /// No item matches. The hosts have items that the user may miss.
    case nothingToOffer(host: String, [String])
    case cancelled

    package var problem: String {
        switch self {
        case .off: "AutoFill is switched off"
        case .nothingToOffer(let host, let related):
            "no saved password matches \(host.quoted)"
                + (related.isEmpty ? "" : ", but an item exists for \(related.map(\.quoted).joined(separator: ", "))")
        case .cancelled: "no item was picked"
        }
    }

    package var fix: String {
        switch self {
        case .off: "Switch AutoFill on"
        case .nothingToOffer: "Save a password for exactly this host, or associate both sites with one app"
        case .cancelled: "Pick an account with --choose"
        }
    }

    package var exitCode: ExitCode {
        switch self {
        case .off: .notPermitted
        case .nothingToOffer, .cancelled: .no
        }
    }
}
