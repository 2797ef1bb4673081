/// Ends the process with a message. `precondition` drops its message in a release build.
@inline(__always)
public func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}
