/// The one owner of an open descriptor; it is closed exactly once, when the owner goes away.
public struct FileDescriptor: ~Copyable, Sendable {
    /// The descriptor's number, valid as long as this value lives.
    public let number: Int32

    /// Takes over an open descriptor.
    ///
    /// - Parameter number: a descriptor that nobody else will close.
    public init(owning number: Int32) {
        self.number = number
    }

    /// Gives the descriptor away unclosed.
    ///
    /// - Returns: the number, which the caller now has to close.
    public consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }

    deinit {
        close(number)
    }
}
