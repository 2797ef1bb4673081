public import Platform
import SourceJSON

extension DeviceState {
    /// Why bytes are no state of a device.
    public enum Malformed: ExplainedError, Hashable {
        case empty
        /// No JSON, as when the end is missing.
        case json(JSONFault)
        /// JSON, but nothing that this program wrote.
        case foreign
        /// Written by a later version of this program.
        case newer(version: Int)
        case missing(key: String, SourceLocation)
        case repeated(key: String, SourceLocation)
        case unknown(key: String, SourceLocation)
        /// A value that cannot stand where it stands; what should.
        case value(key: String, expected: String, SourceLocation)

        public var problem: String {
            switch self {
            case .empty: "the device's state is empty"
            case .json(let fault): "the device's state is cut off or damaged: \(fault.problem)"
            case .foreign: "it is no state of a simulated device"
            case .newer(let version):
                "the device's state has version \(version), and this program knows none after \(DeviceState.version)"
            case .missing(let key, let place): "the device's state lacks \(key.quoted) in \(place)"
            case .repeated(let key, let place): "the device's state has \(key.quoted) again in \(place)"
            case .unknown(let key, let place): "the device's state has an unknown \(key.shortened.quoted) in \(place)"
            case .value(let key, let expected, let place):
                "the device's state has in \(place) at \(key.quoted) something else than \(expected)"
            }
        }

        public var remedy: String {
            switch self {
            case .foreign: "Name another file for the state; this one stays as it is"
            case .newer: "Use the program that wrote it, or name another file for the state"
            case .empty, .json, .missing, .repeated, .unknown, .value:
                "Put back a copy of the file, or move it away to begin with a new device; it stays as it is"
            }
        }

        public var exitCode: ExitCode { .badInput }
    }
}
