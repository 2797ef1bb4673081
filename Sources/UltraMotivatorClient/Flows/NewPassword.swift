/// A new password as it is given.
public enum NewPassword: Sendable, Equatable {
    /// Typed twice.
    case typed(String, confirmation: String)
    /// Made by the device.
    case generated
}

extension NewPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "[new password]" }
    public var debugDescription: String { description }
    /// Without children: `dump` and the messages of tests print a mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
