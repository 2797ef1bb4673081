public import Platform

/// Everything that a simulated device keeps; it holds passwords in clear, as there is nobody to ask for a passcode.
public struct DeviceState: Sendable, Hashable {
    /// Whose device it is.
    public var reading: DeviceReading
    /// How prompts are answered while nobody else answers them.
    public var prompts = PromptPolicy()
    /// Whether entries with the mode `developer` ask the host itself.
    public internal(set) var developerMode = false
    /// Whether passwords are shared and filled in at all.
    public internal(set) var autoFill = true
    /// The apps, in the order of their installation.
    public internal(set) var apps: [InstalledApp] = []
    /// A record for each entry of each app, in the order of the apps and of their entries.
    public internal(set) var records: [AssociationRecord] = []
    /// The saved passwords, in the order in which they were first saved.
    public internal(set) var credentials: [SharedCredential] = []
    /// What apps keep for themselves, one item for each app and domain.
    public internal(set) var keychain: [KeychainItem] = []
    /// The hosts for which the person wants no password saved.
    public internal(set) var neverSaved: [String] = []
    /// Seconds that the device is ahead of the machine's clock.
    public internal(set) var ahead: Int64 = 0
    /// The latest time that the device has seen, in its own time; nil for a new one.
    public internal(set) var latest: UnixTime?

    /// A new device: no app, AutoFill on, developer mode off.
    ///
    /// - Parameter reading: whose device it is.
    public init(_ reading: DeviceReading = .current) {
        self.reading = reading
    }
}
