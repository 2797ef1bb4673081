public import AssociatedDomains
import Foundation
public import MotivatorPlatform
public import SourceJSON

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

/// The state of a simulated device. It contains passwords in clear text.
public struct DeviceState: Sendable, Hashable, Codable {
    /// The simulated system.
    public var system: DeviceSystem
    /// The answers to prompts, for a device without a `Prompter`.
    public var prompts = PromptPolicy()
    /// Whether the device fetches the files of entries with the mode `developer` directly from the host.
    public internal(set) var developerMode = false
    /// Whether the device has a management profile. nil means no, so that earlier versions of this program can read the
    /// state of an unmanaged device.
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
    /// The number of seconds by which the device's clock is ahead of the machine's clock.
    public internal(set) var ahead: Int64 = 0
    /// The latest time on the device's clock; nil for a new device.
    public internal(set) var latest: UnixTime?

    /// Creates the state of a new device: no apps, AutoFill on, developer mode off.
    public init(_ system: DeviceSystem = .current) {
        self.system = system
    }

    enum CodingKeys: String, CodingKey {
        case system = "reading"
        case prompts
        case developerMode = "developer_mode"
        case managed
        case autoFill = "autofill"
        case apps, records, credentials, keychain
        case neverSaved = "never_saved"
        case ahead, latest
    }
}

extension DeviceState {
    /// Whether the device has a management profile. It then fetches the files of entries with the mode `managed`
    /// directly from the host.
    public var isManaged: Bool { managed ?? false }

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

    /// The content of a state file: a format, a version, and the state's members.
    private struct Stored: Codable {
        struct Header: Codable {
            var format = "ultra-motivator device state"
            var version = DeviceState.version
        }

        let header: Header
        let state: DeviceState

        init(_ state: DeviceState) {
            header = Header()
            self.state = state
        }

        init(from decoder: any Decoder) throws {
            header = try Header(from: decoder)
            state = try DeviceState(from: decoder)
        }

        func encode(to encoder: any Encoder) throws {
            try header.encode(to: encoder)
            try state.encode(to: encoder)
        }
    }

    /// The version of the format.
    static let version = 1

    /// Encodes the state as JSON. `init(json:)` restores the same state.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return [UInt8](try encoder.encode(Stored(self))) + [UInt8(ascii: "\n")]
    }

    /// Decodes a state. Content that `encoded` would not write, such as an unknown or repeated key, is an error.
    ///
    /// - Parameter bytes: the JSON, whose size the caller limits.
    /// - Throws: `Malformed`.
    public init(json bytes: [UInt8]) throws(Malformed) {
        guard !bytes.isEmpty else { throw .empty }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(bytes)
        } catch {
            throw .json(error)
        }
        // Check the version first, because a later version may have unknown keys.
        guard let header = try? JSONDecoder().decode(Stored.Header.self, from: Data(bytes)),
            header.format == Stored.Header().format
        else { throw .foreign }
        guard header.version <= Self.version else { throw .newer(version: header.version) }
        if let key = document.duplicateKeys.first { throw .repeated(key: key.key, key.second) }
        let locator = StateLocator(root: document.root)
        do {
            guard header.version == Self.version else { throw locator.invalid(["version"]) }
            // The decoder does not report the location of a number that is not an integer.
            if let path = StateLocator.pathOfFraction(in: document.root) { throw locator.invalid(path) }
            self = try JSONDecoder().decode(Stored.self, from: Data(bytes)).state
            if let path = pathOutOfRange { throw locator.invalid(path) }
            try locator.refuseUnknownKeys(canonical: JSONDocument(encoded()).root)
        } catch {
            throw locator.malformed(error)
        }
        // Earlier versions of this program scheduled checks that systems before iOS 14 do not perform.
        for index in records.indices where system.isBeforeIOS14 && records[index].siteApproval == .approved {
            records[index].nextCheck = nil
        }
    }

    /// The path of a number that is too large or negative; nil if there is none.
    private var pathOutOfRange: [String]? {
        let times = 0...SimulatedDevice.endOfTime
        if !times.contains(ahead) { return ["ahead"] }
        if !times.contains(latest ?? 0) { return ["latest"] }
        for (index, record) in records.enumerated() {
            if !times.contains(record.lastChecked ?? 0) { return ["records", "\(index)", "last_checked"] }
            if !times.contains(record.nextCheck ?? 0) { return ["records", "\(index)", "next_check"] }
            if !(0...Int(Int32.max)).contains(record.retries) { return ["records", "\(index)", "retries"] }
        }
        return nil
    }

    /// The reason why a device state is invalid.
    public enum Malformed: ExplainedError, Hashable {
        case empty
        /// The JSON is invalid, for example truncated.
        case json(JSONError)
        /// The JSON is not a device state.
        case foreign
        /// A later version of this program wrote the state.
        case newer(version: Int)
        case missing(key: String, SourceLocation)
        case repeated(key: String, SourceLocation)
        case unknown(key: String, SourceLocation)
        /// The value of a key is invalid.
        case value(key: String, expected: String, SourceLocation)

        public var problem: String {
            switch self {
            case .empty: "the device's state is empty"
            case .json(let fault): "the device's state is truncated or damaged: \(fault.problem)"
            case .foreign: "this file is not the state of a simulated device"
            case .newer(let version):
                "the device's state has version \(version); this program supports versions up to \(DeviceState.version)"
            case .missing(let key, let location): "the device's state lacks \(key.quoted) in \(location)"
            case .repeated(let key, let location): "the device's state repeats the key \(key.quoted) in \(location)"
            case .unknown(let key, let location):
                "the device's state contains the unknown key \(key.shortened.quoted) in \(location)"
            case .value(let key, let expected, let location):
                "the device's state needs \(expected) for \(key.quoted) in \(location)"
            }
        }

        public var fix: String {
            switch self {
            case .foreign: "Use another file for the state. The existing file was not changed"
            case .newer: "Use the program that wrote the file, or use another file for the state"
            case .empty, .json, .missing, .repeated, .unknown, .value:
                "Restore a backup, or move the file away to start with a new device. The file was not changed"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}

/// A locator for errors in the JSON text of a state.
private struct StateLocator {
    let root: JSONValue

    /// Converts a decoding error.
    func malformed(_ error: any Error) -> DeviceState.Malformed {
        switch error {
        case let error as DeviceState.Malformed: error
        case DecodingError.keyNotFound(let key, let context):
            .missing(key: key.stringValue, location(Self.path(context)))
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            invalid(Self.path(context))
        default: .foreign
        }
    }

    private static func path(_ context: DecodingError.Context) -> [String] {
        context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    }

    /// Returns the error for an invalid value at a path of keys and array indices.
    func invalid(_ path: [String]) -> DeviceState.Malformed {
        let key = path.last { Int($0) == nil } ?? "state"
        return .value(key: key, expected: Self.expectations[key] ?? "a string", location(path))
    }

    /// Throws an error for a key that the state's own encoding does not contain. A null value is the same as a missing
    /// key.
    func refuseUnknownKeys(canonical: JSONValue) throws(DeviceState.Malformed) {
        try Self.refuseUnknownKeys(root, canonical)
    }

    private static func refuseUnknownKeys(_ value: JSONValue, _ canonical: JSONValue) throws(DeviceState.Malformed) {
        for member in value.object?.members ?? [] {
            if case .null = member.value.content { continue }
            guard let known = canonical.object?[member.key] else { throw .unknown(key: member.key, member.keyLocation) }
            try refuseUnknownKeys(member.value, known)
        }
        for (element, known) in zip(value.array ?? [], canonical.array ?? []) {
            try refuseUnknownKeys(element, known)
        }
    }

    /// Returns the path of a number that is not an integer; nil if there is none.
    static func pathOfFraction(in value: JSONValue) -> [String]? {
        if case .number(let text) = value.content { return Int(text) == nil ? [] : nil }
        for member in value.object?.members ?? [] {
            if let path = pathOfFraction(in: member.value) { return [member.key] + path }
        }
        for (index, element) in (value.array ?? []).enumerated() {
            if let path = pathOfFraction(in: element) { return ["\(index)"] + path }
        }
        return nil
    }

    private func location(_ path: [String]) -> SourceLocation {
        var value = root
        for key in path {
            var next = value.object?[key]
            if let index = Int(key), let array = value.array, array.indices.contains(index) { next = array[index] }
            guard let next else { break }
            value = next
        }
        return value.location
    }

    /// The expected values by key. The values of all other keys are strings.
    private static let expectations: [String: String] = {
        let time = "seconds since 1970, or null"
        let approval = "one of " + Approval.allCases.map(\.rawValue.quoted).joined(separator: ", ")
        var expectations = [
            "version": "a number from 1 to \(DeviceState.version)",
            "reading": "one of " + DeviceSystem.allCases.map(\.rawValue.quoted).joined(separator: ", "),
            "ahead": "a number from 0 to \(SimulatedDevice.endOfTime)", "latest": time, "last_checked": time,
            "next_check": time, "retries": "a number from 0 to \(Int32.max)", "port": "a number from 1 to 65535",
            "developer_mode": "true or false", "managed": "true or false", "autofill": "true or false",
            "app_clip": "true or false",
            "never_saved": "an array of strings", "entries": "an array of strings", "apps": "an array of objects",
            "records": "an array of objects", "credentials": "an array of objects", "keychain": "an array of objects",
            "prompts": "an object", "error": "an object or null", "identifier": "an application identifier",
            "app": "an application identifier", "entry": "an entry of an entitlement", "user_approval": approval,
            "site_approval": approval, "fallback": "an answer",
        ]
        for kind in Prompt.Kind.allCases { expectations[kind.rawValue] = "an answer" }
        return expectations
    }()
}

extension AppIdentifier: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed { try AppIdentifier($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(self)")
    }
}

extension AssociatedDomain: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.parsed { try AssociatedDomain($0) }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode("\(self)")
    }
}

extension Decoder {
    /// Decodes a string and parses it.
    fileprivate func parsed<Value>(_ parse: (String) throws -> Value) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        do {
            return try parse(text)
        } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
        }
    }
}
