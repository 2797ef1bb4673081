import Platform
import SourceJSON

extension DeviceState {
    /// Reads a state, and refuses whatever it could not write again.
    ///
    /// - Parameter bytes: what `json` wrote; the caller limits its size.
    /// - Throws: `Malformed`.
    public init(json bytes: [UInt8]) throws(Malformed) {
        guard !bytes.isEmpty else { throw .empty }
        let root: JSONValue
        do throws(JSONFault) {
            root = try JSONDocument(bytes).root
        } catch {
            throw .json(error)
        }
        // Before anything else: what a later version means by its keys is not known here.
        guard let object = root.object, object["format"]?.string == DeviceState.format else { throw .foreign }
        guard let version = object["version"]?.integer else { throw .foreign }
        guard version <= DeviceState.version else { throw .newer(version: version) }
        try self.init(StateMembers(root, key: "state"))
    }

    private init(_ members: consuming StateMembers) throws(Malformed) {
        _ = try members.text("format")
        _ = try members.number("version", 1...DeviceState.version)
        self.init(try members.word("reading"))
        developerMode = try members.truth("developer_mode")
        autoFill = try members.truth("autofill")
        ahead = Int64(try members.number("ahead", 0...Int(SimulatedDevice.endOfTime)))
        latest = try members.time("latest")
        prompts = try PromptPolicy(members.members("prompts"))
        for value in try members.list("apps") { apps.append(try InstalledApp(StateMembers(value, key: "apps"))) }
        for value in try members.list("records") {
            records.append(try AssociationRecord(StateMembers(value, key: "records")))
        }
        for value in try members.list("credentials") {
            credentials.append(try SharedCredential(StateMembers(value, key: "credentials")))
        }
        for value in try members.list("keychain") {
            keychain.append(try KeychainItem(StateMembers(value, key: "keychain")))
        }
        neverSaved = try members.texts("never_saved")
        try members.end()
    }
}

extension PromptPolicy {
    fileprivate init(_ members: consuming StateMembers) throws(DeviceState.Malformed) {
        self.init(try members.rule("fallback"))
        for kind in Prompt.Kind.allCases {
            if let rule = try members.rule(kind.rawValue) { rules[kind] = rule }
        }
        try members.end()
    }
}

extension InstalledApp {
    fileprivate init(_ members: consuming StateMembers) throws(DeviceState.Malformed) {
        self.init(
            identifier: try members.app("identifier"), version: try members.text("version"),
            entries: try members.texts("entries"), isAppClip: try members.truth("app_clip"))
        try members.end()
    }
}

extension AssociationRecord {
    fileprivate init(_ members: consuming StateMembers) throws(DeviceState.Malformed) {
        self.init(
            app: try members.app("app"), version: try members.text("app_version"), entry: try members.entry("entry"))
        userApproval = try members.word("user_approval")
        siteApproval = try members.word("site_approval")
        lastChecked = try members.time("last_checked")
        nextCheck = try members.time("next_check")
        if var failure = try members.optionalMembers("error") {
            self.failure = AssociationFailure(code: try failure.text("code"), message: try failure.text("message"))
            try failure.end()
        }
        retries = try members.number("retries", 0...Int(Int32.max))
        links = Array(try members.text("links").utf8)
        try members.end()
    }
}

extension SharedCredential {
    fileprivate init(_ members: consuming StateMembers) throws(DeviceState.Malformed) {
        self.init(
            server: try members.text(Key.server.rawValue), account: try members.text(Key.account.rawValue),
            password: try members.text(Key.password.rawValue), port: try members.optionalPort(Key.port.rawValue))
        try members.end()
    }
}

extension KeychainItem {
    fileprivate init(_ members: consuming StateMembers) throws(DeviceState.Malformed) {
        self.init(
            app: try members.app("app"), domain: try members.text("domain"), account: try members.text("account"),
            password: try members.text("password"))
        try members.end()
    }
}

extension JSONValue {
    /// The number, when it is whole and fits.
    var integer: Int? {
        guard case .number(let text) = content else { return nil }
        return Int(text)
    }
}
