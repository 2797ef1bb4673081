public import AssociatedDomains
public import HTTPSClient

/// Apple's functions on a simulated device, for one of its apps.
struct DeviceCredentials: SharedWebCredentials {
    let device: SimulatedDevice
    let app: AppIdentifier?
    let searchesAllDomains: Bool

    func add(domain: String, account: String, password: String?) async -> SharedCredentialError? {
        switch await device.change(app, domain, account, password) {
        case .failure(let error): error
        case .success: nil
        }
    }

    func request(domain: String?, account: String?) async -> Result<[SharedCredential], SharedCredentialError> {
        await device.request(app, domain, account, searchesAllDomains)
    }
}

extension SimulatedDevice {
    /// Saves, changes or deletes a password, after a prompt if required.
    /// - Returns: whether the device has the password of the call; false if the user declined.
    func change(
        _ app: AppIdentifier?, _ domain: String, _ account: String, _ password: String?
    ) async -> Result<Bool, SharedCredentialError> {
        await exclusively {
            let site: CredentialSite
            switch state.siteToChange(app: app, domain: domain, account: account, password: password) {
            case .failure(let error): return .failure(error)
            case .success(let found): site = found
            }
            guard let app else { return .failure(.noIdentifier(domain: domain)) }
            await checkAgain(app, [site])
            switch state.decision(at: site, app: app, account: account, password: password) {
            case .refused(let error): return .failure(error)
            case .nothing: return .success(true)
            case .change(let change):
                state.apply(change)
                return .success(true)
            case .ask(let prompt, let change):
                return .success(await ask(prompt, change, site.host, state.recordIndices(app, site)))
            }
        }
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
        switch await change(app, domain, account, password) {
        case .failure(let error): .failed(error)
        case .success(let isSaved): isSaved ? nil : .canceled
        }
    }

    func request(
        _ app: AppIdentifier?, _ domain: String?, _ account: String?, _ searchesAllDomains: Bool
    ) async -> Result<[SharedCredential], SharedCredentialError> {
        await exclusively {
            let sites: [CredentialSite]
            switch state.sitesToSearch(
                app: app, domain: domain, account: account, searchesAllDomains: searchesAllDomains)
            {
            case .failure(let error): return .failure(error)
            case .success(let found): sites = found
            }
            guard let app else { return .failure(.noIdentifier(domain: domain ?? "")) }
            await checkAgain(app, sites)
            switch state.matches(at: sites, app: app, account: account) {
            case .failure(let error): return .failure(error)
            case .success(let found):
                let prompt = Prompt(kind: .pick, app: app, choices: found.map(Prompt.Choice.init))
                guard let picked = prompt.picked(by: await prompter.answer(prompt)) else { return .failure(.canceled) }
                state.recordUse(of: found[picked], seenTime())
                return .success([found[picked]])
            }
        }
    }

    /// Saves a password that the user typed into a site. As in a browser, the user must confirm a prompt first.
    /// - Parameters:
    ///   - url: the URL of the page. Only its host and port count.
    ///   - account: the user name, not empty.
    ///   - password: the password, not empty.
    /// - Returns: whether the password is now saved, even if it already was.
    public func saveInBrowser(_ url: WebURL, account: String, password: String) async -> Bool {
        await exclusively {
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
