public import AssociatedDomains
import Foundation
public import MotivatorPlatform
import SourceJSON

/// The generation of the simulated system.
public enum DeviceSystem: String, CaseIterable, Sendable, Hashable, Codable {
    /// iOS 8, as the archived "Shared Web Credentials Reference" describes it.
    case iOS8 = "ios8"
    /// iOS 9 to 13, which differ from iOS 8 only in the files that they accept.
    case iOS9 = "ios9"
    /// iOS 14 and later, as observed.
    case current

    /// The profile with this system's rules for sites.
    public var ofSites: Profile {
        switch self {
        case .iOS8: .ios8
        case .iOS9: .ios9
        case .current: .device
        }
    }

    /// Whether the system is older than iOS 14. Such a system keeps a site's decision until the app is deleted. It
    /// saves new passwords without a prompt, and ignores the modes of entries.
    var isBeforeIOS14: Bool { self != .current }

    /// Returns whether the system knows a service. The system drops entries for unknown services. iOS 14 introduced App
    /// Clips.
    func knows(_ service: Service) -> Bool { !isBeforeIOS14 || service != .appclips }
}

/// The state of a simulated device. It contains passwords in plain text.
public struct DeviceState: Sendable, Hashable, Codable {
    private var format = "ultra-motivator device state"
    private var version = DeviceState.currentVersion
    /// The simulated system.
    public var system: DeviceSystem
    /// The answers to prompts, for a device without a `Prompter`.
    public var prompts = PromptPolicy()
    /// Whether the device fetches the files of entries with the mode `developer` directly from the host.
    public internal(set) var developerMode = false
    /// Whether the device has a management profile. Earlier versions of this program did not write this key.
    private var managed: Bool?
    /// Whether passwords are shared and filled in.
    public internal(set) var autoFill = true
    /// The apps, in installation order.
    public internal(set) var apps: [InstalledApp] = []
    /// A record for each entry of each app, in the order of the apps and their entries.
    public internal(set) var records: [AssociationRecord] = []
    /// The saved passwords, in the order in which they were first saved.
    public internal(set) var credentials: [SharedCredential] = []
    /// The items in the apps' own keychains, one for each app and domain.
    public internal(set) var keychain: [KeychainItem] = []
    /// The hosts where the user chose never to save a password.
    public internal(set) var neverSaved: [String] = []
    /// The hosts whose links the user opens in the browser. Earlier versions of this program did not write this key.
    var browserHosts: [String]?
    /// The passkeys, in the order of their creation. Earlier versions of this program did not write this key.
    private var storedPasskeys: [DevicePasskey]?
    /// Whether new passkeys are synced. Nil is the same as true.
    private var passkeySync: Bool?
    /// The recent uses of passwords. Earlier versions of this program did not write this key.
    private var passwordUses: [PasswordUse]?
    /// The number of seconds by which the device's clock is ahead of the machine's clock.
    public internal(set) var ahead: Int64 = 0
    /// The latest time on the device's clock; nil for a new device.
    public internal(set) var latest: UnixTime?

    /// Creates the state of a new device: no apps, AutoFill on, developer mode off.
    public init(_ system: DeviceSystem = .current) { self.system = system }

    enum CodingKeys: String, CodingKey {
        case format, version, system, prompts
        case developerMode = "developer_mode"
        case managed
        case autoFill = "autofill"
        case apps, records, credentials, keychain
        case neverSaved = "never_saved"
        case browserHosts = "browser_hosts"
        case storedPasskeys = "passkeys"
        case passkeySync = "passkey_sync"
        case passwordUses = "password_uses"
        case ahead, latest
    }
}

extension DeviceState {
    /// Whether the device has a management profile. It then fetches the files of entries with the mode `managed`
    /// directly from the host.
    public var isManaged: Bool { managed ?? false }

    public internal(set) var passkeys: [DevicePasskey] {
        get { storedPasskeys ?? [] }
        set { storedPasskeys = newValue.isEmpty ? nil : newValue }
    }

    /// Whether new passkeys are synced to other devices.
    public internal(set) var syncsPasskeys: Bool {
        get { passkeySync ?? true }
        set { passkeySync = newValue ? nil : false }
    }

    /// Records the use of a password. Only recent uses remain.
    mutating func recordUse(of credential: SharedCredential, _ time: UnixTime) {
        let recent = (passwordUses ?? []).filter { time - $0.time <= SimulatedDevice.conditionalWindow }
        passwordUses = recent + [PasswordUse(account: credential.account, host: credential.server, time: time)]
    }

    /// Returns whether a saved password of an account was used within the last minutes.
    func hasRecentPassword(_ account: String, at host: String, _ time: UnixTime) -> Bool {
        let isSaved = credentials.contains { $0.server == host && $0.account.isSameText(as: account) }
        return isSaved
            && (passwordUses ?? []).contains { use in
                use.host == host && use.account.isSameText(as: account)
                    && time - use.time <= SimulatedDevice.conditionalWindow
            }
    }

    /// The modes of the device, which the modes of entries refer to.
    var modes: AssociatedDomain.Modes {
        get {
            var modes: AssociatedDomain.Modes = developerMode ? .developer : []
            if isManaged { modes.insert(.managed) }
            return modes
        }
        set {
            developerMode = newValue.contains(.developer)
            managed = newValue.contains(.managed) ? true : nil
        }
    }

    private struct Header: Decodable {
        let format: String
        let version: Int
    }

    /// The version of the format. In version 1, the key of the system was "reading".
    private static let currentVersion = 2

    /// Encodes the state as JSON. `init(json:)` restores the same state.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(self)) + [UInt8(ascii: "\n")]
    }

    /// Decodes a state. Unknown keys are ignored.
    /// - Parameter bytes: the JSON, whose size the caller limits.
    public init(json bytes: [UInt8]) throws(ExplainedFailure) {
        guard !bytes.isEmpty else { throw .damagedState("is empty") }
        do throws(JSONError) { _ = try JSONDocument(bytes) } catch {
            throw .damagedState("is truncated or damaged: \(error.problem)")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            path.map(\.stringValue) == ["reading"] ? CodingKeys.system : path[path.count - 1]
        }
        // Check the version first, because a later version may have other keys.
        guard let header = try? decoder.decode(Header.self, from: Data(bytes)),
            header.format == DeviceState().format, header.version > 0
        else { throw .foreignState }
        guard header.version <= Self.currentVersion else {
            throw ExplainedFailure(
                "the device's state has version \(header.version); this program supports versions up to "
                    + "\(Self.currentVersion)",
                fix: "Use the program that wrote the file, or use another file for the state", exitCode: .badInput)
        }
        do {
            self = try decoder.decode(DeviceState.self, from: Data(bytes))
            version = Self.currentVersion
        } catch {
            throw Self.reason(error).map { .damagedState($0) } ?? .foreignState
        }
        var numbers = [("ahead", ahead), ("latest", latest ?? 0)]
        for record in records {
            numbers += [("last_checked", record.lastChecked ?? 0), ("next_check", record.nextCheck ?? 0)]
            numbers.append(("retries", Int64(record.retries)))
        }
        for passkey in passkeys { numbers += [("created", passkey.created), ("used", passkey.used ?? 0)] }
        numbers += (passwordUses ?? []).map { ("time", $0.time) }
        if let (key, _) = numbers.first(where: { !(0...SimulatedDevice.endOfTime).contains($0.1) }) {
            throw .damagedState("has an invalid value for \(key.quoted)")
        }
        // Earlier versions of this program scheduled checks that systems before iOS 14 do not perform.
        for index in records.indices where system.isBeforeIOS14 && records[index].siteApproval == .approved {
            records[index].nextCheck = nil
        }
    }

    /// Returns why a value cannot be decoded, from an error of the decoder or of the value; nil for other JSON. A number
    /// that does not fit has no path.
    static func reason(_ error: any Error) -> String? {
        switch error {
        case let error as any ExplainedError: "has an invalid value: \(error.problem)"
        case DecodingError.keyNotFound(let key, _): "lacks \(key.stringValue.quoted)"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            "has an invalid value for "
                + (context.codingPath.last { $0.intValue == nil }?.stringValue.quoted ?? "a number")
        default: nil
        }
    }
}

extension ExplainedFailure {
    static let foreignState = ExplainedFailure(
        "this file is not the state of a simulated device",
        fix: "Use another file for the state. The existing file was not changed", exitCode: .badInput)

    /// The file is empty, or it was truncated or changed.
    static func damagedState(_ reason: String) -> ExplainedFailure {
        ExplainedFailure(
            "the device's state \(reason)",
            fix: "Restore a backup, or move the file away to start with a new device. The file was not changed",
            exitCode: .badInput)
    }
}

extension AppIdentifier: Codable {
    public init(from decoder: any Decoder) throws { self = try AppIdentifier(String(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try "\(self)".encode(to: encoder) }
}

extension AssociatedDomain: Codable {
    public init(from decoder: any Decoder) throws { self = try AssociatedDomain(String(from: decoder)) }
    public func encode(to encoder: any Encoder) throws { try "\(self)".encode(to: encoder) }
}
