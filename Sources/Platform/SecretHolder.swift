/// A value with a secret. Its descriptions omit the secret.
public protocol SecretHolder: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension SecretHolder {
    public var debugDescription: String { description }
    /// A mirror with only the description, because `dump` and test failures print mirrors.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
