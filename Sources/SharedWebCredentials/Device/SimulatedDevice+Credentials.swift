public import AssociatedDomains
public import HTTPSClient

/// Apple's functions on a simulated device, for one of its apps.
struct DeviceCredentials: SharedWebCredentials {
    let device: SimulatedDevice
    let app: AppIdentifier?
    let searchesAllDomains: Bool

    func add(domain: String, account: String, password: String?) async -> SharedCredentialError? {
        do throws(SharedCredentialError) {
            _ = try await device.change(app, domain, account, password)
            return nil
        } catch {
            return error
        }
    }

    func request(domain: String?, account: String?) async -> Result<[SharedCredential], SharedCredentialError> {
        do throws(SharedCredentialError) {
            return .success([try await device.request(app, domain, account, searchesAllDomains)])
        } catch {
            return .failure(error)
        }
    }
}

extension SimulatedDevice {
    /// Saves, changes or deletes a password, after a prompt if required.
    /// - Returns: whether the device has the password of the call; false if the user declined.
    func change(
        _ app: AppIdentifier?, _ domain: String, _ account: String, _ password: String?
    ) async throws(SharedCredentialError) -> Bool {
        await beginOperation()
        defer { endOperation() }
        let site = try state.siteToChange(app: app, domain: domain, account: account, password: password)
        guard let app else { throw .noIdentifier(domain: domain) }
        await checkAgain(app, [site])
        guard let (prompt, change) = try state.change(at: site, app: app, account: account, password: password)
        else { return true }
        if let prompt { return await ask(prompt, change, site.host, state.recordIndices(app, site)) }
        state.apply(change)
        return true
    }

    /// Saves a password as `ASCredentialDataManager.save(password:for:title:anchor:)` does on iOS 26.2 and later.
    ///
    /// The call replaces `SecAddSharedWebCredential`. It cannot delete a password, and reports whether the user declined.
    /// - Parameters:
    ///   - app: the calling app.
    ///   - domain: the scope's host, with a port if it is not 443. The site must have approved the app.
    ///   - account: the user name.
    ///   - password: the password.
    /// - Returns: the error if nothing was saved.
    public func saveWithDataManager(
        _ app: AppIdentifier, domain: String, account: String, password: String
    ) async -> DataManagerError? {
        do throws(SharedCredentialError) {
            return try await change(app, domain, account, password) ? nil : .canceled
        } catch {
            return .failed(error)
        }
    }

    func request(
        _ app: AppIdentifier?, _ domain: String?, _ account: String?, _ searchesAllDomains: Bool
    ) async throws(SharedCredentialError) -> SharedCredential {
        await beginOperation()
        defer { endOperation() }
        let sites = try state.sitesToSearch(
            app: app, domain: domain, account: account, searchesAllDomains: searchesAllDomains)
        guard let app else { throw .noIdentifier(domain: domain ?? "") }
        await checkAgain(app, sites)
        let found = try state.matches(at: sites, app: app, account: account)
        guard let picked = await pick(from: found, for: app) else { throw .canceled }
        return picked
    }

    /// Saves a password that the user typed into a site. As in a browser, the user must confirm a prompt first.
    /// - Parameters:
    ///   - url: the URL of the page. Only its host and port count.
    ///   - account: the user name, not empty.
    ///   - password: the password, not empty.
    /// - Returns: whether the password is now saved, even if it already was.
    public func saveInBrowser(_ url: WebURL, account: String, password: String) async -> Bool {
        await beginOperation()
        defer { endOperation() }
        guard state.autoFill, !account.isEmpty, !password.isEmpty, !state.neverSaved.contains(url.host) else {
            return false
        }
        let wanted = SharedCredential(server: url.host, account: account, password: password, port: url.port)
        if !state.credentials.contains(wanted) {
            let exists = state.credentials.contains { $0.isSameItem(as: wanted) }
            await ask(Prompt(exists ? .update : .save, nil, wanted), .store(wanted), url.host, [])
        }
        return state.credentials.contains(wanted)
    }

    /// Lets the user pick a password, and records its use.
    /// - Parameter app: the app that gets the password; nil for the browser.
    func pick(from found: [SharedCredential], for app: AppIdentifier?) async -> SharedCredential? {
        let prompt = Prompt(kind: .pick, app: app, choices: found.map(Prompt.Choice.init))
        guard let picked = prompt.picked(by: await prompter.answer(prompt)) else { return nil }
        state.recordUse(of: found[picked], seenTime())
        return found[picked]
    }

    /// Repeats the checks of unresponsive sites, if the system does so for an app's call.
    private func checkAgain(_ app: AppIdentifier, _ sites: [CredentialSite]) async {
        let indices = sites.flatMap { state.recordIndices(app, $0) }
        await check(indices.filter { state.records[$0].isCheckedByCall }, at: seenTime(), isByCall: true)
    }

    /// Makes a change if the user agrees.
    /// - Returns: whether the user agreed.
    @discardableResult
    private func ask(_ prompt: Prompt, _ change: CredentialChange, _ host: String, _ records: [Int]) async -> Bool {
        let answer = await prompter.answer(prompt)
        let approval: Approval
        switch answer {
        case .yes:
            state.apply(change)
            if case .store(let credential) = change { state.recordUse(of: credential, seenTime()) }
            approval = .approved
        case .never:
            if prompt.mayRefuseForever { state.neverSaved.append(host) }
            approval = .denied
        case .no, .choice: approval = .denied
        }
        for index in records { state.records[index].userApproval = approval }
        return approval == .approved
    }
}
