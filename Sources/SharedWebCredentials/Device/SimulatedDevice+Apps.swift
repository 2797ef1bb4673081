public import AssociatedDomains
import Platform

extension SimulatedDevice {
    /// Installs an app and asks the site of each of its entries; one that is there already is replaced, and its records
    /// begin anew.
    ///
    /// - Parameters:
    ///   - app: the application identifier.
    ///   - version: the version, for the records.
    ///   - entries: the strings of the entitlement, at most `maximumEntries`; wrong ones are dropped.
    ///   - isAppClip: whether it is an App Clip.
    /// - Returns: what came of it.
    /// - Throws: `DeviceError.tooManyEntries`.
    @discardableResult
    public func install(
        app: AppIdentifier, version: String = "1.0", entries: [String], isAppClip: Bool = false
    ) async throws(DeviceError) -> Installation {
        guard entries.count <= SimulatedDevice.maximumEntries else { throw .tooManyEntries(entries.count) }
        let installed = InstalledApp(identifier: app, version: version, entries: entries, isAppClip: isAppClip)
        return await exclusively {
            let wasThere = remove(app)
            state.apps.append(installed)
            state.records += installed.domains(state.reading).map {
                AssociationRecord(app: app, version: version, entry: $0)
            }
            await check(state.records.indices(where: { $0.app == app }), at: seenTime())
            return Installation(
                isReinstallation: wasThere, dropped: installed.dropped(state.reading),
                records: state.records.filter { $0.app == app })
        }
    }

    /// Removes an app with its records; the saved passwords stay, as they are the person's.
    ///
    /// - Parameter app: the application identifier.
    /// - Throws: `DeviceError.notInstalled`.
    public func uninstall(_ app: AppIdentifier) async throws(DeviceError) {
        let wasThere = await exclusively { remove(app) }
        guard wasThere else { throw .notInstalled(app) }
    }

    private func remove(_ app: AppIdentifier) -> Bool {
        state.records.removeAll { $0.app == app }
        let count = state.apps.count
        state.apps.removeAll { $0.identifier == app }
        return state.apps.count < count
    }
}

extension InstalledApp {
    /// The entries that the device drops, with the reasons that it does not tell.
    func dropped(_ reading: DeviceReading) -> [Installation.Dropped] {
        entries.compactMap { text in dropped(text, reading) }
    }

    private func dropped(_ text: String, _ reading: DeviceReading) -> Installation.Dropped? {
        do throws(AssociatedDomain.Malformed) {
            let domain = try AssociatedDomain(text)
            guard !reading.knows(domain.service) else { return nil }
            return .init(
                text: text, reason: "the system does not know the service \(domain.service.rawValue)",
                remedy: "Simulate a current device")
        } catch {
            return .init(text: text, reason: error.problem, remedy: error.remedy)
        }
    }
}
