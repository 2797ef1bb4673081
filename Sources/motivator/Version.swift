/// The version of the program.
enum Version {
    /// The number, as in a tag of the repository.
    static let number = "0.1.0"
}
