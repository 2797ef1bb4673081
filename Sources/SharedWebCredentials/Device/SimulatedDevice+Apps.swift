public import AssociatedDomains
public import MotivatorPlatform

/// An app on a simulated device.
public struct InstalledApp: Sendable, Hashable, Codable {
    /// The application identifier.
    public let identifier: AppIdentifier
    /// The version, for the records.
    public let version: String
    /// The strings of the entitlement, including strings that the device drops.
    public let entries: [String]
    /// Whether the app is an App Clip.
    public let isAppClip: Bool

    enum CodingKeys: String, CodingKey {
        case identifier, version, entries
        case isAppClip = "app_clip"
    }

    /// Returns the entries that a device uses, in order and without duplicates.
    public func domains(_ system: DeviceSystem) -> [AssociatedDomain] {
        entries.compactMap { try? AssociatedDomain($0) }.filter { system.knows($0.service) }.distinct
    }

    fileprivate func dropped(_ system: DeviceSystem) -> [Installation.Dropped] {
        entries.compactMap { text in
            do throws(AssociatedDomain.Malformed) {
                let domain = try AssociatedDomain(text)
                guard !system.knows(domain.service) else { return nil }
                return .init(
                    text: text, reason: "the system does not know the service \(domain.service.rawValue)",
                    fix: "Simulate a current device")
            } catch {
                return .init(text: text, reason: error.problem, fix: error.fix)
            }
        }
    }
}

/// The result of installing an app.
public struct Installation: Sendable, Hashable {
    /// An entry that the device drops silently.
    public struct Dropped: Sendable, Hashable {
        /// The entry as written.
        public let text: String
        /// The reason, without a full stop.
        public let reason: String
        /// The fix, without a full stop.
        public let fix: String
    }

    /// Whether the app was already installed. In this case, its records were reset.
    public let isReinstallation: Bool
    /// The entries that the device drops.
    public let dropped: [Dropped]
    /// The records after the first check of the sites.
    public let records: [AssociationRecord]
}

extension SimulatedDevice {
    /// Installs an app, and checks the site of each entry. Replaces an installed app and resets its records.
    /// - Parameters:
    ///   - app: the application identifier.
    ///   - version: the version, for the records.
    ///   - entries: the strings of the entitlement, at most `maximumEntries`. Invalid strings are dropped.
    ///   - isAppClip: whether the app is an App Clip.
    @discardableResult
    public func install(
        app: AppIdentifier, version: String = "1.0", entries: [String], isAppClip: Bool = false
    ) async throws(ExplainedFailure) -> Installation {
        guard entries.count <= SimulatedDevice.maximumEntries else {
            throw ExplainedFailure(
                "the app has \(entries.count) entries, more than the limit of \(SimulatedDevice.maximumEntries)",
                fix: "Remove entries. Apple recommends at most 20 to 30", exitCode: .badInput)
        }
        let installed = InstalledApp(identifier: app, version: version, entries: entries, isAppClip: isAppClip)
        await beginOperation()
        defer { endOperation() }
        let wasInstalled = remove(app)
        state.apps.append(installed)
        state.records += installed.domains(state.system).map {
            AssociationRecord(app: app, appVersion: version, entry: $0)
        }
        await check(state.records.indices(where: { $0.app == app }), at: seenTime())
        return Installation(
            isReinstallation: wasInstalled, dropped: installed.dropped(state.system),
            records: state.records.filter { $0.app == app })
    }

    /// Removes an app and its records. The saved passwords remain, because they belong to the user.
    public func uninstall(_ app: AppIdentifier) async throws(ExplainedFailure) {
        await beginOperation()
        defer { endOperation() }
        guard remove(app) else { throw .notInstalled(app, fix: "List the apps with: motivator device status") }
    }

    private func remove(_ app: AppIdentifier) -> Bool {
        state.records.removeAll { $0.app == app }
        let count = state.apps.count
        state.apps.removeAll { $0.identifier == app }
        return state.apps.count < count
    }
}

extension ExplainedFailure {
    package static func notInstalled(_ app: AppIdentifier, fix: String = "Install the app first") -> ExplainedFailure {
        ExplainedFailure("the app \(app) is not installed", fix: fix, exitCode: .no)
    }
}
