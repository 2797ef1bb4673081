/// Why a site did not approve an app, in a check of its association file.
public struct AssociationFailure: Sendable, Hashable, CustomStringConvertible {
    /// The code of the checker's rule, which `motivator association explain` tells more about; or one of the device.
    public let code: String
    /// What was found, without the full stop.
    public let message: String

    /// - Parameters:
    ///   - code: the code of a rule.
    ///   - message: what was found.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(message) [\(code)]" }

    /// The file does not name the app for the service.
    static func notListed(_ app: String, _ service: String) -> AssociationFailure {
        AssociationFailure(code: "app-not-listed", message: "\(service) does not name \(app)")
    }

    /// Nobody allowed the device to ask the host itself.
    static func modeOff(_ entry: String) -> AssociationFailure {
        AssociationFailure(
            code: "device-mode-off",
            message: "the entry \(entry) counts only "
                + (entry.hasSuffix("=managed") ? "on a managed device" : "with developer mode switched on"))
    }
}
